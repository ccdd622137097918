/// Writes a value straight into the bytes of a record, as long as it comes in the order of the layout.
///
/// What a type writes with the coding that the compiler makes does come so: member after member, each
/// of the kind the layout expects. Then no tree of ``EncodingNode`` is needed, and encoding costs a
/// third. Whatever else a type does (another order, another kind, a member the layout does not know, a
/// container kept for later) makes the stream give up; then the record is encoded anew as a tree. Both
/// give the same bytes: those that stand above ``RecordEmitter``.
package final class StreamingEncoding {
  /// Thrown to leave a type's `encode(to:)` once nothing it writes counts any more.
  struct GivenUp: Error {}

  /// One value that is being written; those above it in the stack are inside it.
  private struct Place {
    enum Form {
      /// Nothing was written yet.
      case expecting(LayoutTables.Shape)
      /// The slot before the next one is the one being written.
      case record(LayoutTables.Table, map: Int, nextSlot: Int)
      case array(element: LayoutTables.Shape, header: Int, count: Int)
      case written
    }

    /// Tells a place from another that stood at the same depth before.
    let serial: Int
    var form: Form
  }

  private let tables: LayoutTables
  private(set) var bytes: [UInt8]
  private var places: [Place] = []
  private var lastSerial = 0
  private var calls = 0
  private(set) var hasGivenUp = false

  private init(_ layout: Layout, appendingTo bytes: consuming [UInt8]) {
    tables = layout.tables
    self.bytes = bytes
    places.reserveCapacity(4)
  }

  /// Appends a value's record; false when that takes a tree, and then `bytes` is as it was.
  ///
  /// O(bytes written).
  package static func write(
    _ value: some Encodable,
    _ layout: Layout,
    into bytes: inout [UInt8]
  ) -> Bool {
    let start = bytes.count
    let stream = StreamingEncoding(layout, appendingTo: bytes)
    bytes = []
    let root = stream.open(.record(table: 0))
    do {
      try stream.encode(value, to: root)
    } catch {
      // What the type itself throws, it throws again when it is encoded as a tree.
      stream.giveUp()
    }
    stream.close(downTo: 0)
    bytes = stream.bytes
    if stream.hasGivenUp { bytes.removeLast(bytes.count - start) }
    return !stream.hasGivenUp
  }

  func giveUp() { hasGivenUp = true }
}

/// Places.
extension StreamingEncoding {
  /// Begins a value inside the innermost one.
  func open(_ shape: LayoutTables.Shape) -> StreamingEncoder {
    lastSerial += 1
    if places.count >= RecordLimits.depth { giveUp() }
    places.append(Place(serial: lastSerial, form: .expecting(shape)))
    return StreamingEncoder(stream: self, depth: places.count - 1, serial: lastSerial)
  }

  /// Ends everything inside a place that is about to be written to; false when it has ended itself.
  private func enter(_ encoder: StreamingEncoder) -> Bool {
    guard !hasGivenUp, encoder.depth < places.count,
      places[encoder.depth].serial == encoder.serial
    else {
      giveUp()
      return false
    }
    if places.count > encoder.depth + 1 { close(downTo: encoder.depth + 1) }
    return !hasGivenUp
  }

  private func close(downTo depth: Int) {
    while places.count > depth {
      switch places.removeLast().form {
      case .expecting: giveUp()
      case .array(_, let header, let count): setCount(count, at: header)
      case .record, .written: break
      }
    }
  }

  /// An array's count is known at its end; few elements fit the byte that was kept free for it.
  private func setCount(_ count: Int, at header: Int) {
    if count < 64 {
      bytes[header] = UInt8(count << 1)
    } else {
      var varint: [UInt8] = []
      varint.appendVarint(UInt64(count) << 1)
      bytes.replaceSubrange(header...header, with: varint)
    }
  }

  /// Notes in the map of the record around it what became of a field; elements have no map.
  private func setPresence(_ presence: UInt8, above depth: Int) {
    guard depth > 0 else { return }
    switch places[depth - 1].form {
    case .record(_, let map, let nextSlot):
      bytes[map + nextSlot / 4] |= presence << (nextSlot % 4 * 2)
    case .array:
      if presence != 2 { giveUp() }
    case .expecting, .written: giveUp()
    }
  }
}

/// What encoders and containers ask for.
extension StreamingEncoding {
  /// Begins a record where the layout has one.
  func beginRecord(_ encoder: StreamingEncoder) {
    guard enter(encoder) else { return }
    guard case .expecting(.record(let table)) = places[encoder.depth].form else { return giveUp() }
    setPresence(2, above: encoder.depth)
    let map = bytes.count
    let fields = tables.records[table]
    for _ in 0...(fields.names.count / 4) { bytes.append(0) }
    places[encoder.depth].form = .record(fields, map: map, nextSlot: 0)
  }

  /// Begins an array where the layout has one.
  func beginArray(_ encoder: StreamingEncoder) {
    guard enter(encoder) else { return }
    guard case .expecting(.array(let element)) = places[encoder.depth].form else { return giveUp() }
    setPresence(2, above: encoder.depth)
    places[encoder.depth].form = .array(
      element: tables.elements[element],
      header: bytes.count,
      count: 0
    )
    bytes.append(0)
  }

  /// Goes to the field of that name, which must come after those written before; nil to give up.
  func field(named name: String, of encoder: StreamingEncoder) -> LayoutTables.Shape? {
    guard enter(encoder), case .record(let table, let map, let next) = places[encoder.depth].form
    else {
      giveUp()
      return nil
    }
    var slot = next
    if next >= table.names.count || table.names[next] != name {
      guard let found = table.fieldNamed[name], found >= next else {
        giveUp()
        return nil
      }
      slot = found
    }
    places[encoder.depth].form = .record(table, map: map, nextSlot: slot + 1)
    return table.shapes[slot]
  }

  /// Goes to the next element; nil to give up.
  func nextElement(of encoder: StreamingEncoder) -> LayoutTables.Shape? {
    guard enter(encoder),
      case .array(let element, let header, let count) = places[encoder.depth].form
    else {
      giveUp()
      return nil
    }
    places[encoder.depth].form = .array(element: element, header: header, count: count + 1)
    return element
  }

  func count(of encoder: StreamingEncoder) -> Int {
    guard enter(encoder), case .array(_, _, let count) = places[encoder.depth].form else {
      return 0
    }
    return count
  }

  /// Appends a value of a kind where the layout has that kind.
  ///
  /// `depth` is that of the value: one more than that of the record or array it is a part of.
  @inline(__always)
  func put(
    _ scalar: Scalar,
    as shape: LayoutTables.Shape?,
    at depth: Int,
    _ append: (inout [UInt8]) -> Void
  ) {
    guard let shape else { return }
    guard case .scalar(scalar) = shape else { return giveUp() }
    setPresence(2, above: depth)
    append(&bytes)
  }

  /// Notes a field that is null.
  func putNull(at depth: Int) { setPresence(1, above: depth) }

  /// What the layout has where a value is written in its own place, not part by part; nil to give up.
  func single(_ encoder: StreamingEncoder) -> LayoutTables.Shape? {
    guard enter(encoder), encoder.depth > 0,
      case .expecting(let shape) = places[encoder.depth].form
    else {
      giveUp()
      return nil
    }
    places[encoder.depth].form = .written
    return shape
  }

  /// Lets a value write itself; throws once nothing it writes counts any more.
  func encode(_ value: some Encodable, to encoder: StreamingEncoder) throws {
    guard !hasGivenUp, calls < RecordLimits.calls else {
      giveUp()
      throw GivenUp()
    }
    calls += 1
    defer { calls -= 1 }
    try value.encode(to: encoder)
  }
}
