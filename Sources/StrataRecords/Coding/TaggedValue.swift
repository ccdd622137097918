/// A value preceded by its tag, outside of any record: it is read without a layout.
package enum TaggedValue {
  /// The bytes of any value.
  ///
  /// - Throws: what its `encode(to:)` throws, and `RecordError` as for records.
  package static func bytes(of value: some Encodable) throws -> [UInt8] {
    let encoding = RecordEncoding(.empty, keyTypes: KeyTypes(), reusing: RecordParts())
    try encoding.encode(value)
    return try RecordEmitter.tagged(encoding.takeParts(), .empty)
  }

  /// The bytes of a value without a type.
  package static func bytes(of value: RecordValue) -> [UInt8] {
    var bytes: [UInt8] = []
    value.appendTagged(to: &bytes)
    return bytes
  }

  /// The value, without a type.
  ///
  /// - Throws: `RecordError` if the bytes are not a tagged value.
  package static func value(of bytes: [UInt8]) throws(RecordError) -> RecordValue {
    try RecordValue(tagged: bytes[...])
  }

  /// The value as a type.
  ///
  /// - Throws: `RecordError` if the bytes are not a tagged value, `DecodingError` if it is of another type.
  package static func decode<Value: Decodable>(
    _ type: Value.Type,
    from bytes: [UInt8]
  ) throws -> Value {
    try RecordReader(layout: .empty).decode(type, from: [ValueLocation.loneValue] + bytes)
  }
}
