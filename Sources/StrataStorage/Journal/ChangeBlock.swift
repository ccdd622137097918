package import StrataRecords

/// A block of entity changes as stored: one of the blocks of a delta, or a chunk of a snapshot.
///
/// ```
/// block     varint count of tables, table*, then the records one after another
/// table    text name, varint count of entries, entry*
/// entry    op byte (0 put, 1 remove, 2 not persisted), varint length of the ID, the encoded ID,
///          for a put: varint layout, varint length of the record
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

    package let table: Int
    package let id: Range<Int>
    package fileprivate(set) var change: Change
  }

  package let bytes: [UInt8]
  package let tables: [String]
  package let entries: [Entry]

  /// Reads the list of entries; the records are not copied.
  ///
  /// O(entries).
  package init(_ bytes: [UInt8]) throws(RecordError) {
    (tables, entries) = try bytes[...].withCursor { cursor throws(RecordError) in
      try Self.list(&cursor, of: bytes)
    }
    self.bytes = bytes
  }

  /// The most tables and entries that a block may have.
  ///
  /// The encoders end a block at 1 MB, before it has a third of this.
  package static let mostEntries = 1 << 20

  private static func list(
    _ cursor: inout ByteCursor,
    of bytes: [UInt8]
  ) throws(RecordError) -> (tables: [String], entries: [Entry]) {
    var tables: [String] = []
    var entries: [Entry] = []
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
        case 0:
          let layout = Int64(bitPattern: try cursor.varint())
          let length = try cursor.varint()
          guard length <= UInt64(bytes.count) else { throw .truncated(at: bytes.count) }
          change = .put(layout: layout, record: 0..<Int(length))
        case 1: change = .remove
        case 2: change = .notPersisted
        default: throw .badTag(op, at: id.lowerBound)
        }
        entries.append(Entry(table: table, id: id, change: change))
      }
    }
    try locate(&entries, from: cursor.offset, to: bytes.count)
    return (tables, entries)
  }

  /// The most entries for which memory is reserved before they are read, as a damaged count may be huge.
  private static let firstRoom = 1_024

  /// Reads a block; an error names the place where it was found.
  init(_ bytes: [UInt8], of place: String) throws(CorruptionError) {
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
      guard case .put(let layout, let record) = entries[index].change else { continue }
      guard record.count <= end - offset else { throw .truncated(at: end) }
      entries[index].change = .put(layout: layout, record: offset..<offset + record.count)
      offset += record.count
    }
    guard offset == end else { throw .trailingBytes(at: offset) }
  }

  package func table(of entry: Entry) -> String { tables[entry.table] }

  package func id(of entry: Entry) -> ArraySlice<UInt8> { bytes[entry.id] }

  /// The numbers of the layouts that its records are read with.
  package var layouts: Set<Int64> { Set(layoutNumbers) }

  /// The same numbers in ascending order; mostly there is one.
  var layoutNumbers: [Int64] {
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

  /// Whether every entry is a put.
  var holdsOnlyPuts: Bool {
    entries.allSatisfy { if case .put = $0.change { true } else { false } }
  }
}
