extension EncodedID {
  /// The bytes of an ID's raw value: equal values have equal bytes, in every process.
  ///
  /// - Throws: what the value's `encode(to:)` throws, and `RecordError` as for records.
  package static func bytes(of raw: some Encodable) throws -> [UInt8] {
    if let leaf = RecordValue(leaf: raw) { return bytes(of: leaf) }
    let encoding = RecordEncoding(.empty, keyTypes: KeyTypes(), reusing: RecordParts())
    try encoding.encode(raw, .composed)
    let tagged = try RecordEmitter.tagged(encoding.takeParts(), .empty)
    return bytes(of: try RecordValue(tagged: tagged[...]))
  }

  /// Whether bytes are those of an ID's raw value; integers and most texts are compared in place.
  ///
  /// - Throws: like ``bytes(of:)``.
  package static func isEncoding(
    _ bytes: ArraySlice<UInt8>,
    of raw: some Encodable
  ) throws -> Bool {
    switch RecordValue(leaf: raw) {
    case .int(let value, _)?:
      return bytes.withUnsafeBytes { bytes in
        bytes.count == 9 && bytes[0] == Kind.int.rawValue
          && bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self).byteSwapped
            == UInt64(bitPattern: value) ^ 1 << 63
      }
    case .string(var value)?:
      let isText = value.withUTF8 { text in
        bytes.dropFirst().withUnsafeBytes { $0.isEqual(to: UnsafeRawBufferPointer(text)) }
      }
      if isText, bytes.first == Kind.string.rawValue { return true }
    default: break
    }
    let encoded = try Self.bytes(of: raw)
    return bytes.withUnsafeBytes { bytes in encoded.withUnsafeBytes { bytes.isEqual(to: $0) } }
  }

  /// Whether the raw value of a type that is decoded from its bytes has the same bytes again.
  ///
  /// O(1) for the types that are stored as scalars: they always have.
  ///
  /// - Throws: what decoding and encoding the value throw.
  package static func isKept<Raw: Codable>(_ bytes: [UInt8], by type: Raw.Type) throws -> Bool {
    if LeafType(type) != nil { return true }
    return try Self.bytes(of: decode(type, from: bytes)) == bytes
  }

  /// The raw value that has these bytes, as a type.
  ///
  /// - Throws: `RecordError` if the bytes are not those of an ID, `DecodingError` if the ID is of another
  ///   type.
  package static func decode<Raw: Decodable>(_ type: Raw.Type, from bytes: [UInt8]) throws -> Raw {
    var record = [ValueLocation.loneValue]
    if bytes.first == Kind.other.rawValue {
      record += bytes.dropFirst()
    } else {
      try value(of: bytes).appendTagged(to: &record)
    }
    return try RecordReader(layout: .empty).decode(type, from: record)
  }
}
