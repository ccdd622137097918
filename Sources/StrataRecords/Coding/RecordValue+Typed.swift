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

  /// Converts a number to the kind of another number if that is exact; returns other values unchanged.
  package func keepingKind(of other: RecordValue) -> RecordValue {
    let kept: RecordValue?
    switch other {
    case .int(_, let width): kept = integer.flatMap { Self.int(fitting: $0, width) }
    case .uint(_, let width): kept = unsigned.flatMap { Self.uint(fitting: $0, width) }
    case .float: kept = number.flatMap { Float(exactly: $0) }.map { RecordValue.float($0) }
    case .double: kept = number.map { RecordValue.double($0) }
    default: kept = nil
    }
    return kept ?? self
  }

  private var unsigned: UInt64? {
    if case .uint(let value, _) = self { return value }
    return integer.flatMap { UInt64(exactly: $0) }
  }

  private static func int(fitting value: Int64, _ width: IntegerWidth) -> RecordValue? {
    let limit: ClosedRange<Int64> =
      switch width {
      case .bits8: Int64(Int8.min)...Int64(Int8.max)
      case .bits16: Int64(Int16.min)...Int64(Int16.max)
      case .bits32: Int64(Int32.min)...Int64(Int32.max)
      case .bits64: Int64.min...Int64.max
      }
    return limit.contains(value) ? .int(value, width) : nil
  }

  private static func uint(fitting value: UInt64, _ width: IntegerWidth) -> RecordValue? {
    let limit =
      switch width {
      case .bits8: UInt64(UInt8.max)
      case .bits16: UInt64(UInt16.max)
      case .bits32: UInt64(UInt32.max)
      case .bits64: UInt64.max
      }
    return value <= limit ? .uint(value, width) : nil
  }
}

extension RecordValue {
  /// The value with the parts at a path replaced; missing parts are ignored.
  ///
  /// A dictionary is an object if its keys are texts, else an array of alternating keys and values.
  package func replacing(
    _ path: ArraySlice<Layout.Reference.Step>,
    _ transform: (RecordValue) throws -> RecordValue
  ) rethrows -> RecordValue {
    guard let step = path.first else {
      if case .null = self { return self }
      return try transform(self)
    }
    let rest = path.dropFirst()
    switch (step, self) {
    case (.field(let name), .object(let members)):
      return .object(
        .init(
          try members.map { member in
            guard member.name == name else { return member }
            return Member(name, try member.value.replacing(rest, transform))
          }
        )
      )
    case (.element, .array(let elements)):
      return .array(.init(try elements.map { try $0.replacing(rest, transform) }))
    case (.value, .object(let members)):
      return .object(
        .init(try members.map { Member($0.name, try $0.value.replacing(rest, transform)) })
      )
    case (.key, .object(let members)):
      return .object(
        .init(
          try members.map { member in
            let key = try RecordValue.string(member.name).replacing(rest, transform)
            return Member(key.text ?? key.integer.map { "\($0)" } ?? member.name, member.value)
          }
        )
      )
    case (.key, .array(let elements)), (.value, .array(let elements)):
      let turn = step == .key ? 0 : 1
      return .array(
        .init(
          try elements.enumerated().map { index, element in
            index % 2 == turn ? try element.replacing(rest, transform) : element
          }
        )
      )
    default: return self
    }
  }
}
