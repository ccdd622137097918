/// Which fields of a record have values, read without the values.
///
/// O(1) for each field.
package struct FieldPresence {
  /// What a record has of a field.
  package enum Content: UInt8, Sendable {
    case absent, null
    /// A value of the kind that the layout says.
    case value
    /// A value of another kind.
    case tagged
  }

  private let map: ArraySlice<UInt8>

  /// - Parameter record: a record that was checked.
  ///
  /// Nil for a record that has members beside its layout, or is a value of its own.
  package init?(_ record: ArraySlice<UInt8>, _ layout: Layout) {
    map = record.prefix(layout.fields.count / 4 + 1)
    guard let first = map.first, first & 3 == 0, map.count == layout.fields.count / 4 + 1 else {
      return nil
    }
  }

  /// What the record has of the field with this number in the layout.
  package subscript(field: Int) -> Content {
    let byte = map[map.startIndex + (field + 1) / 4]
    return Content(rawValue: byte >> UInt8((field + 1) % 4 * 2) & 3) ?? .absent
  }

  /// Whether another record of the same layout has the same.
  package func isSame(as other: FieldPresence) -> Bool { map.elementsEqual(other.map) }
}
