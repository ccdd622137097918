/// The entities that a field refers to: where in its value the IDs are, and of which tables.
///
/// It does not change how the value is stored: an ID is stored as its raw value, and so on.
///
/// ```
/// tables   1 text name            the value is the ID of an entity of this table
///          2 tables               of every element of an array
///          3 tables tables        of the keys and of the values of a dictionary; 0 for none
/// ```
package indirect enum ReferencedTables: Hashable, Sendable {
  /// The value is the ID of an entity of this table.
  case table(String)
  /// An array whose elements are references.
  case elements(ReferencedTables)
  /// A dictionary whose keys or values are references.
  ///
  /// A dictionary with texts as keys is an object, any other one an array of alternating keys and values.
  case dictionary(keys: ReferencedTables?, values: ReferencedTables?)
}

extension ReferencedTables {
  /// The byte in a layout that stands before the tables of a field.
  static let marker: UInt8 = 36

  func append(to bytes: inout [UInt8]) {
    switch self {
    case .table(let name):
      bytes.append(1)
      bytes.appendText(name)
    case .elements(let elements):
      bytes.append(2)
      elements.append(to: &bytes)
    case .dictionary(let keys, let values):
      bytes.append(3)
      for part in [keys, values] {
        if let part { part.append(to: &bytes) } else { bytes.append(0) }
      }
    }
  }

  /// The tables at the cursor; `left` is how many more parts a layout may have.
  init(_ cursor: inout ByteCursor, depth: Int, _ left: inout Int) throws(RecordError) {
    let start = cursor.offset
    guard let tables = try Self.optional(&cursor, depth: depth, &left) else {
      throw .badTag(0, at: start)
    }
    self = tables
  }

  private static func optional(
    _ cursor: inout ByteCursor,
    depth: Int,
    _ left: inout Int
  ) throws(RecordError) -> ReferencedTables? {
    guard RecordLimits.allow(depth: depth) else { throw .tooDeep }
    guard left > 0 else { throw .tooManyFields }
    left -= 1
    let start = cursor.offset
    let byte = try cursor.byte()
    switch byte {
    case 0: return nil
    case 1: return .table(try cursor.text())
    case 2: return .elements(try ReferencedTables(&cursor, depth: depth + 1, &left))
    case 3:
      let keys = try optional(&cursor, depth: depth + 1, &left)
      let values = try optional(&cursor, depth: depth + 1, &left)
      guard keys != nil || values != nil else { throw .badTag(byte, at: start) }
      return .dictionary(keys: keys, values: values)
    default: throw .badTag(byte, at: start)
    }
  }
}

extension ReferencedTables: CustomStringConvertible {
  /// As a person reads it: `users`, `keys users and values teams`.
  package var description: String {
    switch self {
    case .table(let name): return name
    case .elements(let elements): return elements.description
    case .dictionary(let keys, let values):
      let named = [keys.map { "keys \($0)" }, values.map { "values \($0)" }]
      return named.compactMap { $0 }.joined(separator: " and ")
    }
  }
}
