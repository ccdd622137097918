internal import Foundation

/// The raw value of an entity's ID as bytes that sort as the IDs do.
///
/// ```
/// 1  int      8 bytes, highest first, sign bit flipped: every integer up to Int64.max, of any width
/// 2  uint     8 bytes, highest first: the integers above
/// 3  string   UTF-8 of the text in Unicode's composed form (NFC)
/// 4  uuid     16 bytes
/// 5  other    tagged value (as in records)
/// ```
///
/// Comparing bytes compares integers as numbers, UUIDs by their text, and strings by their composed form, as
/// Swift does when it compares two strings, and so two IDs.
package enum EncodedID {
  enum Kind: UInt8 {
    case int = 1, uint, string, uuid, other
  }

  /// The bytes of a value that stands for an ID's raw value.
  package static func bytes(of value: RecordValue) -> [UInt8] {
    switch value {
    case .int(let value, _): return number(.int, UInt64(bitPattern: value) ^ 1 << 63)
    case .uint(let value, _):
      return value > UInt64(Int64.max) ? number(.uint, value) : number(.int, value ^ 1 << 63)
    case .string(let value): return [Kind.string.rawValue] + value.composed.utf8
    case .uuid(let value):
      return withUnsafeBytes(of: value.uuid) { [Kind.uuid.rawValue] + $0 }
    default:
      var bytes = [Kind.other.rawValue]
      value.composed.appendTagged(to: &bytes)
      return bytes
    }
  }

  /// The raw value that has these bytes; integers come back 64 bits wide.
  ///
  /// - Throws: `RecordError` if the bytes are not those of an ID.
  package static func value(of bytes: [UInt8]) throws(RecordError) -> RecordValue {
    try bytes[...].withCursor { cursor throws(RecordError) in try value(&cursor, bytes) }
  }

  private static func value(
    _ cursor: inout ByteCursor,
    _ bytes: [UInt8]
  ) throws(RecordError) -> RecordValue {
    let byte = try cursor.byte()
    let value: RecordValue
    switch Kind(rawValue: byte) {
    case .int:
      let bits = try cursor.fixed(UInt64.self).byteSwapped ^ 1 << 63
      value = .int(Int64(bitPattern: bits), .bits64)
    case .uint: value = .uint(try cursor.fixed(UInt64.self).byteSwapped, .bits64)
    case .string: return .string(try cursor.remainingText())
    case .uuid: value = try cursor.uuid(.uuid).map(RecordValue.uuid) ?? .null
    case .other: return try RecordValue(tagged: bytes[1...])
    case nil: throw .badTag(byte, at: 0)
    }
    guard cursor.remaining == 0 else { throw .trailingBytes(at: cursor.offset) }
    return value
  }

  /// The raw value that has these bytes, if it is an integer of up to `Int64.max`.
  ///
  /// - Throws: as ``value(of:)``.
  package static func integer(of bytes: [UInt8]) throws(RecordError) -> Int64? {
    guard case .int(let number, _) = try value(of: bytes) else { return nil }
    return number
  }

  /// Bytes above those of each such integer, and below those of every other ID.
  package static var endOfIntegers: [UInt8] { [Kind.uint.rawValue] }

  /// The first bytes of the IDs whose raw values are of a kind; nil where they are tagged values.
  package static func firstBytes(of kind: Layout.Kind) -> Set<UInt8>? {
    guard case .scalar(let scalar) = kind else { return nil }
    return switch scalar {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: [Kind.int.rawValue]
    case .uint64: [Kind.int.rawValue, Kind.uint.rawValue]
    case .string: [Kind.string.rawValue]
    case .uuid: [Kind.uuid.rawValue]
    case .bool, .float, .double, .data, .date, .url, .decimal: nil
    }
  }
}

extension EncodedID {
  private static func number(_ kind: Kind, _ value: UInt64) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { [kind.rawValue] + $0 }
  }
}
