import Foundation
import StrataBase
public import StrataJournal

/// Snapshots.
extension ObjectArchive {
  /// The snapshots, the oldest first; reads an object of each.
  public func snapshots() async throws(ArchiveError) -> [ArchiveSnapshot] {
    try await perform {
      try await readHistory { head in
        var snapshots: [ArchiveSnapshot] = []
        for name in head.snapshotNames {
          if let record = try await record(of: name) { snapshots.append(try record.snapshot(name)) }
        }
        return snapshots
      } ?? []
    }
  }

  /// The list of a snapshot.
  public func list(of snapshot: Revision) async throws(ArchiveError) -> ArchiveSnapshot.List {
    try await perform {
      let list = try await readHistory { head -> ArchiveSnapshot.List? in
        guard let name = head.snapshotNames.last(where: { $0.revision == snapshot }),
          let record = try await record(of: name),
          let image = try await get(ObjectName.image(name).text)
        else { return nil }
        let chunks = try record.chunkNames(name)
        memory.replaceNames(by: chunks.values)
        return ArchiveSnapshot.List(image: image.body, chunks: chunks.mapValues(\.id))
      }
      guard let list = list ?? nil else {
        throw ArchiveError.Reason.notFound("snapshot \(snapshot)")
      }
      return list
    }
  }

  private func record(of name: SnapshotName) async throws -> SnapshotRecord? {
    guard let object = try await get(ObjectName.snapshot(name).text) else { return nil }
    return try SnapshotRecord(reading: object.body, of: "snapshot \(name.text)")
  }

  /// The chunks among these that the archive does not have, or that it may be about to remove.
  public func missing(
    _ chunks: [ArchiveChunk.ID]
  ) async throws(ArchiveError) -> [ArchiveChunk.ID] {
    try await perform {
      guard let head = try await foundHead()?.head else { return chunks }
      let usable = try await usableChunks(of: head)
      return chunks.filter { usable[$0] == nil }
    }
  }

  /// The chunks that a snapshot may list: those that another one lists, and those of this round.
  private func usableChunks(of head: ObjectHead) async throws -> [ArchiveChunk.ID: ChunkName] {
    let listed = try await listedChunks(of: head) ?? []
    var usable: [ArchiveChunk.ID: ChunkName] = [:]
    for entry in try await list(ObjectName.chunks) {
      guard case .chunk(let name) = ObjectName(entry.name),
        name.round == head.round || listed.contains(name),
        usable[name.id].map({ $0.round < name.round }) ?? true
      else { continue }
      usable[name.id] = name
    }
    return usable
  }

  /// The chunks that the snapshots of a head list; nil if one of these is gone, as after a later head.
  func listedChunks(of head: ObjectHead) async throws -> Set<ChunkName>? {
    var listed: Set<ChunkName> = []
    for name in head.snapshotNames {
      guard let record = try await record(of: name) else { return nil }
      listed.formUnion(try record.chunkNames(name).values)
    }
    return listed
  }

  /// Adds chunks, each as an object of its own.
  public func add(_ chunks: [ArchiveChunk], in term: ArchiveTerm) async throws(ArchiveError) {
    try await perform {
      let round = try await round(in: term)
      for chunk in chunks {
        let name = ObjectName.chunk(ChunkName(id: chunk.id, round: round))
        _ = try await put(chunk.body, as: name.text, if: .absent)
      }
    }
  }

  /// The chunks, each from an object of its own.
  public func chunks(_ ids: [ArchiveChunk.ID]) async throws(ArchiveError) -> [ArchiveChunk] {
    try await perform {
      var found = try await knownChunks(ids)
      if ids.contains(where: { found[$0] == nil }) {
        memory.add(
          try await list(ObjectName.chunks).compactMap { entry in
            guard case .chunk(let name) = ObjectName(entry.name) else { return nil }
            return name
          }
        )
        found.merge(try await knownChunks(ids.filter { found[$0] == nil })) { first, _ in first }
      }
      return try ids.map { id in
        guard let body = found[id] else { throw ArchiveError.Reason.notFound("chunk \(id)") }
        return ArchiveChunk(id: id, body: body)
      }
    }
  }

  /// The bodies of those chunks whose names are known.
  private func knownChunks(
    _ ids: [ArchiveChunk.ID]
  ) async throws -> [ArchiveChunk.ID: [UInt8]] {
    let names = Dictionary(
      ids.compactMap { id in
        memory.find(id).map { (ObjectName.chunk($0).text, id) }
      }
    ) { first, _ in first }
    if names.isEmpty { return [:] }
    var bodies: [ArchiveChunk.ID: [UInt8]] = [:]
    for object in try await get(Array(names.keys), bytes: .max) {
      if let id = names[object.name] { bodies[id] = object.body }
    }
    return bodies
  }

  /// Adds a snapshot whose chunks are there.
  public func add(
    _ snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) async throws(ArchiveError) {
    try await change(in: term, flaw: snapshot.flaw) { change in
      let (mark, end) = (snapshot.mark, change.head.mark)
      guard mark.revision != end.revision || mark == end else {
        throw ArchiveError.Reason.refused
      }
      change.head.remove { $0.revision == mark.revision }
      try await put(snapshot, list, in: &change, round: change.head.round)
      if mark.revision > end.revision {
        if end.revision > change.head.begin {
          change.head.gaps.append(ObjectHead.Gap(after: end, through: mark))
        }
        change.head.mark = mark
      }
      change.put(catalog: catalog, round: change.head.round)
    }
  }

  /// Starts again with a snapshot and the segments after it, and removes all else.
  ///
  /// The head is replaced before anything is removed, so what a failure leaves is removed by the next leader.
  public func restart(
    from snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    _ segments: [ArchiveSegment],
    catalog: [UInt8],
    in term: ArchiveTerm
  ) async throws(ArchiveError) {
    let flaw = ArchiveSegment.flaw(of: segments, after: snapshot)
    let head = try await change(in: term, flaw: flaw) { change in
      guard segments.allSatisfy({ $0.epoch == term.epoch }) else {
        throw ArchiveError.Reason.refused
      }
      // Its objects are of the new round, so that none of them is one of the former history.
      let round = change.head.round + 1
      change.head.snapshots = []
      try await put(snapshot, list, in: &change, round: round)
      for segment in segments {
        change.put(try segment.object(), as: .segment(SegmentName(segment, round: round)))
      }
      change.head.catalog = nil
      change.put(catalog: catalog, round: round)
      change.head.gaps = []
      change.head.begin = snapshot.mark.revision
      change.head.mark = segments.last?.end ?? snapshot.mark
      (change.head.round, change.head.history) = (round, round)
    }
    try await perform { try await remove(leftovers: leftovers(of: head), of: head) }
  }

  /// Puts a snapshot into a change; throws `.notFound` for a chunk that may not be listed.
  private func put(
    _ snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    in change: inout ObjectChange,
    round: Int64
  ) async throws {
    let usable = try await usableChunks(of: change.found)
    var chunks: [String: String] = [:]
    for (number, id) in list.chunks {
      guard let name = usable[id] else { throw ArchiveError.Reason.notFound("chunk \(id)") }
      chunks["\(number)"] = name.text
    }
    let name = SnapshotName(
      revision: snapshot.mark.revision,
      number: ObjectName.newNumber(),
      round: round
    )
    change.put(list.image, as: .image(name))
    change.put(try SnapshotRecord(snapshot, chunks: chunks).encoded(), as: .snapshot(name))
    change.head.snapshots.append(name.text)
  }
}

/// The form of a snapshot.
private struct SnapshotRecord: HashedJSON {
  var mark: HistoryMark
  var time: Int64
  var names: [String]
  var entities: Int
  var bytes: Int64
  /// The names of the chunks by their numbers in the file.
  var chunks: [String: String]
  var hash: String?

  init(_ snapshot: ArchiveSnapshot, chunks: [String: String]) {
    mark = snapshot.mark
    time = snapshot.time.nearestMicrosecond
    names = snapshot.names
    entities = snapshot.entities
    bytes = snapshot.bytes
    self.chunks = chunks
  }

  func snapshot(_ name: SnapshotName) throws(CorruptionError) -> ArchiveSnapshot {
    guard mark.revision == name.revision else {
      throw CorruptionError("snapshot \(name.text) says that it is of \(mark)")
    }
    let snapshot = ArchiveSnapshot(
      mark: mark,
      time: Date(microseconds: time),
      names: names,
      entities: entities,
      bytes: bytes
    )
    if let flaw = snapshot.flaw { throw CorruptionError("\(flaw), as \(name.text) says") }
    return snapshot
  }

  func chunkNames(_ name: SnapshotName) throws(CorruptionError) -> [Int64: ChunkName] {
    var names: [Int64: ChunkName] = [:]
    for (number, text) in chunks {
      guard let number = Int64(number), let chunk = ChunkName(text) else {
        throw CorruptionError("snapshot \(name.text) lists a chunk \(number) \(text)")
      }
      names[number] = chunk
    }
    return names
  }
}
