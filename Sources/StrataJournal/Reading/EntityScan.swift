import StrataBase
import StrataRecords

/// Which entities of a table are read.
package enum EntityFilter: Sendable {
  case all
  /// Those with one of these encoded IDs.
  case ids(Set<[UInt8]>)
  /// Those whose encoded IDs are in a range, and those whose IDs are of another kind than its bounds.
  case range(kind: UInt8, from: [UInt8]?, through: [UInt8]?)

  /// The keys of the entities of a table, if they are named.
  package func keys(of table: String) -> [EntityKey]? {
    guard case .ids(let ids) = self else { return nil }
    return ids.map { EntityKey(table: table, id: $0[...]) }
  }

  /// Whether an entity with this encoded ID is read.
  package func contains(_ id: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .all: return true
    case .ids(let ids): return ids.contains(Array(id))
    case .range(let kind, let from, let through):
      guard id.first == kind else { return true }
      if let from, id.lexicographicallyPrecedes(from) { return false }
      if let through, through.lexicographicallyPrecedes(id) { return false }
      return true
    }
  }
}

/// Goes through the entities of one table at a revision, in the order of their encoded IDs.
///
/// No statement is open between two calls. A writer at work may trim what is still to be read; that shows as
/// `CorruptionError`.
package struct EntityScan {
  private var merge: MergeIterator
  private let table: String
  private let filter: EntityFilter
  /// The wanted IDs, sorted, if they are named, and which of them comes next.
  private let wanted: [[UInt8]]?
  private var nextWanted = 0
  private var slice: EntitySlice?
  private var index = 0
  private var isAtEnd = false
  /// Reads what follows in another way: the entities from an ID on.
  private var rest: (from: [UInt8], read: () throws -> MergeIterator)?
  /// The start of the entities that ``merge`` covers.
  private var start: [UInt8]?

  fileprivate init(_ merge: MergeIterator, _ table: String, _ filter: EntityFilter) {
    self.merge = merge
    self.table = table
    self.filter = filter
    wanted =
      if case .ids(let ids) = filter {
        ids.sorted { a, b in
          a.withUnsafeBytes { a in b.withUnsafeBytes { EntityKey.precedes(a, $0) } }
        }
      } else {
        nil
      }
  }

  /// The entities of a table before an ID, and those from there on, which are read when they are reached.
  fileprivate init(
    _ merge: MergeIterator,
    _ table: String,
    before id: [UInt8],
    rest: @escaping () throws -> MergeIterator
  ) {
    self.init(merge, table, .all)
    self.rest = (id, rest)
  }

  /// The next entity; nil at the end.
  package mutating func next() throws -> StoredEntity? {
    while true {
      if let entity = try nextOfMerge() { return entity }
      guard let rest else { return nil }
      (start, self.rest) = (rest.from, nil)
      (merge, isAtEnd) = (try rest.read(), false)
    }
  }

  private mutating func nextOfMerge() throws -> StoredEntity? {
    while !isAtEnd {
      guard let slice, index < slice.entries.upperBound else {
        try advance()
        continue
      }
      if let wanted {
        seek(wanted, in: slice)
        guard !isAtEnd, index < slice.entries.upperBound else { continue }
      }
      defer { index += 1 }
      let id = slice.block.id(of: slice.block.entries[index])
      // The snapshot may not be the one that the parts were made for: it may have other chunks.
      if start != nil || rest != nil, !id.isIn(from: start, before: rest?.from) { continue }
      if case .range = filter, !filter.contains(id) { continue }
      if let entity = slice.entity(index) { return entity }
    }
    return nil
  }

  /// Moves to the next wanted entity of a slice, or to the end of the slice; O(log n) for each wanted one.
  private mutating func seek(_ wanted: [[UInt8]], in slice: EntitySlice) {
    while nextWanted < wanted.count {
      index = slice.firstIndex(notBefore: wanted[nextWanted], from: index)
      guard index < slice.entries.upperBound else { return }
      if slice.block.id(of: slice.block.entries[index]) == wanted[nextWanted][...] { return }
      nextWanted += 1
    }
    isAtEnd = true
  }

  /// Moves to the next slice of the table.
  private mutating func advance() throws {
    while let next = try merge.nextSlice() {
      guard let first = next.entries.first else { continue }
      let name = next.block.table(of: next.block.entries[first])
      if name == table {
        slice = next
        index = first
        return
      }
      if table.utf8.lexicographicallyPrecedes(name.utf8) { break }
    }
    slice = nil
    isAtEnd = true
  }
}

/// The entities at one revision, from which tables are scanned any number of times.
///
/// It holds the changes after its snapshot, so its memory is about their size.
package struct EntityState {
  /// The revision.
  package let revision: Revision
  fileprivate let start: MergeIterator

  /// An estimate of the number of entities.
  package var expectedCount: Int { start.expectedCount }

  /// The most IDs that are looked up one by one.
  fileprivate static let seekLimit = 64

  fileprivate init(revision: Revision, start: MergeIterator) {
    self.revision = revision
    self.start = start
  }

  /// The entities of a table that pass a filter.
  ///
  /// O(chunks of the snapshot, and changes after it); of the chunks only those of the table are read, up to
  /// the last of the entities, and only one for each wanted ID that has not changed since. Nothing is decoded. This is
  /// the one place that chooses how to get there.
  package func scan(_ table: String, _ filter: EntityFilter = .all) -> EntityScan {
    let scope: ReadScope =
      if case .ids(let ids) = filter, ids.count <= Self.seekLimit {
        .entities(
          ids.map { EntityKey(table: table, id: $0[...]) }.filter { !start.overlay.contains($0) }
        )
      } else {
        .table(table)
      }
    return EntityScan(start.restricted(to: scope), table, filter)
  }
}

extension ReadView {
  /// The entities at a revision, from the nearest snapshot at or before it.
  ///
  /// O(the deltas after that snapshot).
  ///
  /// - Parameters:
  ///   - skipping: how many of the nearest snapshots to skip, because a scan met damage in one; the last is
  ///     never skipped.
  ///   - scope: what will be scanned; the changes of other entities are not held in memory.
  package func state(
    at revision: Revision,
    skipping: Int = 0,
    scope: ReadScope = .everything
  ) throws -> EntityState {
    // A scan that reads at two revisions does not know at which of them it met the damage. So the last
    // snapshot that leads to one is never skipped.
    var left = min(skipping, snapshots(.anchors, upTo: revision).count - 1)
    let reading = try read(at: revision, extent: .visited, scope: scope) { merge in
      if left > 0 {
        left -= 1
        throw CorruptionError("its entities cannot be read")
      }
      return merge
    }
    return EntityState(revision: revision, start: reading.contents)
  }

  /// The entities of a table at a revision that pass a filter, to be gone through once.
  ///
  /// Like ``state(at:skipping:scope:)`` and a scan of it. If the journal has indexes, only the deltas are
  /// read that the named entities need, or those of the first chunk: a caller may want only a few.
  package func scan(
    _ table: String,
    _ filter: EntityFilter,
    at revision: Revision,
    skipping: Int = 0
  ) throws -> EntityScan {
    switch filter {
    case .ids(let ids) where ids.count <= EntityState.seekLimit:
      let scope = ReadScope.entities(filter.keys(of: table) ?? [])
      return try state(at: revision, skipping: skipping, scope: scope).scan(table, filter)
    case .all:
      guard let id = try endOfFirstChunk(of: table, at: revision) else { break }
      func part(from: [UInt8]?, before: [UInt8]?) throws -> MergeIterator {
        let scope = ReadScope.range(table: table, from: from, before: before)
        return try state(at: revision, skipping: skipping, scope: scope).start
      }
      return EntityScan(try part(from: nil, before: id), table, before: id) {
        try part(from: id, before: nil)
      }
    case .ids, .range: break
    }
    return try state(at: revision, skipping: skipping, scope: .table(table)).scan(table, filter)
  }

  /// Where the second chunk of a table begins, in the snapshot from which a revision is read.
  ///
  /// Nil if there is none, if the journal has no index for most deltas after it, or if its list is damaged: then
  /// an older snapshot may lead there.
  private func endOfFirstChunk(of table: String, at revision: Revision) throws -> [UInt8]? {
    guard let base = snapshots(.anchors, upTo: revision).first,
      let indexed = try journal.lastIndexed()
    else { return nil }
    let (start, end) = (base.header.revision.number, revision.number)
    guard min(indexed.number, end) - start > (end - start) / 2 else { return nil }
    do {
      return try cursor(base, .table(table)).listing.dropFirst().first?.first
    } catch is CorruptionError {
      return nil
    }
  }

  /// The oldest revision from which every later one can be read.
  package var oldest: Revision { anchors.last?.header.revision ?? last.revision }

  /// Replays the deltas after a revision, and verifies them.
  ///
  /// - Throws: `.trimmed`, `.merged` or `.notReached` if the journal does not continue the revision.
  package func changes(after revision: Revision) throws -> JournalReplay {
    guard revision < last.revision else { return replay(after: last.revision, chain: last.chain) }
    return replay(after: revision, chain: try chain(before: revision.next))
  }
}
