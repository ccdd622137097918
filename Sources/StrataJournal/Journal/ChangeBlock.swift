package import StrataRecords

/// A block of entity changes as stored: one of the blocks of a delta, or a chunk of a snapshot.
///
/// ```
/// block     varint count of tables, table*, then the records one after another
/// table    text name, varint count of entries, entry*
/// entry    op byte (0 put, 1 remove, 2 not persisted, 3 put of a moved record), varint length of the ID, the encoded ID,
///          for a put: varint layout, varint length of the record,
///          for a moved record: text name of its former table, varint length of its former ID, that encoded ID
/// ```
///
/// The list of entries comes first, so the records need not be read to know what changed.
package struct ChangeBlock: Sendable {
  /// The change of one entity.
  ///
  /// Offsets are into `bytes`.
  package struct Entry: Sendable {
    package enum Change: Sendable, Equatable {
      case put(layout: Int64, record: Range<Int>)
      case remove
      /// The entity could not be encoded: the file has an older record of it, or none.
      case notPersisted
    }

    // A store with a long journal holds many of these, so it has 32 bytes.
    private let layout: Int64
    private let tableNumber: Int32
    private let idStart: Int32
    private let idEnd: Int32
    private var recordStart: Int32 = 0
    /// The end of a put's record; else one of the marks.
    private var recordEnd: Int32

    private static let removeMark: Int32 = -1
    private static let notPersistedMark: Int32 = -2

    init(table: Int, id: Range<Int>, change: Change) {
      (tableNumber, idStart, idEnd) = (Int32(table), Int32(id.lowerBound), Int32(id.upperBound))
      switch change {
      case .put(let layout, let record):
        self.layout = layout
        (recordStart, recordEnd) = (Int32(record.lowerBound), Int32(record.upperBound))
      case .remove: (layout, recordEnd) = (0, Self.removeMark)
      case .notPersisted: (layout, recordEnd) = (0, Self.notPersistedMark)
      }
    }

    package var table: Int { Int(tableNumber) }

    package var id: Range<Int> { Range(uncheckedBounds: (Int(idStart), Int(idEnd))) }

    package var change: Change {
      switch recordEnd {
      case Self.removeMark: .remove
      case Self.notPersistedMark: .notPersisted
      default:
        .put(
          layout: layout,
          record: Range(uncheckedBounds: (Int(recordStart), Int(recordEnd)))
        )
      }
    }

    /// Moves the record of a put.
    fileprivate mutating func moveRecord(to start: Int) {
      recordEnd += Int32(start) - recordStart
      recordStart = Int32(start)
    }
  }

  package let bytes: [UInt8]
  package let tables: [String]
  package let entries: [Entry]
  /// The keys that moved records had before, by the start of their IDs.
  private let formers: [Int: EntityKey]

  /// Reads the list of entries; the records are not copied.
  ///
  /// O(entries).
  package init(_ bytes: [UInt8]) throws(RecordError) {
    guard bytes.count < Int32.max else { throw .countTooLarge(UInt64(bytes.count), at: 0) }
    (tables, entries, formers) = try bytes[...].withCursor { cursor throws(RecordError) in
      try Self.list(&cursor, of: bytes)
    }
    self.bytes = bytes
  }

  /// A block in memory only: its entries have the places of their IDs and records in the bytes.
  package init(bytes: [UInt8], tables: [String], entries: [Entry]) {
    (self.bytes, self.tables, self.entries, formers) = (bytes, tables, entries, [:])
  }

  /// The most tables and entries that a block may have.
  ///
  /// The encoders end a block at 1 MB, before it has a third of this.
  package static let mostEntries = 1 << 20

  private static func list(
    _ cursor: inout ByteCursor,
    of bytes: [UInt8]
  ) throws(RecordError) -> (tables: [String], entries: [Entry], formers: [Int: EntityKey]) {
    var tables: [String] = []
    var entries: [Entry] = []
    var formers: [Int: EntityKey] = [:]
    for table in 0..<(try cursor.count()) {
      guard tables.count + entries.count < mostEntries else { throw .tooManyEntries }
      tables.append(try cursor.text())
      let count = try cursor.count()
      if entries.isEmpty { entries.reserveCapacity(min(count, firstRoom)) }
      guard count <= mostEntries - tables.count - entries.count else { throw .tooManyEntries }
      for _ in 0..<count {
        let op = try cursor.byte()
        let id = try cursor.block()
        let change: Entry.Change
        switch op {
        case 0, 3:
          let layout = Int64(bitPattern: try cursor.varint())
          let length = try cursor.varint()
          guard length <= UInt64(bytes.count) else { throw .truncated(at: bytes.count) }
          change = .put(layout: layout, record: 0..<Int(length))
          if op == 3 {
            let former = try cursor.text()
            formers[id.lowerBound] = EntityKey(table: former, id: bytes[try cursor.block()])
          }
        case 1: change = .remove
        case 2: change = .notPersisted
        default: throw .badTag(op, at: id.lowerBound)
        }
        entries.append(Entry(table: table, id: id, change: change))
      }
    }
    try locate(&entries, from: cursor.offset, to: bytes.count)
    return (tables, entries, formers)
  }

  /// Calls a closure with the table and the encoded ID of each change of the block in some bytes.
  ///
  /// O(entries).
  static func forEachID(
    in bytes: UnsafeRawBufferPointer,
    _ body: (String, UnsafeRawBufferPointer) -> Void
  ) throws(RecordError) {
    try bytes.withCursor { cursor throws(RecordError) in
      for _ in 0..<(try cursor.count()) {
        let table = try cursor.text()
        for _ in 0..<(try cursor.count()) {
          let op = try cursor.byte()
          body(table, cursor[try cursor.block()])
          guard op == 0 || op == 3 else { continue }
          _ = try (cursor.varint(), cursor.varint())
          if op == 3 { _ = try (cursor.text(), cursor.block()) }
        }
      }
    }
  }

  /// The most entries for which memory is reserved before they are read, as a damaged count may be huge.
  private static let firstRoom = 1_024

  /// Reads a block; an error names the place where it was found.
  package init(_ bytes: [UInt8], of place: String) throws(CorruptionError) {
    do {
      try self.init(bytes)
    } catch {
      throw CorruptionError("\(place) cannot be read: \(error)")
    }
  }

  /// Sets the range of each record, now that the length of the list is known.
  private static func locate(
    _ entries: inout [Entry],
    from start: Int,
    to end: Int
  ) throws(RecordError) {
    var offset = start
    for index in entries.indices {
      guard case .put(_, let record) = entries[index].change else { continue }
      guard record.count <= end - offset else { throw .truncated(at: end) }
      entries[index].moveRecord(to: offset)
      offset += record.count
    }
    guard offset == end else { throw .trailingBytes(at: offset) }
  }

  package func table(of entry: Entry) -> String { tables[entry.table] }

  package func id(of entry: Entry) -> ArraySlice<UInt8> { bytes[entry.id] }

  /// The key that a moved record had before a migration gave it another ID or its table another name; nil for any other
  /// change.
  package func former(of entry: Entry) -> EntityKey? { formers[entry.id.lowerBound] }

  /// The numbers of the layouts that its records are read with.
  package var layouts: Set<Int64> { Set(layoutNumbers) }

  /// The same numbers in ascending order; mostly there is one.
  package var layoutNumbers: [Int64] {
    var numbers: [Int64] = []
    for entry in entries {
      guard case .put(let layout, _) = entry.change, numbers.last != layout,
        !numbers.contains(layout)
      else { continue }
      numbers.append(layout)
    }
    return numbers.sorted()
  }

  /// The size of the records.
  var recordBytes: Int {
    entries.reduce(0) { sum, entry in
      if case .put(_, let record) = entry.change { sum + record.count } else { sum }
    }
  }

  /// Whether the entries, which are of one table, are in the order of their IDs, each once.
  var isInOrder: Bool {
    bytes.withUnsafeBytes { bytes in
      zip(entries, entries.dropFirst()).allSatisfy { entry, next in
        EntityKey.precedes(.init(rebasing: bytes[entry.id]), .init(rebasing: bytes[next.id]))
      }
    }
  }

  /// Whether every entry is a put.
  var holdsOnlyPuts: Bool {
    entries.allSatisfy { if case .put = $0.change { true } else { false } }
  }
}

/// The part of a database that a read needs.
package enum ReadScope {
  case everything
  /// The entities of a table.
  case table(String)
  /// The entities with these keys.
  case entities([EntityKey])
  /// The entities of a table whose encoded IDs are in a range.
  case range(table: String, from: [UInt8]?, before: [UInt8]?)

  /// Whether an entry of a block is in the scope.
  func contains(_ entry: ChangeBlock.Entry, of block: ChangeBlock) -> Bool {
    switch self {
    case .everything: true
    case .table(let table): block.table(of: entry) == table
    case .entities(let keys):
      keys.contains { key in
        key.id.count == entry.id.count && key.table == block.table(of: entry)
          && key.id == block.id(of: entry)
      }
    case .range(let table, let from, let before):
      block.table(of: entry) == table && block.id(of: entry).isIn(from: from, before: before)
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether an encoded ID is in a range.
  func isIn(from: [UInt8]?, before: [UInt8]?) -> Bool {
    if let from, lexicographicallyPrecedes(from) { return false }
    return before.map { lexicographicallyPrecedes($0) } ?? true
  }
}
