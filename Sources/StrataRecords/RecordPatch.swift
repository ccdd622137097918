import Foundation

/// Replaces fields in the bytes of a record; all other fields keep their bytes.
///
/// ```swift
/// let patch = RecordPatch(layout)
/// let age = patch.field(named: "age")
/// let bytes = try patch.replacing([(age, .int(42, .bits64))], in: record)
/// ```
///
/// A value that does not fit the layout, or has parts, is not replaced: then the record has to be written
/// again.
package struct RecordPatch {
  private let layout: Layout

  package init(_ layout: Layout) { self.layout = layout }

  /// The number of a field; nil if the layout lacks it.
  package func field(named name: String) -> Int? {
    layout.tables.records[0].fieldNamed[name]
  }

  /// The record with these fields replaced, or without those whose value is nil; O(bytes).
  ///
  /// A field that holds references still does.
  ///
  /// - Returns: Nil for a value of another kind than the layout says, one with parts, and a record without fields.
  /// - Throws: `RecordError` if the bytes are not a record of the layout.
  package func replacing(
    _ values: [(field: Int, value: RecordValue?)],
    in record: ArraySlice<UInt8>
  ) throws(RecordError) -> [UInt8]? {
    try RecordLimits.check(size: record)
    let tables = layout.tables
    defer { extendLifetime(tables) }
    let scan = RecordScan(tables, texts: .unchecked)
    let table = tables.records[0]
    return try record.withCursor { cursor throws(RecordError) -> [UInt8]? in
      let map = cursor.offset
      guard cursor.remaining > 0, cursor.presence(0, map: map) < 2 else { return nil }
      try cursor.skip(table.mapSize)
      var bytes = Array(record[map..<cursor.offset])
      bytes.reserveCapacity(record.count + 16)
      for index in table.shapes.indices {
        let start = cursor.offset
        try scan.field(index, table.shapes[index], map, &cursor)
        guard let (_, value) = values.first(where: { $0.field == index }) else {
          bytes += record[start..<cursor.offset]
          continue
        }
        let references = layout.fields[index].references
        let stored = references.flatMap { value?.composed(at: $0) } ?? value
        guard let presence = Self.append(stored, table.shapes[index], to: &bytes) else {
          return nil
        }
        let (byte, shift) = ((index + 1) / 4, (index + 1) % 4 * 2)
        bytes[byte] = bytes[byte] & ~(3 << shift) | presence << shift
      }
      return bytes + record[cursor.offset...]
    }
  }

  /// Appends a value as that of a field, and gives the two bits for the map; nil if it does not fit.
  private static func append(
    _ value: RecordValue?,
    _ shape: LayoutTables.Shape,
    to bytes: inout [UInt8]
  ) -> UInt8? {
    guard let value else { return 0 }
    if value == .null { return 1 }
    guard let scalar = value.scalar else { return nil }
    if shape.kind == .tagged {
      bytes.append(scalar.rawValue)
    } else if scalar.rawValue != shape.kind.rawValue {
      return nil
    }
    value.appendPayload(to: &bytes)
    return 2
  }
}
