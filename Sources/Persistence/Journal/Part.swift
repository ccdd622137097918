/// A run of entity changes as stored: the body of a delta's part, and of a snapshot's chunk.
///
/// ```
/// part     varint count of tables, table*, then the records one after another
/// table    text name, varint count of entries, entry*
/// entry    op byte (0 put, 1 remove, 2 not persisted), varint length of the ID, the encoded ID,
///          for a put: varint layout, varint length of the record
/// ```
///
/// The list comes first, so whoever asks what changed does not read the records.
package struct Part: Sendable {
  /// What happened to one entity.
  ///
  /// Offsets are into `bytes`.
  package struct Entry: Sendable {
    package enum Change: Sendable, Equatable {
      case put(layout: Int64, record: Range<Int>)
      case remove
      /// The entity could not be encoded: what is stored for it is older than it.
      case notPersisted
    }

    package let table: Int
    package let id: Range<Int>
    package let change: Change
  }

  package let bytes: [UInt8]
  package let tables: [String]
  package let entries: [Entry]

  /// Reads the list of a part; the records stay where they are.
  ///
  /// O(entries).
  package init(_ bytes: [UInt8]) throws(RecordError) {
    var cursor = ByteCursor(bytes[...])
    var tables: [String] = []
    var entries: [Entry] = []
    var lengths: [Int] = []
    for table in 0..<(try cursor.count()) {
      tables.append(try cursor.text())
      for _ in 0..<(try cursor.count()) {
        let op = try cursor.byte()
        let id = try cursor.block()
        let change: Entry.Change
        switch op {
        case 0:
          let layout = Int64(bitPattern: try cursor.varint())
          let length = try cursor.varint()
          guard length <= UInt64(bytes.count) else { throw .truncated(at: bytes.count) }
          lengths.append(Int(length))
          change = .put(layout: layout, record: 0..<0)
        case 1: change = .remove
        case 2: change = .notPersisted
        default: throw .badTag(op, at: id.startIndex)
        }
        entries.append(Entry(table: table, id: id.startIndex..<id.endIndex, change: change))
      }
    }
    self.bytes = bytes
    self.tables = tables
    self.entries = try Self.locate(entries, lengths, from: cursor.offset, to: bytes.count)
  }

  /// Reads the list of a part that was found at `place`, which an error names.
  init(_ bytes: [UInt8], of place: String) throws(DamageFound) {
    do {
      try self.init(bytes)
    } catch {
      throw DamageFound("\(place) cannot be read: \(error)")
    }
  }

  /// Gives each put the place of its record, now that the length of the list is known.
  private static func locate(
    _ entries: [Entry],
    _ lengths: [Int],
    from start: Int,
    to end: Int
  ) throws(RecordError) -> [Entry] {
    var located = entries
    var offset = start
    var puts = lengths.makeIterator()
    for (index, entry) in entries.enumerated() {
      guard case .put(let layout, _) = entry.change, let length = puts.next() else { continue }
      guard length <= end - offset else { throw .truncated(at: end) }
      let change = Entry.Change.put(layout: layout, record: offset..<offset + length)
      located[index] = Entry(table: entry.table, id: entry.id, change: change)
      offset += length
    }
    guard offset == end else { throw .trailingBytes(at: offset) }
    return located
  }

  package func table(of entry: Entry) -> String { tables[entry.table] }

  package func id(of entry: Entry) -> ArraySlice<UInt8> { bytes[entry.id] }

  /// The layouts its records are read with.
  package var layouts: Set<Int64> {
    var layouts: Set<Int64> = []
    for case .put(let layout, _) in entries.lazy.map(\.change) { layouts.insert(layout) }
    return layouts
  }
}
