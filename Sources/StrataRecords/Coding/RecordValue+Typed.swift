import Foundation

/// Values in and out, for those who work on records without their types.
extension RecordValue {
  /// A whole number, stored as an `Int` is.
  public static func integer(_ value: Int) -> RecordValue { .int(Int64(value), .bits64) }

  /// The text; nil for any other kind.
  public var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The number as an integer; nil for any other kind, and for numbers that are not integers.
  public var integer: Int64? {
    switch self {
    case .int(let value, _): value
    case .uint(let value, _): Int64(exactly: value)
    case .float(let value): Int64(exactly: value)
    case .double(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The number; nil for any other kind, and for integers that a `Double` cannot hold.
  public var number: Double? {
    switch self {
    case .int(let value, _): Double(exactly: value)
    case .uint(let value, _): Double(exactly: value)
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// The truth value; nil for any other kind.
  public var truth: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The elements of an array; nil for any other kind.
  public var elements: [RecordValue]? {
    if case .array(let elements) = self { Array(elements) } else { nil }
  }

  /// The members of an object; nil for any other kind.
  public var members: [Member]? {
    if case .object(let members) = self { Array(members) } else { nil }
  }

  /// The value as a type.
  ///
  /// - Throws: `DecodingError` if it is of another type.
  package func decoded<Value: Decodable>(
    as type: Value.Type,
    _ userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Value {
    var record = [ValueLocation.loneValue]
    appendTagged(to: &record)
    let reader = try RecordReader(layout: .empty)
    reader.setUserInfo(userInfo)
    return try reader.decode(type, from: record)
  }

  /// The value as its type stores it.
  ///
  /// - Throws: what its `encode(to:)` throws.
  package init(
    encoding value: some Encodable,
    _ userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws {
    if let leaf = RecordValue(leaf: value) {
      self = leaf
      return
    }
    let encoding = RecordEncoding(.empty, keyTypes: KeyTypes(), reusing: RecordParts())
    encoding.userInfo = userInfo
    try encoding.encode(value)
    let tagged = try RecordEmitter.tagged(encoding.takeParts(), .empty)
    self = try RecordValue(tagged: tagged[...])
  }

  /// Reads a tagged value; throws for other bytes.
  package init(taggedBytes bytes: [UInt8]) throws(RecordError) { try self.init(tagged: bytes[...]) }

  /// The value, preceded by its tag.
  package var taggedBytes: [UInt8] {
    var bytes: [UInt8] = []
    appendTagged(to: &bytes)
    return bytes
  }
}
