/// Numbers and texts as record bytes.
///
/// ```
/// varint   7 bits a byte, lowest first; the high bit says that another byte follows; ≤ 10 bytes
/// zigzag   varint of 0, -1, 1, -2, 2 … as 0, 1, 2, 3, 4 …
/// text     varint of the count of UTF-8 bytes, the bytes
/// ```
extension [UInt8] {
  /// Appends an unsigned number in 1 to 10 bytes.
  package mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest > 0x7F {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends a signed number; small magnitudes take fewer bytes.
  package mutating func appendZigzag(_ value: Int64) {
    appendVarint(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// Appends all bytes of a number, lowest first.
  mutating func appendFixed(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  /// Appends a text, preceded by its length.
  package mutating func appendText(_ text: String) {
    let utf8 = text.utf8
    appendVarint(UInt64(utf8.count))
    append(contentsOf: utf8)
  }
}
