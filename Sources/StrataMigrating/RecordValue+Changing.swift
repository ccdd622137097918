import StrataRecords

extension RecordValue {
  /// Converts a number to the kind of another number if that is exact; returns other values unchanged.
  func keepingKind(of other: RecordValue) -> RecordValue {
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
  func replacing(
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
