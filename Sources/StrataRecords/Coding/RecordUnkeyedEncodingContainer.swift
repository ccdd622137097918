/// The elements of a value being encoded.
struct RecordUnkeyedEncodingContainer: UnkeyedEncodingContainer {
  let encoding: RecordEncoding
  let frame: Int

  var codingPath: [any CodingKey] {
    encoding.parts.codingPath(of: frame, encoding.tables)
  }

  var count: Int { encoding.parts.count(of: frame) }

  private var place: RecordParts.Place { encoding.nextPlace(in: frame) }

  @inline(__always)
  private func put(_ scalar: Scalar, _ append: (inout [UInt8]) -> Void) {
    encoding.put(scalar, at: place, in: frame, append)
  }

  func encodeNil() { encoding.add(.null, at: place, in: frame) }

  func encode(_ value: some Encodable) throws {
    if let leaf = RecordValue(leaf: value) {
      encoding.put(leaf, at: place, in: frame)
    } else {
      try encoding.put(value, inFrameAt: place, in: frame)
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    encoding.superEncoder(at: place, in: frame).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    encoding.superEncoder(at: place, in: frame).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoding.superEncoder(at: place, in: frame) }

  func encode(_ value: Bool) { put(.bool) { $0.append(value ? 1 : 0) } }
  func encode(_ value: String) { put(.string) { $0.appendText(value) } }
  func encode(_ value: Double) { put(.double) { $0.appendFixed(value.bitPattern) } }
  func encode(_ value: Float) { put(.float) { $0.appendFixed(value.bitPattern) } }
  func encode(_ value: Int) { put(.int64) { $0.appendZigzag(Int64(value)) } }
  func encode(_ value: Int8) { put(.int8) { $0.append(UInt8(bitPattern: value)) } }
  func encode(_ value: Int16) { put(.int16) { $0.appendZigzag(Int64(value)) } }
  func encode(_ value: Int32) { put(.int32) { $0.appendZigzag(Int64(value)) } }
  func encode(_ value: Int64) { put(.int64) { $0.appendZigzag(value) } }
  func encode(_ value: UInt) { put(.uint64) { $0.appendVarint(UInt64(value)) } }
  func encode(_ value: UInt8) { put(.uint8) { $0.append(value) } }
  func encode(_ value: UInt16) { put(.uint16) { $0.appendVarint(UInt64(value)) } }
  func encode(_ value: UInt32) { put(.uint32) { $0.appendVarint(UInt64(value)) } }
  func encode(_ value: UInt64) { put(.uint64) { $0.appendVarint(value) } }
}
