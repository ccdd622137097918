/// Reads records of one layout back as values of a type.
///
/// ```swift
/// let reader = try RecordReader(layout: layout, defaults: (defaultBytes, defaultLayout))
/// let user = try reader.decode(User.self, from: bytes)
/// ```
///
/// The type may have moved on since the record was written. Fields it no longer has are ignored;
/// an absent optional is nil; an absent field that is not optional is taken from the defaults, a record
/// of the type's default value, at the same path; a number is read as any type that holds it exactly.
package struct RecordReader: Sendable {
  package let layout: Layout
  private let defaults: RecordTape?

  /// A reader for records of a layout; the defaults are taken apart once, here.
  ///
  /// - Throws: `RecordError` when the defaults are no record of their layout.
  package init(
    layout: Layout,
    defaults: (bytes: [UInt8], layout: Layout)? = nil
  ) throws(RecordError) {
    self.layout = layout
    if let defaults {
      self.defaults = try RecordTape(defaults.bytes[...], defaults.layout)
    } else {
      self.defaults = nil
    }
  }

  /// The value of a record.
  ///
  /// O(bytes). The bytes may be any: whatever they are, this returns or throws.
  ///
  /// - Throws: `RecordError` when the bytes are no record of the layout; `DecodingError` when the
  ///   record does not fit the type; what the type's `init(from:)` throws.
  package func decode<Value: Decodable>(
    _ type: Value.Type,
    from bytes: ArraySlice<UInt8>
  ) throws -> Value {
    let spot = TapeSpot(try RecordTape(bytes, layout), 0)
    let defaults = defaults.map { TapeSpot($0, 0) }
    return try DecodingNode(spot, defaults: defaults).decode(type)
  }

  /// The value of a record that has an array of its own.
  package func decode<Value: Decodable>(
    _ type: Value.Type,
    from bytes: [UInt8]
  ) throws -> Value {
    try decode(type, from: bytes[...])
  }
}
