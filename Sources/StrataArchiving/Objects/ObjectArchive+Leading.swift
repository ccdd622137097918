import StrataBase
import StrataJournal

/// Leading.
extension ObjectArchive {
  /// How far the archive is and who leads; nil while it has no store.
  public func head() async throws(ArchiveError) -> ArchiveHead? {
    try await perform { try await foundHead()?.archiveHead }
  }

  /// Starts to lead, and returns the head under the new epoch.
  public func lead(_ candidate: ArchiveCandidate) async throws(ArchiveError) -> ArchiveHead {
    try await perform {
      if let flaw = candidate.flaw { throw ArchiveError.Reason.unusable(flaw) }
      try await checkMayStart()
      for _ in 0..<Self.attempts {
        let object = try await get(ObjectContents.headName)
        let head = try Self.head(of: candidate, after: object)
        guard try await put(head, replacing: object?.tag) else { continue }
        let leftovers = try await leftovers(of: head)
        if !leftovers.isEmpty { try await remove(leftovers: leftovers, of: head) }
        if let led = try await foundHead(), led.head.epoch == head.epoch {
          return led.archiveHead
        }
      }
      throw Self.isContended
    }
  }

  /// The head with which a candidate leads; throws if it may not.
  private static func head(
    of candidate: ArchiveCandidate,
    after object: ObjectContents?
  ) throws -> ObjectHead {
    let before = try object.map { try ObjectHead($0) }
    if let object, let before, let found = FoundHead(before, object) {
      if found.store != candidate.store { throw ArchiveError.Reason.otherStore(found.store) }
      if found.rest > .zero, before.leader != candidate.leader {
        throw ArchiveError.Reason.led(by: before.leader, for: found.rest)
      }
    }
    let epoch = max(before?.epoch ?? 0, candidate.epoch)
    guard epoch < .max else { throw CorruptionError("its epoch is \(epoch), the last one") }
    var head = before ?? ObjectHead(start: candidate.start)
    if head.store == nil {
      // The rounds of a store that was removed go on.
      let round = head.round
      head = ObjectHead(start: candidate.start)
      (head.store, head.round, head.history) = (candidate.store, round, round + 1)
    }
    head.number = ObjectName.newNumber()
    head.epoch = epoch + 1
    head.leader = candidate.leader
    head.lease = candidate.lease.leaseMicroseconds
    head.round += 1
    return head
  }

  /// Extends the lease.
  public func renew(_ term: ArchiveTerm) async throws(ArchiveError) {
    try await change(in: term) { _ in }
  }

  /// Ends the lease, so that another may lead at once.
  public func release(_ term: ArchiveTerm) async throws(ArchiveError) {
    do throws(ArchiveError) {
      try await change(in: term) { $0.head.lease = 0 }
    } catch {
      if error.reason == .refused || error.reason == .empty { return }
      throw error
    }
  }
}

/// A change of an archive, with what is put before the head.
///
/// What the head no longer names stays until something is removed: a copy that is being made may need it.
struct ObjectChange {
  /// The head that was read.
  let found: ObjectHead
  var head: ObjectHead
  private(set) var objects: [NamedBody] = []

  /// - Parameter lease: How long the lease runs from now on.
  init(_ found: ObjectHead, lease: Duration) {
    (self.found, head) = (found, found)
    head.number = ObjectName.newNumber()
    head.lease = lease.leaseMicroseconds
  }

  /// Adds an object, which is put before the head.
  mutating func put(_ body: [UInt8], as name: ObjectName) {
    objects.append(NamedBody(name: name.text, body: body))
  }

  /// Replaces the catalog, if there is a new one.
  mutating func put(catalog: [UInt8]?, round: Int64) {
    guard let catalog else { return }
    let name = ObjectName.catalog(number: ObjectName.newNumber(), round: round)
    put(catalog, as: name)
    head.catalog = name.text
  }
}

/// The head.
extension ObjectArchive {
  static var attempts: Int { 10 }

  static var isContended: ArchiveError.Reason {
    .away("other processes change it over and over")
  }

  /// The head; nil while there is no store.
  func foundHead() async throws -> FoundHead? {
    guard let object = try await get(ObjectContents.headName) else { return nil }
    return FoundHead(try memory.head(of: object), object)
  }

  private func head(in term: ArchiveTerm) async throws -> TaggedHead {
    guard let found = try await foundHead() else { throw ArchiveError.Reason.empty }
    return try Self.check(TaggedHead(head: found.head, tag: found.object.tag), in: term)
  }

  private static func check(_ head: TaggedHead, in term: ArchiveTerm) throws -> TaggedHead {
    guard term.isTerm(ofEpoch: head.head.epoch, head.head.leader) else {
      throw ArchiveError.Reason.refused
    }
    return head
  }

  /// Throws `.refused` if another leads, and `.empty`; returns the round of what is put.
  func round(in term: ArchiveTerm) async throws -> Int64 { try await head(in: term).head.round }

  /// Puts objects, and a head in place of the one with a tag, or of none; returns whether it is there.
  ///
  /// If no answer comes, or the answer to a put that the place repeated, the head itself says it: once another is there,
  /// the put has no effect any more. While the former one is there it may arrive later. If it is there, it is put once more: a
  /// place may show what it has not kept yet, such as a server whose standby does not answer.
  func put(
    _ head: ObjectHead,
    after objects: [NamedBody] = [],
    replacing tag: ObjectContents.Tag?
  ) async throws -> Bool {
    var (head, objects, tag) = (head, objects, tag)
    for attempt in 1... {
      var failure: ArchiveError?
      let body = try head.encoded()
      do throws(ArchiveError) {
        let new =
          if let tag {
            try await put(objects, andHead: body, if: tag)
          } else {
            try await put(body, as: ObjectContents.headName, if: .absent)
          }
        if let new {
          if head.store != nil { memory.keep(TaggedHead(head: head, tag: new)) }
          return true
        }
      } catch {
        guard case .away = error.reason, attempt < Self.attempts / 2 else { throw error }
        failure = error
      }
      let now = try await get(ObjectContents.headName)
      if let failure, now?.tag == tag { throw failure }
      guard let now, try memory.head(of: now).number == head.number else { return false }
      (objects, tag) = ([], now.tag)
      head.number = ObjectName.newNumber()
    }
    return false
  }

  /// Changes the head while no other process does, if the term is the last one.
  ///
  /// - Parameter body: may run again, with the head that another process has put meanwhile.
  @discardableResult
  func change(
    in term: ArchiveTerm,
    flaw: String? = nil,
    _ body: (inout ObjectChange) async throws -> Void
  ) async throws(ArchiveError) -> ObjectHead {
    try await perform {
      if let flaw { throw ArchiveError.Reason.unusable(flaw) }
      for _ in 0..<Self.attempts {
        let known = memory.takeHead()
        let (change, tag): (ObjectChange, ObjectContents.Tag)
        do {
          let found =
            if let known { try Self.check(known, in: term) } else { try await head(in: term) }
          var changed = ObjectChange(found.head, lease: term.lease)
          try await body(&changed)
          (change, tag) = (changed, found.tag)
        } catch  where known != nil {
          // Another process may have replaced it.
          continue
        }
        do {
          guard try await put(change.head, after: change.objects, replacing: tag) else { continue }
        } catch let error as ArchiveError {
          guard case .away = error.reason else { throw error }
          // Another leader may have been the reason.
          _ = try await head(in: term)
          throw error
        }
        return change.head
      }
      throw Self.isContended
    }
  }
}
