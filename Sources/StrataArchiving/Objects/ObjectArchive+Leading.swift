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
      for _ in 0..<Self.attempts {
        let object = try await get(ObjectName.head)
        let head = try Self.head(of: candidate, after: object)
        guard try await put(head, replacing: object) else { continue }
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
  private(set) var objects: [(name: ObjectName, body: [UInt8])] = []

  /// - Parameter lease: How long the lease runs from now on.
  init(_ found: ObjectHead, lease: Duration) {
    (self.found, head) = (found, found)
    head.number = ObjectName.newNumber()
    head.lease = lease.leaseMicroseconds
  }

  /// Adds an object, which is put before the head.
  mutating func put(_ body: [UInt8], as name: ObjectName) { objects.append((name, body)) }

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
    guard let object = try await get(ObjectName.head) else { return nil }
    return FoundHead(try ObjectHead(object), object)
  }

  private func head(in term: ArchiveTerm) async throws -> FoundHead {
    guard let found = try await foundHead() else { throw ArchiveError.Reason.empty }
    guard term.isTerm(ofEpoch: found.head.epoch, found.head.leader) else {
      throw ArchiveError.Reason.refused
    }
    return found
  }

  /// Throws `.refused` if another leads, and `.empty`; returns the round of what is put.
  func round(in term: ArchiveTerm) async throws -> Int64 { try await head(in: term).head.round }

  /// Puts a head in place of the one that was read; returns whether it is there.
  ///
  /// If no answer comes, or the answer to a put that the place repeated, the head itself says it: once another is there,
  /// the put has no effect any more. While the former one is there it may arrive later.
  func put(_ head: ObjectHead, replacing object: ObjectContents?) async throws -> Bool {
    let condition = object.map { ObjectCondition.tag($0.tag) } ?? .absent
    let failure: ArchiveError?
    let body = try head.encoded()
    do throws(ArchiveError) {
      if try await put(body, as: ObjectName.head, if: condition) { return true }
      failure = nil
    } catch {
      guard case .away = error.reason else { throw error }
      failure = error
    }
    let now = try await get(ObjectName.head)
    if let now, try ObjectHead(now).number == head.number { return true }
    if let failure, now?.tag == object?.tag { throw failure }
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
        let found = try await head(in: term)
        var change = ObjectChange(found.head, lease: term.lease)
        try await body(&change)
        do {
          for (name, body) in change.objects {
            _ = try await put(body, as: name.text, if: .absent)
          }
          guard try await put(change.head, replacing: found.object) else { continue }
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
