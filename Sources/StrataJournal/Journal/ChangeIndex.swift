package import StrataBase
package import StrataRecords
import StrataSQLite

/// Which entities the deltas of a run change.
///
/// The file has one for about every thousand revisions. With it a reader finds the deltas that change an
/// entity without reading the others. The index is redundant: it can always be rebuilt from the deltas. A run
/// without an index, or with a damaged one, is read delta by delta, and restoring never uses it.
///
/// ```
/// index    varint of the first revision of the run,
///          varint count of the deltas with many changes, each: varint of the last revision of the run − its own,
///          varint count of tables, each: text name, varint length of its entries, entry*,
///          hash of the chain at the last revision and of all bytes before
/// entry    varint length of the ID, the encoded ID, varint of the last revision of the run − that of the delta
/// ```
///
/// The hash binds it to its deltas: in another history it counts as damaged. Tables are sorted by name as bytes,
/// entries by ID as bytes, then by revision. Each delta is named by its last revision.
package struct ChangeIndex {
  /// How many revisions a run has before it gets an index.
  static let revisionsOfRun: Int64 = 1_024
  /// The most changes of a delta that are listed one by one; a delta with more is only named.
  static let changesOfDelta = 256
  /// A run ends with the delta that reaches this many changes.
  static let changesOfRun = 8_192

  /// The last revision of the run.
  package let last: Revision
  let body: [UInt8]
}

/// Collects the changes of a run of deltas.
struct ChangeIndexBuilder {
  private struct Entry {
    let id: Range<Int>
    let revision: Int64
  }

  private struct Table {
    let name: String
    var entries: [Entry] = []
  }

  let first: Revision
  private(set) var last: Revision
  /// How many changes it lists.
  private(set) var count = 0
  private(set) var deltas = 0
  private var chain = Checksum(of: [])
  private var ids: [UInt8] = []
  private var tables: [Table] = []
  private var large: [Int64] = []

  init(after revision: Revision) {
    (first, last) = (revision.next, revision)
  }

  /// Adds the next delta.
  ///
  /// O(changes). A delta whose block cannot be read is only named.
  mutating func add(
    _ revision: Revision,
    entities: Int,
    blocks: Int,
    hash: Checksum,
    _ block: UnsafeRawBufferPointer
  ) {
    (last, chain) = (revision, hash)
    deltas += 1
    guard blocks == 1, entities <= ChangeIndex.changesOfDelta else {
      return large.append(revision.number)
    }
    do throws(RecordError) {
      try ChangeBlock.forEachID(in: block) { add($1, in: $0) }
    } catch {
      large.append(revision.number)
    }
  }

  private mutating func add(_ id: UnsafeRawBufferPointer, in table: String) {
    let start = ids.count
    ids.append(contentsOf: id)
    let entry = Entry(id: start..<ids.count, revision: last.number)
    count += 1
    // Mostly the same table changes again.
    if let place = tables.lastIndex(where: { $0.name == table }) {
      tables[place].entries.append(entry)
    } else {
      tables.append(Table(name: table, entries: [entry]))
    }
  }

  /// The index of what was added; O(n log n).
  mutating func finish() -> ChangeIndex {
    var body: [UInt8] = []
    body.reserveCapacity(ids.count + 4 * count + 64)
    body.appendVarint(UInt64(first.number))
    body.appendVarint(UInt64(large.count))
    for revision in large { body.appendVarint(UInt64(last.number - revision)) }
    body.appendVarint(UInt64(tables.count))
    tables = tables.inOrder { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    var entries: [UInt8] = []
    for table in tables {
      entries.removeAll(keepingCapacity: true)
      append(table, to: &entries)
      body.appendText(table.name)
      body.appendVarint(UInt64(entries.count))
      body += entries
    }
    body += ChangeIndex.hash(of: body, chain).bytes
    return ChangeIndex(last: last, body: body)
  }

  private func append(_ table: Table, to list: inout [UInt8]) {
    ids.withUnsafeBytes { ids in
      func id(_ entry: Entry) -> UnsafeRawBufferPointer { .init(rebasing: ids[entry.id]) }
      let sorted = table.entries.sorted { a, b in
        if EntityKey.precedes(id(a), id(b)) { return true }
        return a.revision < b.revision && !EntityKey.precedes(id(b), id(a))
      }
      for entry in sorted {
        list.appendVarint(UInt64(entry.id.count))
        list.append(contentsOf: id(entry))
        list.appendVarint(UInt64(last.number - entry.revision))
      }
    }
  }
}

/// A run of deltas, and which of them a reader needs.
struct IndexedRun {
  let first: Revision
  let last: Revision
  /// The chain at the last revision.
  let chain: Checksum
  /// The deltas that may change something that the reader wants, in order.
  let deltas: [Revision]
}

extension ChangeIndex {
  fileprivate static func hash(of body: [UInt8], _ chain: Checksum) -> Checksum {
    var builder = ChecksumBuilder(reservingCapacity: body.count + 32)
    return body.withUnsafeBytes { hash(of: $0, chain, &builder) }
  }

  private static func hash(
    of body: UnsafeRawBufferPointer,
    _ chain: Checksum,
    _ builder: inout ChecksumBuilder
  ) -> Checksum {
    builder.removeAll()
    builder.append(chain)
    builder.append(body)
    return builder.finalize()
  }

  /// The run of an index, with the deltas that a scope needs; nil if the index is damaged.
  ///
  /// O(changes of the run).
  ///
  /// - Parameter builder: for the hash; its memory is used again from index to index.
  static func run(
    of scope: IndexedScope,
    in body: UnsafeRawBufferPointer,
    last: Revision,
    chain: Checksum,
    _ builder: inout ChecksumBuilder
  ) -> IndexedRun? {
    guard let contents = contents(of: body, chain, &builder) else { return nil }
    var deltas: Set<Int64> = []
    do throws(RecordError) {
      let first = try contents.withCursor { cursor throws(RecordError) in
        let first = Int64(clamping: try cursor.varint())
        for _ in 0..<(try cursor.count()) { deltas.insert(try revision(&cursor, last)) }
        for _ in 0..<(try cursor.count()) {
          let table = try cursor.text()
          let entries = cursor[try cursor.block()]
          try scope.find(in: entries, of: table, last) { deltas.insert($0) }
        }
        return first
      }
      guard (1...last.number).contains(first), deltas.allSatisfy({ $0 >= first }) else {
        return nil
      }
      return IndexedRun(
        first: Revision(first),
        last: last,
        chain: chain,
        deltas: deltas.inOrder().map { Revision($0) }
      )
    } catch {
      return nil
    }
  }

  /// A revision as its distance from the last one.
  fileprivate static func revision(
    _ cursor: inout ByteCursor,
    _ last: Revision
  ) throws(RecordError) -> Int64 {
    last.number - Int64(clamping: min(try cursor.varint(), UInt64(last.number)))
  }
}

extension ChangeIndex {
  /// The contents of an index, to compare it with another one.
  package struct Contents: Equatable {
    package struct Change: Equatable {
      let id: [UInt8]
      let revision: Int64
    }

    package let first: Revision
    /// The deltas that are only named.
    package let large: [Int64]
    /// The changes by table.
    package let changes: [String: [Change]]
  }

  /// Whether it belongs to the chain at its last revision.
  package func isSound(at chain: Checksum) -> Bool {
    var builder = ChecksumBuilder(reservingCapacity: body.count + 32)
    return body.withUnsafeBytes { Self.contents(of: $0, chain, &builder) } != nil
  }

  /// The bytes before the hash; nil if the hash is not theirs.
  private static func contents(
    of body: UnsafeRawBufferPointer,
    _ chain: Checksum,
    _ builder: inout ChecksumBuilder
  ) -> UnsafeRawBufferPointer? {
    guard body.count > Checksum.byteCount else { return nil }
    let contents = UnsafeRawBufferPointer(rebasing: body.dropLast(Checksum.byteCount))
    let stored = Checksum(stored: .init(rebasing: body.suffix(Checksum.byteCount)))
    return stored == hash(of: contents, chain, &builder) ? contents : nil
  }

  /// Its contents for the deltas after a revision.
  package func contents(after revision: Revision) throws(RecordError) -> Contents {
    try body.dropLast(Checksum.byteCount).withCursor { cursor throws(RecordError) in
      let first = Revision(Int64(clamping: try cursor.varint()))
      var large: [Int64] = []
      for _ in 0..<(try cursor.count()) { large.append(try Self.revision(&cursor, last)) }
      var changes: [String: [Contents.Change]] = [:]
      for _ in 0..<(try cursor.count()) {
        let table = try cursor.text()
        changes[table] = try cursor[try cursor.block()].withCursor { cursor throws(RecordError) in
          var found: [Contents.Change] = []
          while cursor.remaining > 0 {
            let id = Array(cursor[try cursor.block()])
            let number = try Self.revision(&cursor, last)
            if number > revision.number { found.append(.init(id: id, revision: number)) }
          }
          return found.isEmpty ? nil : found
        }
      }
      return Contents(
        first: first,
        large: large.filter { $0 > revision.number },
        changes: changes
      )
    }
  }
}

/// A scope whose deltas an index can name: some entities, or a range of a table.
struct IndexedScope {
  private enum Wanted {
    /// The encoded IDs by table, sorted.
    case ids([String: [[UInt8]]])
    case range(table: String, from: [UInt8]?, before: [UInt8]?)
  }

  private let wanted: Wanted

  /// Nil for a scope that an index cannot narrow.
  init?(_ scope: ReadScope) {
    switch scope {
    case .everything, .table: return nil
    case .entities(let keys):
      let ids = Dictionary(grouping: keys, by: \.table).mapValues { keys in
        keys.map { Array($0.id) }.inOrder { $0.lexicographicallyPrecedes($1) }
      }
      wanted = .ids(ids)
    case .range(let table, let from, let before):
      wanted = .range(table: table, from: from, before: before)
    }
  }

  /// Finds the revisions of the entries of a table that are in the scope.
  fileprivate func find(
    in entries: UnsafeRawBufferPointer,
    of table: String,
    _ last: Revision,
    _ found: (Int64) -> Void
  ) throws(RecordError) {
    switch wanted {
    case .ids(let ids):
      guard let ids = ids[table] else { return }
      try find(ids, in: entries, last, found)
    case .range(table, let from, let before):
      try entries.withCursor { cursor throws(RecordError) in
        while cursor.remaining > 0 {
          let id = cursor[try cursor.block()]
          let revision = try ChangeIndex.revision(&cursor, last)
          if let before, !id.precedes(before) { return }
          if from.map({ !id.precedes($0) }) ?? true { found(revision) }
        }
      }
    case .range: return
    }
  }

  /// Both are sorted, so one pass goes through them together.
  private func find(
    _ ids: [[UInt8]],
    in entries: UnsafeRawBufferPointer,
    _ last: Revision,
    _ found: (Int64) -> Void
  ) throws(RecordError) {
    try entries.withCursor { cursor throws(RecordError) in
      var next = 0
      while cursor.remaining > 0 {
        let id = cursor[try cursor.block()]
        let revision = try ChangeIndex.revision(&cursor, last)
        while ids[next].precedes(id) {
          next += 1
          if next == ids.count { return }
        }
        if ids[next].count == id.count, !id.precedes(ids[next]) { found(revision) }
      }
    }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func precedes(_ other: [UInt8]) -> Bool {
    other.withUnsafeBytes { EntityKey.precedes(self, $0) }
  }
}

extension [UInt8] {
  fileprivate func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    withUnsafeBytes { EntityKey.precedes($0, other) }
  }
}

/// Writes the indexes of a journal as it grows.
package struct ChangeIndexer {
  private let journal: Journal
  /// The last revision of the last run that has an index, or where the first one begins.
  private var indexed: Revision

  /// The most runs that one call indexes: more than a group completes, because a file that was salvaged or
  /// pulled from an archive has no indexes yet.
  private static let runsAtOnce = 16

  /// - Parameter last: The last delta: indexes of later ones are removed.
  package init(_ journal: Journal, through last: Revision) throws {
    self.journal = journal
    indexed = last
    try Self.hinderingNothing { try journal.removeIndexes(after: last) }
    indexed = try journal.lastIndexed() ?? journal.first()?.previous ?? journal.lastRevision()
  }

  /// Runs a closure and ignores errors that concern an index alone: no index is required.
  ///
  /// - Throws: errors of the disk, which concern what is committed too.
  private static func hinderingNothing(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SQLiteError where error.isOfContents || error.mayBeOfIndex {
      return
    }
  }

  /// Indexes the runs of the file that are complete, each in a transaction of its own.
  ///
  /// O(their deltas): under a microsecond for one. The next call does the rest. It must not run in a caller's
  /// transaction: deltas from before the last snapshot may be damaged unnoticed, and SQLite fails a `COMMIT`
  /// after it met damage. A commit does not depend on them, so such a run just has no index.
  ///
  /// - Throws: errors of the disk.
  package mutating func extend(through last: Revision) throws {
    for _ in 0..<Self.runsAtOnce where last.number - indexed.number >= ChangeIndex.revisionsOfRun {
      // A compaction may have left no delta.
      guard let index = try CorruptionError.nilIfCorrupt({ try journal.changes(after: indexed) }),
        index.last > indexed
      else {
        indexed = last
        return
      }
      try Self.hinderingNothing { try journal.append(index) }
      indexed = index.last
    }
  }

  /// Checks the first index after a revision, and replaces it if it is damaged; returns where its run ends, nil if
  /// there is no further one.
  ///
  /// O(the index); O(the deltas of the run) for a damaged one. It is removed if the deltas are damaged.
  package func check(after revision: Revision) throws -> Revision? {
    let found = try CorruptionError.nilIfCorrupt { try journal.index(after: revision) }
    guard let (index, chain) = found ?? nil else { return nil }
    if index.isSound(at: chain) { return index.last }
    let start = max(revision, try journal.first()?.previous ?? revision)
    let new = try CorruptionError.nilIfCorrupt {
      try journal.changes(after: start, through: index.last)
    }
    try Self.hinderingNothing {
      if let new, new.last == index.last {
        try journal.append(new)
      } else {
        try journal.removeIndex(endingAt: index.last)
      }
    }
    return index.last
  }
}
