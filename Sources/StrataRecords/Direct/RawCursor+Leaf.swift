internal import Foundation

/// Values without parts, each read only as the type it was written from, and integers as any that
/// holds them.
extension RawCursor {
  mutating func bool(_ shape: DirectShape) throws(NotDirect) -> Bool {
    guard shape.kind == .bool else { throw NotDirect() }
    return try byte() == 1
  }

  mutating func integer<Integer: FixedWidthInteger>(
    _ shape: DirectShape
  ) throws(NotDirect) -> Integer {
    let value: Integer?
    switch shape.kind {
    case .int64, .int32, .int16: value = Integer(exactly: try zigzag())
    case .int8: value = Integer(exactly: Int8(bitPattern: try byte()))
    case .uint64, .uint32, .uint16: value = Integer(exactly: try varint())
    case .uint8: value = Integer(exactly: try byte())
    default: throw NotDirect()
    }
    guard let value else { throw NotDirect() }
    return value
  }

  mutating func double(_ shape: DirectShape) throws(NotDirect) -> Double {
    guard shape.kind == .double else { throw NotDirect() }
    return Double(bitPattern: try fixed(UInt64.self))
  }

  mutating func float(_ shape: DirectShape) throws(NotDirect) -> Float {
    guard shape.kind == .float else { throw NotDirect() }
    return Float(bitPattern: try fixed(UInt32.self))
  }

  mutating func string(_ shape: DirectShape) throws(NotDirect) -> String {
    guard shape.kind == .string else { throw NotDirect() }
    return try text()
  }

  /// A text that the scan has found to be UTF-8.
  mutating func text() throws(NotDirect) -> String {
    String(decoding: try block(), as: UTF8.self)
  }

  @inline(__always)
  mutating func array<Element>(
    _ read: (inout RawCursor) throws(NotDirect) -> Element
  ) throws(NotDirect) -> [Element] {
    let count = try elementCount()
    var elements: [Element] = []
    elements.reserveCapacity(count)
    for _ in 0..<count { elements.append(try read(&self)) }
    return elements
  }

  mutating func uuid() throws(NotDirect) -> UUID {
    let stored = try block(of: 16)
    var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: stored) }
    return UUID(uuid: value)
  }
}
