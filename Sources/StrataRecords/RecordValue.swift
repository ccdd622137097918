public import Foundation

/// A stored value without its Swift type: what a reader without the user's types sees.
///
/// ```swift
/// let user = try RecordValue(record: bytes, layout: layout)
/// print(user)     // {"id":7,"name":"Ann"}
/// ```
///
/// Two values are equal when they would be stored alike: NaN equals a NaN of the same bits, `0.0` and
/// `-0.0` differ, an `Int8` and an `Int` differ, and so do two objects whose members come in another
/// order.
///
/// The parts of an array or an object that was read from a record stay there as bytes until they are
/// asked for, so a value needs no more memory than its record, whatever its parts are.
public enum RecordValue: Sendable {
  /// No value.
  case null
  /// A truth value.
  case bool(Bool)
  /// A signed integer, with the width of its type.
  case int(Int64, IntegerWidth)
  /// An unsigned integer, with the width of its type.
  case uint(UInt64, IntegerWidth)
  /// A number of 32 bits.
  case float(Float)
  /// A number of 64 bits.
  case double(Double)
  /// A text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A moment.
  case date(Date)
  /// A UUID.
  case uuid(UUID)
  /// A URL.
  case url(URL)
  /// A decimal number.
  case decimal(Decimal)
  /// Values in order.
  case array(Elements)
  /// The members in the order they are stored in.
  case object(Members)

  /// A named part of an object.
  public struct Member: Equatable, Sendable {
    /// The name.
    public var name: String
    /// The value.
    public var value: RecordValue

    /// Creates a member.
    public init(_ name: String, _ value: RecordValue) {
      self.name = name
      self.value = value
    }
  }

  /// The member of that name when this is an object that has one; O(members).
  public subscript(name: String) -> RecordValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The kind of a value without parts, else nil.
  package var scalar: Scalar? {
    switch self {
    case .null, .array, .object: nil
    case .bool: .bool
    case .int(_, let width): width.signed
    case .uint(_, let width): width.unsigned
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .url: .url
    case .decimal: .decimal
    }
  }
}

extension RecordValue: Equatable {
  /// Whether both would be stored as the same bytes under the same layout.
  public static func == (left: RecordValue, right: RecordValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left, let width), .int(let right, let other)): left == right && width == other
    case (.uint(let left, let width), .uint(let right, let other)): left == right && width == other
    case (.float(let left), .float(let right)): left.bitPattern == right.bitPattern
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.string(var left), .string(var right)):
      left.withUTF8 { left in
        right.withUTF8 { UnsafeRawBufferPointer(left).isEqual(to: UnsafeRawBufferPointer($0)) }
      }
    case (.data(let left), .data(let right)): left == right
    case (.date(let left), .date(let right)):
      left.timeIntervalSinceReferenceDate.bitPattern
        == right.timeIntervalSinceReferenceDate.bitPattern
    case (.uuid(let left), .uuid(let right)): left == right
    case (.url(let left), .url(let right)): left.absoluteString == right.absoluteString
    case (.decimal(let left), .decimal(let right)): left.description == right.description
    case (.array(let left), .array(let right)): left.elementsEqual(right)
    case (.object(let left), .object(let right)): left.elementsEqual(right)
    default: false
    }
  }
}
