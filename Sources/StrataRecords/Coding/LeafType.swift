internal import Foundation

/// The types that are stored as scalars of their own; every other type writes and reads itself.
enum LeafType {
  case string, int, double, bool, date, uuid, data, url, decimal, float
  case int8, int16, int32, int64
  case uint, uint8, uint16, uint32, uint64

  /// Which of them a type is, or nil for any other type.
  @inline(__always)
  init?<Value>(_ type: Value.Type) {
    if type == String.self {
      self = .string
    } else if type == Int.self {
      self = .int
    } else if type == Double.self {
      self = .double
    } else if type == Bool.self {
      self = .bool
    } else if type == Date.self {
      self = .date
    } else if type == UUID.self {
      self = .uuid
    } else if type == Data.self {
      self = .data
    } else if type == URL.self {
      self = .url
    } else if type == Decimal.self {
      self = .decimal
    } else if type == Float.self {
      self = .float
    } else if let integer = LeafType(integer: type) {
      self = integer
    } else {
      return nil
    }
  }

  @inline(__always)
  private init?<Value>(integer type: Value.Type) {
    if type == Int64.self {
      self = .int64
    } else if type == Int32.self {
      self = .int32
    } else if type == Int16.self {
      self = .int16
    } else if type == Int8.self {
      self = .int8
    } else if type == UInt.self {
      self = .uint
    } else if type == UInt64.self {
      self = .uint64
    } else if type == UInt32.self {
      self = .uint32
    } else if type == UInt16.self {
      self = .uint16
    } else if type == UInt8.self {
      self = .uint8
    } else {
      return nil
    }
  }
}

extension RecordValue {
  /// A value that is stored as a scalar of its own, or nil for any other type.
  init?<Value>(leaf value: Value) {
    guard let type = LeafType(Value.self) else { return nil }
    switch type {
    case .string: self = .string(identical(value, to: String.self))
    case .int: self = .int(Int64(identical(value, to: Int.self)), .bits64)
    case .double: self = .double(identical(value, to: Double.self))
    case .bool: self = .bool(identical(value, to: Bool.self))
    case .date: self = .date(identical(value, to: Date.self))
    case .uuid: self = .uuid(identical(value, to: UUID.self))
    case .data: self = .data(identical(value, to: Data.self))
    case .url: self = .url(identical(value, to: URL.self))
    case .decimal: self = .decimal(identical(value, to: Decimal.self))
    case .float: self = .float(identical(value, to: Float.self))
    case .int8: self = .int(Int64(identical(value, to: Int8.self)), .bits8)
    case .int16: self = .int(Int64(identical(value, to: Int16.self)), .bits16)
    case .int32: self = .int(Int64(identical(value, to: Int32.self)), .bits32)
    case .int64: self = .int(identical(value, to: Int64.self), .bits64)
    case .uint: self = .uint(UInt64(identical(value, to: UInt.self)), .bits64)
    case .uint8: self = .uint(UInt64(identical(value, to: UInt8.self)), .bits8)
    case .uint16: self = .uint(UInt64(identical(value, to: UInt16.self)), .bits16)
    case .uint32: self = .uint(UInt64(identical(value, to: UInt32.self)), .bits32)
    case .uint64: self = .uint(identical(value, to: UInt64.self), .bits64)
    }
  }
}

extension RecordDecoder {
  /// The value, as any type.
  func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try context.value(type, value, { _ in }) { try decoding.nested(type, self) }
  }
}

extension RecordMembers {
  /// A stored member, as any type.
  func value<Value: Decodable>(
    _ type: Value.Type,
    _ stored: ValueLocation,
    _ key: some CodingKey
  ) throws -> Value {
    try value(type, stored, { noteEnd($0) }) {
      try decoding.nested(type, try storedPart(key, stored))
    }
  }
}

extension DecodingContext {
  /// An element, as any type.
  final func element<Value: Decodable>(
    _ type: Value.Type,
    _ stored: ValueLocation,
    _ index: Int
  ) throws -> Value {
    try value(type, stored, { _ in }) { try decoding.nested(type, element(index, stored)) }
  }

  /// A leaf, an array of the commonest of them, or a value that reads itself.
  ///
  /// No optional of a generic type is involved, because its metadata would be looked up for every member.
  /// `noteEnd` receives the offset behind a value that was read here.
  @inline(__always)
  fileprivate final func value<Value: Decodable>(
    _ type: Value.Type,
    _ stored: ValueLocation,
    _ noteEnd: (Int) -> Void,
    _ nested: () throws -> Value
  ) throws -> Value {
    let kind = stored.kind
    switch kind {
    case .null, .absent, .record, .object, .tagged: break
    case .array:
      let element = decoding.tables.elements[stored.shape.index]
      var cursor = decoding.cursor(at: Int(stored.offset))
      if let array = try array(type, of: element, &cursor) {
        noteEnd(cursor.offset)
        return array
      }
    default:
      var cursor = decoding.cursor(at: Int(stored.offset))
      switch LeafType(type) {
      case .string:
        if let leaf = try cursor.string(kind) { return noted(leaf, type, cursor, noteEnd) }
      case .int:
        if let leaf: Int = try cursor.integer(kind) { return noted(leaf, type, cursor, noteEnd) }
      case .double:
        if let leaf = try cursor.double(kind) { return noted(leaf, type, cursor, noteEnd) }
      case .bool: if let leaf = try cursor.bool(kind) { return noted(leaf, type, cursor, noteEnd) }
      case .date: if let leaf = try cursor.date(kind) { return noted(leaf, type, cursor, noteEnd) }
      case .uuid: if let leaf = try cursor.uuid(kind) { return noted(leaf, type, cursor, noteEnd) }
      case .int64:
        if let leaf: Int64 = try cursor.integer(kind) { return noted(leaf, type, cursor, noteEnd) }
      case let leaf?:
        if let value = try rarer(leaf, type, kind, &cursor) {
          noteEnd(cursor.offset)
          return value
        }
      case nil: break
      }
    }
    return try nested()
  }
}

extension DecodingContext {
  /// An array of the commonest leaves; nil for any other type.
  @inline(never)
  private final func array<Value>(
    _ type: Value.Type,
    of element: LayoutTables.Shape,
    _ cursor: inout ByteCursor
  ) throws(RecordError) -> Value? {
    if type == [String].self {
      let array = try cursor.array(of: element) { (cursor, kind) throws(RecordError) in
        try cursor.string(kind)
      }
      return array.map { identical($0, to: type) }
    }
    if type == [Int].self {
      let array = try cursor.array(of: element) { (cursor, kind) throws(RecordError) -> Int? in
        try cursor.integer(kind)
      }
      return array.map { identical($0, to: type) }
    }
    if type == [Double].self {
      let array = try cursor.array(of: element) { (cursor, kind) throws(RecordError) in
        try cursor.double(kind)
      }
      return array.map { identical($0, to: type) }
    }
    return nil
  }

  /// A leaf of a type that few entities have: one function for all who read leaves.
  @inline(never)
  private final func rarer<Value>(
    _ leaf: LeafType,
    _ type: Value.Type,
    _ kind: ValueKind,
    _ cursor: inout ByteCursor
  ) throws -> Value? {
    func integer<Integer: FixedWidthInteger>(_: Integer.Type) throws -> Value? {
      let value: Integer? = try cursor.integer(kind)
      return value.map { identical($0, to: type) }
    }
    switch leaf {
    case .data: return try cursor.data(kind).map { identical($0, to: type) }
    case .url: return try cursor.url(kind).map { identical($0, to: type) }
    case .decimal: return try cursor.decimal(kind).map { identical($0, to: type) }
    case .float: return try cursor.float(kind).map { identical($0, to: type) }
    case .int8: return try integer(Int8.self)
    case .int16: return try integer(Int16.self)
    case .int32: return try integer(Int32.self)
    case .uint8: return try integer(UInt8.self)
    case .uint16: return try integer(UInt16.self)
    case .uint32: return try integer(UInt32.self)
    case .uint64: return try integer(UInt64.self)
    case .uint: return try integer(UInt.self)
    case .string, .int, .double, .bool, .date, .uuid, .int64: return nil
    }
  }
}

/// A value that was just read, as the type that it was found to be.
@inline(__always)
private func noted<From, To>(
  _ value: From,
  _ type: To.Type,
  _ cursor: ByteCursor,
  _ noteEnd: (Int) -> Void
) -> To {
  noteEnd(cursor.offset)
  return identical(value, to: type)
}

/// A value as a type that the caller has found to be its own.
///
/// The caller has compared the types, `From.self == To.self`. A cast would compare them again and look up
/// generic metadata, at ten times the cost, for every element of every array.
@inline(__always)
func identical<From, To>(_ value: From, to type: To.Type) -> To {
  unsafeBitCast(value, to: type)
}
