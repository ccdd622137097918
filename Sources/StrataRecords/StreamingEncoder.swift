/// A place in a ``StreamingEncoding``, as the encoder that a value is written to.
///
/// Three words, so that it fits into an existential without an allocation.
struct StreamingEncoder {
  let stream: StreamingEncoding
  let depth: Int
  let serial: Int

  /// A part at a place, as the encoder of a value that writes itself.
  func part(_ shape: LayoutTables.Shape?) throws -> StreamingEncoder {
    guard let shape else { throw StreamingEncoding.GivenUp() }
    return stream.open(shape)
  }

  /// An encoder of which nothing counts any more.
  func givenUp() -> StreamingEncoder {
    stream.giveUp()
    return self
  }

  /// Appends a value that is stored as a scalar of its own.
  func put(_ leaf: RecordValue, as shape: LayoutTables.Shape?, at depth: Int) {
    guard let scalar = leaf.scalar else { return stream.giveUp() }
    stream.put(scalar, as: shape, at: depth) { leaf.appendPayload(to: &$0) }
  }
}

extension StreamingEncoder: Encoder {
  /// Whoever asks where it is may write by it, and here nobody keeps count.
  var codingPath: [any CodingKey] {
    stream.giveUp()
    return []
  }

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    stream.beginRecord(self)
    return KeyedEncodingContainer(KeyedStreamingPlace<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    stream.beginArray(self)
    return UnkeyedStreamingPlace(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension StreamingEncoder: SingleValueEncodingContainer {
  func encodeNil() {
    if stream.single(self) != nil { stream.putNull(at: depth) }
  }

  func encode(_ value: some Encodable) throws {
    if let leaf = RecordValue(leaf: value) {
      put(leaf, as: stream.single(self), at: depth)
    } else {
      try stream.encode(value, to: self)
    }
  }

  func encode(_ value: Bool) {
    stream.put(.bool, as: stream.single(self), at: depth) { $0.append(value ? 1 : 0) }
  }

  func encode(_ value: String) {
    stream.put(.string, as: stream.single(self), at: depth) { $0.appendText(value) }
  }

  func encode(_ value: Double) {
    stream.put(.double, as: stream.single(self), at: depth) { $0.appendFixed(value.bitPattern) }
  }

  func encode(_ value: Float) {
    stream.put(.float, as: stream.single(self), at: depth) { $0.appendFixed(value.bitPattern) }
  }

  func encode(_ value: Int) {
    stream.put(.int64, as: stream.single(self), at: depth) { $0.appendZigzag(Int64(value)) }
  }

  func encode(_ value: Int8) {
    stream.put(.int8, as: stream.single(self), at: depth) { $0.append(UInt8(bitPattern: value)) }
  }

  func encode(_ value: Int16) {
    stream.put(.int16, as: stream.single(self), at: depth) { $0.appendZigzag(Int64(value)) }
  }

  func encode(_ value: Int32) {
    stream.put(.int32, as: stream.single(self), at: depth) { $0.appendZigzag(Int64(value)) }
  }

  func encode(_ value: Int64) {
    stream.put(.int64, as: stream.single(self), at: depth) { $0.appendZigzag(value) }
  }

  func encode(_ value: UInt) {
    stream.put(.uint64, as: stream.single(self), at: depth) { $0.appendVarint(UInt64(value)) }
  }

  func encode(_ value: UInt8) {
    stream.put(.uint8, as: stream.single(self), at: depth) { $0.append(value) }
  }

  func encode(_ value: UInt16) {
    stream.put(.uint16, as: stream.single(self), at: depth) { $0.appendVarint(UInt64(value)) }
  }

  func encode(_ value: UInt32) {
    stream.put(.uint32, as: stream.single(self), at: depth) { $0.appendVarint(UInt64(value)) }
  }

  func encode(_ value: UInt64) {
    stream.put(.uint64, as: stream.single(self), at: depth) { $0.appendVarint(value) }
  }
}
