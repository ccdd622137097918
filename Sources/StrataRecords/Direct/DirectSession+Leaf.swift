internal import Foundation

extension DirectSession {
  /// A value of any type: one of those that are stored as scalars of their own, an array of the
  /// commonest of them, or whatever reads itself.
  ///
  /// The kind is asked before the type, so few types are compared; and there is no optional of a
  /// generic type on the way, as its metadata would be looked up for every member.
  func value<Value: Decodable>(
    _ type: Value.Type,
    _ shape: DirectShape,
    at offset: UInt32
  ) throws -> Value {
    switch shape.kind {
    case .string where type == String.self:
      return identical(try read(at: offset, Self.text), to: type)
    case .int64 where type == Int64.self:
      return identical(try read(at: offset, Self.int64), to: type)
    case .int64 where type == Int.self:
      let value = try read(at: offset) { (cursor) throws(NotDirect) -> Int in
        try cursor.integer(shape)
      }
      return identical(value, to: type)
    case .double where type == Double.self:
      return identical(try read(at: offset, Self.double), to: type)
    case .bool where type == Bool.self:
      let value = try read(at: offset) { (cursor) throws(NotDirect) in try cursor.bool(shape) }
      return identical(value, to: type)
    case .date where type == Date.self:
      let seconds = try read(at: offset, Self.double)
      return identical(Date(timeIntervalSinceReferenceDate: seconds), to: type)
    case .uuid where type == UUID.self:
      return identical(try read(at: offset, Self.uuid), to: type)
    case .data, .url, .decimal:
      return try foundation(type, shape, at: offset)
    case .array:
      return try array(type, shape, at: offset)
    default:
      return try nested(type, shape, at: offset)
    }
  }

  private static func text(_ cursor: inout RawCursor) throws(NotDirect) -> String {
    try cursor.text()
  }

  private static func int64(_ cursor: inout RawCursor) throws(NotDirect) -> Int64 {
    try cursor.zigzag()
  }

  private static func double(_ cursor: inout RawCursor) throws(NotDirect) -> Double {
    Double(bitPattern: try cursor.fixed(UInt64.self))
  }

  private static func uuid(_ cursor: inout RawCursor) throws(NotDirect) -> UUID {
    try cursor.uuid()
  }

  private func foundation<Value: Decodable>(
    _ type: Value.Type,
    _ shape: DirectShape,
    at offset: UInt32
  ) throws -> Value {
    switch shape.kind {
    case .data where type == Data.self:
      let data = try read(at: offset) { (cursor) throws(NotDirect) in Data(try cursor.block()) }
      return identical(data, to: type)
    case .url where type == URL.self:
      guard let url = URL(string: try read(at: offset, Self.text)) else { throw giveUp() }
      return identical(url, to: type)
    case .decimal where type == Decimal.self:
      guard let decimal = TapeSpot.decimal(of: try read(at: offset, Self.text)) else {
        throw giveUp()
      }
      return identical(decimal, to: type)
    default:
      return try nested(type, shape, at: offset)
    }
  }

  private func array<Value: Decodable>(
    _ type: Value.Type,
    _ shape: DirectShape,
    at offset: UInt32
  ) throws -> Value {
    let element = tables.elements[Int(shape.index)]
    if type == [String].self {
      let array = try read(at: offset) { (cursor) throws(NotDirect) in
        try cursor.array { (cursor) throws(NotDirect) in try cursor.string(element) }
      }
      return identical(array, to: type)
    }
    if type == [Int].self {
      let array = try read(at: offset) { (cursor) throws(NotDirect) -> [Int] in
        try cursor.array { (cursor) throws(NotDirect) -> Int in try cursor.integer(element) }
      }
      return identical(array, to: type)
    }
    if type == [Double].self {
      let array = try read(at: offset) { (cursor) throws(NotDirect) in
        try cursor.array { (cursor) throws(NotDirect) in try cursor.double(element) }
      }
      return identical(array, to: type)
    }
    return try nested(type, shape, at: offset)
  }
}
