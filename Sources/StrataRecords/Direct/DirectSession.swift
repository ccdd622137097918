internal import Foundation

/// Reads values of a type straight from the bytes of records of one layout.
///
/// A record is scanned once, which finds whatever is wrong with it and where its fields are; then the
/// type takes its members from there. What the scan or a member does not read exactly as `RecordReader`
/// does makes the session give up on the record, for good: a type that catches errors and tries
/// something else would else come to another value than it should.
///
/// Decoders and containers are small structs that share the session. A frame is what a session notes of
/// a record that has a container: its table, the field that is expected next, where it begins and ends,
/// and where each of its fields is. Frames stay until the next record, as a type may ask its containers
/// in any order.
final class DirectSession {
  private static let frameHeader = 4
  private static let mostFrames = 1 << 22
  /// Far below what makes `RecordReader` refuse a record.
  private static let deepest = RecordLimits.calls / 4

  let tables: DirectTables
  private var bytes = RawCursor.Bytes(start: nil, count: 0)
  private var gaveUp = false
  private var calls = 0
  private var frames: UnsafeMutablePointer<UInt32>
  private var capacity = 64
  private var used = 0
  /// The frame that was made last.
  private var last = 0

  init(_ tables: DirectTables) {
    self.tables = tables
    frames = .allocate(capacity: capacity)
  }

  deinit { frames.deallocate() }

  /// The value of a record; throws when it is not read directly.
  ///
  /// Whoever still has a part of the session afterwards has nothing: it gives up whatever is asked.
  func value<Value: Decodable>(_ type: Value.Type, from record: ArraySlice<UInt8>) throws -> Value {
    guard tables.isComplete, record.count < DirectScan.limit else { throw NotDirect() }
    return try record.withUnsafeBufferPointer { bytes in
      self.bytes = bytes
      (gaveUp, calls, used, last) = (false, 0, 0, 0)
      defer { self.bytes = RawCursor.Bytes(start: nil, count: 0) }
      let top = DirectShape(kind: .record, index: 0)
      guard try end(ofFrame: open(top, at: 0)) == bytes.count else { throw NotDirect() }
      let value = try nested(type, top, at: 0)
      if gaveUp { throw NotDirect() }
      return value
    }
  }

  /// What a container throws where it gives up.
  func giveUp() -> NotDirect {
    gaveUp = true
    return NotDirect()
  }

  /// Reads at an offset.
  @inline(__always)
  func read<Value>(
    at offset: UInt32,
    _ body: (inout RawCursor) throws(NotDirect) -> Value
  ) throws(NotDirect) -> Value {
    do throws(NotDirect) {
      var cursor = try RawCursor(bytes, at: Int(offset))
      return try body(&cursor)
    } catch {
      throw giveUp()
    }
  }

  /// Lets a type that is no scalar read itself.
  func nested<Value: Decodable>(
    _ type: Value.Type,
    _ shape: DirectShape,
    at offset: UInt32
  ) throws -> Value {
    // These two are read from other kinds than their own too.
    guard calls < Self.deepest, Value.self != URL.self, Value.self != Decimal.self else {
      throw giveUp()
    }
    calls += 1
    defer { calls -= 1 }
    return try Value(from: DirectDecoder(session: self, offset: offset, shape: shape))
  }

  /// The offset after a value.
  func end(of shape: DirectShape, at offset: UInt32) throws(NotDirect) -> UInt32 {
    try read(at: offset) { cursor throws(NotDirect) in
      var scan = DirectScan(tables: tables, cursor: cursor)
      try scan.value(shape, depth: 1)
      return UInt32(truncatingIfNeeded: scan.cursor.offset)
    }
  }
}

extension DirectSession {
  /// The frame of the record there.
  func open(_ shape: DirectShape, at offset: UInt32) throws(NotDirect) -> Int {
    guard shape.kind == .record else { throw giveUp() }
    if used > 0, frames[last] == shape.index, frames[last + 2] == offset { return last }
    let frame = used
    let size = Self.frameHeader + tables.tables[Int(shape.index)].count
    try reserve(size)
    let fields = frames + frame + Self.frameHeader
    let end = try read(at: offset) { cursor throws(NotDirect) in
      var scan = DirectScan(tables: tables, cursor: cursor)
      try scan.record(Int(shape.index), depth: 1, fields: fields)
      return UInt32(truncatingIfNeeded: scan.cursor.offset)
    }
    frames[frame] = UInt32(shape.index)
    frames[frame + 1] = 0
    frames[frame + 2] = offset
    frames[frame + 3] = end
    last = frame
    used += size
    return frame
  }

  private func reserve(_ size: Int) throws(NotDirect) {
    guard used + size > capacity else { return }
    guard used + size <= Self.mostFrames else { throw giveUp() }
    let capacity = max(2 * self.capacity, used + size)
    let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: capacity)
    larger.update(from: frames, count: used)
    frames.deallocate()
    (frames, self.capacity) = (larger, capacity)
  }

  func end(ofFrame frame: Int) -> UInt32 { frames[frame + 3] }

  /// Where the field of that name is and what it holds; nil when it is absent.
  ///
  /// Types ask for their members in the order they were written in, so the one that comes next is tried
  /// first, then the layout's index.
  @inline(__always)
  func field(_ name: String, in frame: Int) -> (offset: UInt32, shape: DirectShape)? {
    guard bytes.baseAddress != nil else { return nil }
    let table = Int(frames[frame])
    let first = tables.tables[table].first
    var index = Int(frames[frame + 1])
    if index >= tables.tables[table].count || tables.names[first + index] != name {
      guard let found = tables.indexes[table][name] else { return nil }
      index = found
    }
    frames[frame + 1] = UInt32(truncatingIfNeeded: index + 1)
    let offset = frames[frame + Self.frameHeader + index]
    if offset == DirectScan.absent { return nil }
    if offset == DirectScan.null { return (0, .null) }
    return (offset, tables.shapes[first + index])
  }

  /// The names of all fields that are present, null included.
  func names(in frame: Int) -> [String] {
    guard bytes.baseAddress != nil else { return [] }
    let table = tables.tables[Int(frames[frame])]
    return (0..<table.count).compactMap { index in
      frames[frame + Self.frameHeader + index] == DirectScan.absent
        ? nil : tables.names[table.first + index]
    }
  }
}
