import StrataBase
public import StrataJournal

/// Removing.
extension ObjectArchive {
  /// Removes segments, snapshots, and the chunks that no snapshot lists for an hour.
  public func remove(
    segmentsThrough revision: Revision,
    snapshots: [Revision]
  ) async throws(ArchiveError) {
    try await perform {
      for _ in 0..<Self.attempts {
        guard let found = try await foundHead() else { throw ArchiveError.Reason.empty }
        var change = ObjectChange(found.head, lease: found.rest)
        change.head.begin(after: revision)
        change.head.remove { snapshots.contains($0.revision) }
        let others = try await unnamedObjects(before: found.head, change.head)
        let chunks = try await unlistedChunks(of: change.head)
        // A leader may be adding the chunks of a snapshot at this moment.
        if chunks.contains(where: { $0.age > Self.ageOfOrphans }) { change.head.round += 1 }
        guard try await put(change.head, replacing: found.object.tag) else { continue }
        let segments = try await list(ObjectName.segments).map(\.name).filter { name in
          guard case .segment(let name) = ObjectName(name) else { return false }
          return name.end.revision <= change.head.begin && name.round <= change.head.round
        }
        let old = chunks.filter { $0.age > Self.ageOfOrphans }.map(\.name)
        return try await remove(segments + others + old)
      }
      throw Self.isContended
    }
  }

  /// How long a chunk may exist without a snapshot: the list is put after the chunks.
  private static var ageOfOrphans: Duration { .seconds(3_600) }

  /// The snapshots, images and catalogs that a new head does not name: those that the former one named, and old ones.
  ///
  /// Their names are never given again, so what is there before the new head is put and is not named by it will not be.
  private func unnamedObjects(
    before former: ObjectHead,
    _ head: ObjectHead
  ) async throws -> [String] {
    let entries = try await list(ObjectName.snapshots) + list(ObjectName.images)
    return entries.filter { entry in
      guard let name = ObjectName(entry.name), !head.names(name) else { return false }
      return former.names(name) || entry.age > Self.ageOfOrphans
    }.map(\.name)
  }

  /// The chunks of its round and of earlier ones that no snapshot of a head lists.
  ///
  /// None while a snapshot is gone: a later one may have taken its chunks over.
  private func unlistedChunks(of head: ObjectHead) async throws -> [ObjectEntry] {
    guard let listed = try await listedChunks(of: head) else { return [] }
    return try await list(ObjectName.chunks).filter { entry in
      guard case .chunk(let name) = ObjectName(entry.name) else { return false }
      return name.round <= head.round && !listed.contains(name)
    }
  }

  /// Removes the store with all that it has.
  ///
  /// A head without a store comes first, so that no reader finds part of one, and stays, so that no former leader finds the
  /// one that it knew. What a failure leaves is removed by the next leader.
  public func removeStore(in term: ArchiveTerm) async throws(ArchiveError) {
    let head = try await change(in: term) { change in
      var head = ObjectHead(start: change.head.mark)
      let round = change.head.round + 1
      (head.epoch, head.leader) = (change.head.epoch, change.head.leader)
      (head.round, head.history) = (round, round)
      change.head = head
    }
    try await perform { try await remove(leftovers: leftovers(of: head), of: head) }
  }

  /// How many bytes its objects have; lists all of them.
  public func bytes() async throws(ArchiveError) -> Int64 {
    try await ownNames().reduce(0) { $0 + $1.size }
  }

  /// All objects but the head.
  private func ownNames() async throws(ArchiveError) -> [ObjectEntry] {
    var entries: [ObjectEntry] = []
    for folder in [ObjectName.snapshots, ObjectName.segments, ObjectName.chunks, ObjectName.images]
    {
      entries += try await list(folder).filter { ObjectName($0.name) != nil }
    }
    return entries
  }

  /// The objects of earlier rounds that a head does not name, but for chunks: no head will name them.
  func leftovers(of head: ObjectHead) async throws -> [String] {
    let named = Set(
      try await segmentNames(of: head, after: head.begin).map { ObjectName.segment($0) }
    )
    var leftovers: [String] = []
    for folder in [ObjectName.segments, ObjectName.snapshots, ObjectName.images] {
      for entry in try await list(folder) {
        guard let name = ObjectName(entry.name), name.round < head.round else { continue }
        if !named.contains(name), !head.names(name) { leftovers.append(entry.name) }
      }
    }
    return leftovers
  }

  /// Removes them, and the chunks of earlier rounds that no snapshot lists.
  func remove(leftovers: [String], of head: ObjectHead) async throws {
    // Chunks first: as long as other objects are there, the next leader looks for them.
    let unlisted = try await unlistedChunks(of: head).filter { entry in
      ObjectName(entry.name).map { $0.round < head.round } ?? false
    }
    try await remove(unlisted.map(\.name))
    try await remove(leftovers)
  }
}
