/// The members of a value being encoded.
struct KeyedEncodingPlace<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodingNode

  var codingPath: [any CodingKey] { node.codingPath }

  func put(_ value: RecordValue, _ key: Key) {
    if node.put(value, named: key.stringValue) { return }
    let place = node.place(for: key)
    node[place] = .value(value)
  }

  func encodeNil(forKey key: Key) { put(.null, key) }
  func encode(_ value: Bool, forKey key: Key) { put(.bool(value), key) }
  func encode(_ value: String, forKey key: Key) { put(.string(value), key) }
  func encode(_ value: Double, forKey key: Key) { put(.double(value), key) }
  func encode(_ value: Float, forKey key: Key) { put(.float(value), key) }
  func encode(_ value: Int, forKey key: Key) { put(.int(Int64(value), .bits64), key) }
  func encode(_ value: Int8, forKey key: Key) { put(.int(Int64(value), .bits8), key) }
  func encode(_ value: Int16, forKey key: Key) { put(.int(Int64(value), .bits16), key) }
  func encode(_ value: Int32, forKey key: Key) { put(.int(Int64(value), .bits32), key) }
  func encode(_ value: Int64, forKey key: Key) { put(.int(value, .bits64), key) }
  func encode(_ value: UInt, forKey key: Key) { put(.uint(UInt64(value), .bits64), key) }
  func encode(_ value: UInt8, forKey key: Key) { put(.uint(UInt64(value), .bits8), key) }
  func encode(_ value: UInt16, forKey key: Key) { put(.uint(UInt64(value), .bits16), key) }
  func encode(_ value: UInt32, forKey key: Key) { put(.uint(UInt64(value), .bits32), key) }
  func encode(_ value: UInt64, forKey key: Key) { put(.uint(value, .bits64), key) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    let place = node.place(for: key)
    if let leaf = RecordValue(leaf: value) {
      node[place] = .value(leaf)
    } else {
      node[place] = try node.item(value, in: node.child(at: place, key))
    }
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    nested(.keyed, key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(.unkeyed, key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    superEncoder(of: PlaceKey.superclass)
  }

  func superEncoder(forKey key: Key) -> any Encoder {
    superEncoder(of: key)
  }

  /// A container asked for again is the same container; one of another form takes its place.
  private func nested(_ form: EncodingNode.Form, _ key: Key) -> EncodingNode {
    let place = node.place(for: key)
    if case .node(let earlier) = node[place], earlier.form == form { return earlier }
    let child = node.child(at: place, key)
    node[place] = .node(child)
    return child
  }

  private func superEncoder(of key: some CodingKey) -> EncodingNode {
    let place = node.place(for: key)
    let child = node.child(at: place, key)
    node[place] = .node(child)
    return child
  }
}

/// Optionals without a value: they write nothing, and the layout learns that they exist.
extension KeyedEncodingPlace {
  private func note(_ key: Key) {
    let place = node.place(for: key)
    node[place] = .absent
  }

  func encodeIfPresent(_ value: Bool?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: String?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: Double?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: Float?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: Int?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: Int8?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: Int16?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: Int32?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: Int64?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: UInt?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: UInt8?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: UInt16?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: UInt32?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: UInt64?, forKey key: Key) {
    if let value { encode(value, forKey: key) } else { note(key) }
  }

  func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
    if let value { try encode(value, forKey: key) } else { note(key) }
  }
}
