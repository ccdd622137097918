internal import Foundation

extension RecordValue {
  /// A value that is stored as a scalar of its own, or nil for any other type.
  init?<Value>(leaf value: Value) {
    if Value.self == String.self {
      self = .string(identical(value, to: String.self))
    } else if Value.self == Int.self {
      self = .int(Int64(identical(value, to: Int.self)), .bits64)
    } else if Value.self == Double.self {
      self = .double(identical(value, to: Double.self))
    } else if Value.self == Bool.self {
      self = .bool(identical(value, to: Bool.self))
    } else if Value.self == Date.self {
      self = .date(identical(value, to: Date.self))
    } else if Value.self == UUID.self {
      self = .uuid(identical(value, to: UUID.self))
    } else if Value.self == Data.self {
      self = .data(identical(value, to: Data.self))
    } else if Value.self == URL.self {
      self = .url(identical(value, to: URL.self))
    } else if Value.self == Decimal.self {
      self = .decimal(identical(value, to: Decimal.self))
    } else if Value.self == Float.self {
      self = .float(identical(value, to: Float.self))
    } else if let integer = RecordValue(integer: value) {
      self = integer
    } else {
      return nil
    }
  }

  private init?<Value>(integer value: Value) {
    if Value.self == Int8.self {
      self = .int(Int64(identical(value, to: Int8.self)), .bits8)
    } else if Value.self == Int16.self {
      self = .int(Int64(identical(value, to: Int16.self)), .bits16)
    } else if Value.self == Int32.self {
      self = .int(Int64(identical(value, to: Int32.self)), .bits32)
    } else if Value.self == Int64.self {
      self = .int(identical(value, to: Int64.self), .bits64)
    } else if Value.self == UInt.self {
      self = .uint(UInt64(identical(value, to: UInt.self)), .bits64)
    } else if Value.self == UInt8.self {
      self = .uint(UInt64(identical(value, to: UInt8.self)), .bits8)
    } else if Value.self == UInt16.self {
      self = .uint(UInt64(identical(value, to: UInt16.self)), .bits16)
    } else if Value.self == UInt32.self {
      self = .uint(UInt64(identical(value, to: UInt32.self)), .bits32)
    } else if Value.self == UInt64.self {
      self = .uint(identical(value, to: UInt64.self), .bits64)
    } else {
      return nil
    }
  }
}
