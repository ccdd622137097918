/// The elements of a value being encoded.
struct UnkeyedEncodingPlace: UnkeyedEncodingContainer {
  let node: EncodingNode

  var codingPath: [any CodingKey] { node.codingPath }
  var count: Int { node.slots.count }

  func encodeNil() { node.append(RecordValue.null) }
  func encode(_ value: Bool) { node.append(.bool(value)) }
  func encode(_ value: String) { node.append(.string(value)) }
  func encode(_ value: Double) { node.append(.double(value)) }
  func encode(_ value: Float) { node.append(.float(value)) }
  func encode(_ value: Int) { node.append(.int(Int64(value), .bits64)) }
  func encode(_ value: Int8) { node.append(.int(Int64(value), .bits8)) }
  func encode(_ value: Int16) { node.append(.int(Int64(value), .bits16)) }
  func encode(_ value: Int32) { node.append(.int(Int64(value), .bits32)) }
  func encode(_ value: Int64) { node.append(.int(value, .bits64)) }
  func encode(_ value: UInt) { node.append(.uint(UInt64(value), .bits64)) }
  func encode(_ value: UInt8) { node.append(.uint(UInt64(value), .bits8)) }
  func encode(_ value: UInt16) { node.append(.uint(UInt64(value), .bits16)) }
  func encode(_ value: UInt32) { node.append(.uint(UInt64(value), .bits32)) }
  func encode(_ value: UInt64) { node.append(.uint(value, .bits64)) }

  func encode(_ value: some Encodable) throws {
    if let leaf = RecordValue(leaf: value) {
      node.append(leaf)
    } else {
      node.append(try node.item(value, in: node.childElement()))
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> {
    nested().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    nested().unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    nested()
  }

  private func nested() -> EncodingNode {
    let child = node.childElement()
    node.append(.node(child))
    return child
  }
}
