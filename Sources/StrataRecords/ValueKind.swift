/// The kind of a value that has no parts.
///
/// The raw value is the byte that stands for the kind in layouts and before self-describing values;
/// it is part of the file format and never changes meaning.
package enum Scalar: UInt8, CaseIterable, Hashable, Sendable {
  case bool = 1
  case int8, int16, int32, int64
  case uint8, uint16, uint32, uint64
  case float, double
  case string, data
  case date, uuid, url, decimal
}

/// How many bits an integer was declared with; `Int` and `UInt` count as 64.
public enum IntegerWidth: UInt8, CaseIterable, Hashable, Sendable {
  /// `Int8` or `UInt8`.
  case bits8
  /// `Int16` or `UInt16`.
  case bits16
  /// `Int32` or `UInt32`.
  case bits32
  /// `Int`, `Int64`, `UInt` or `UInt64`.
  case bits64

  /// The signed scalar of this width.
  var signed: Scalar {
    switch self {
    case .bits8: .int8
    case .bits16: .int16
    case .bits32: .int32
    case .bits64: .int64
    }
  }

  /// The unsigned scalar of this width.
  var unsigned: Scalar {
    switch self {
    case .bits8: .uint8
    case .bits16: .uint16
    case .bits32: .uint32
    case .bits64: .uint64
    }
  }
}

/// The kind of a value in a record or in a layout: a scalar, or one of the kinds that have parts.
///
/// The raw value is the byte that stands for the kind, as in ``Scalar``.
enum ValueKind: UInt8, Sendable {
  /// Null; in a layout, a field in which only null has been seen.
  case null = 0
  case bool = 1
  case int8, int16, int32, int64
  case uint8, uint16, uint32, uint64
  case float, double
  case string, data
  case date, uuid, url, decimal
  case array = 32
  /// Members with their names beside them.
  case object
  /// Members in the order of a layout.
  ///
  /// It has a byte only in layouts; a value that describes itself is an object.
  case record
  /// Any value, with its own kind before it; only in layouts.
  case tagged
  /// Nothing was written here; only used while reading, it stands for no byte.
  case absent = 255

  init(_ scalar: Scalar) {
    // Every scalar has a case of its raw value above.
    self = ValueKind(rawValue: scalar.rawValue) ?? .absent
  }

  /// The scalar, for a value without parts.
  var scalar: Scalar? { Scalar(rawValue: rawValue) }
}
