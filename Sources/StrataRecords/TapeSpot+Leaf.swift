internal import Foundation

extension TapeSpot {
  /// The value as one of the types that are stored as scalars of their own, else what the type makes
  /// of it itself.
  ///
  /// - Throws: `RecordError.badText`, and what `otherwise` throws.
  func value<Value>(_: Value.Type, otherwise: () throws -> Value) throws -> Value {
    if Value.self == String.self, let value = string { return identical(value, to: Value.self) }
    if Value.self == Int.self, let value = integer(Int.self) {
      return identical(value, to: Value.self)
    }
    if Value.self == Double.self, let value = double { return identical(value, to: Value.self) }
    if Value.self == Bool.self, let value = bool { return identical(value, to: Value.self) }
    if Value.self == Date.self, let value = date { return identical(value, to: Value.self) }
    if Value.self == UUID.self, let value = uuid { return identical(value, to: Value.self) }
    if Value.self == Data.self, let value = data { return identical(value, to: Value.self) }
    if Value.self == URL.self, let value = try url() { return identical(value, to: Value.self) }
    if Value.self == Decimal.self, let value = try decimal() {
      return identical(value, to: Value.self)
    }
    if Value.self == Float.self, let value = float { return identical(value, to: Value.self) }
    return try integer(otherwise: otherwise)
  }

  private func integer<Value>(otherwise: () throws -> Value) throws -> Value {
    if Value.self == Int8.self, let value = integer(Int8.self) {
      return identical(value, to: Value.self)
    }
    if Value.self == Int16.self, let value = integer(Int16.self) {
      return identical(value, to: Value.self)
    }
    if Value.self == Int32.self, let value = integer(Int32.self) {
      return identical(value, to: Value.self)
    }
    if Value.self == Int64.self, let value = integer(Int64.self) {
      return identical(value, to: Value.self)
    }
    if Value.self == UInt.self, let value = integer(UInt.self) {
      return identical(value, to: Value.self)
    }
    if Value.self == UInt8.self, let value = integer(UInt8.self) {
      return identical(value, to: Value.self)
    }
    if Value.self == UInt16.self, let value = integer(UInt16.self) {
      return identical(value, to: Value.self)
    }
    if Value.self == UInt32.self, let value = integer(UInt32.self) {
      return identical(value, to: Value.self)
    }
    if Value.self == UInt64.self, let value = integer(UInt64.self) {
      return identical(value, to: Value.self)
    }
    return try otherwise()
  }
}
