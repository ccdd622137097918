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
package enum IntegerWidth: UInt8, CaseIterable, Hashable, Sendable {
  case bits8, bits16, bits32, bits64

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

/// What stands at a place in a record: a scalar, or one of the shapes that have no scalar.
enum Tag: Hashable, Sendable {
  case scalar(Scalar)
  /// Nothing was written here.
  ///
  /// Only while reading; it has no byte.
  case absent
  case null
  case array
  /// Members with their names beside them.
  case object
  /// Members in the order of a layout.
  ///
  /// Only in layouts; a value that describes itself is an object.
  case record
  /// Any value, with its own tag before it.
  ///
  /// Only in layouts.
  case tagged

  /// The tag a byte stands for, or nil when it stands for none.
  init?(byte: UInt8) {
    switch byte {
    case 0: self = .null
    case 32: self = .array
    case 33: self = .object
    case 34: self = .record
    case 35: self = .tagged
    default:
      guard let scalar = Scalar(rawValue: byte) else { return nil }
      self = .scalar(scalar)
    }
  }

  /// The byte that stands for this tag; a layout's field of unknown kind has the byte of `null`.
  var byte: UInt8 {
    switch self {
    case .scalar(let scalar): scalar.rawValue
    case .absent, .null: 0
    case .array: 32
    case .object: 33
    case .record: 34
    case .tagged: 35
    }
  }
}
