/// Writes what a value has encoded as the bytes of a record.
///
/// ```
/// record   = map, then the values of the present fields in the layout's order, then the extras
/// map      = 2 bits each, lowest bits first, for the record and then for every field of its layout,
///            filled up to whole bytes
///            of the record: 0 no extras · 1 extras follow · 2 no record but one tagged value (only
///                           at the top: a value that is no struct)
///            of a field:    0 absent · 1 null · 2 value, as the layout says · 3 value, tagged,
///                           because it does not fit what the layout says
/// extras   = varint count, then (text name, tagged) each: members that the layout does not list
/// tagged   = tag byte, value;  the tag 0 is null and has no value
/// ```
///
/// A value by its kind:
///
/// ```
/// bool                 1 byte, 0 or 1
/// int8, uint8          1 byte
/// int16, int32, int64  zigzag
/// uint16 … uint64      varint
/// float, double        4 or 8 bytes of IEEE 754, lowest first
/// string, data         varint count, bytes
/// date                 8 bytes: seconds since 2001-01-01 00:00 UTC as a double, lowest first
/// uuid                 16 bytes, as printed
/// url, decimal         text: absolute URL; decimal digits as Foundation prints them
/// array                varint of 2 × count + flag; flag 0: elements of the layout's kind, flag 1:
///                      tagged elements (an array that is itself tagged always has flag 1)
/// object               varint count, then (text name, tagged) each, sorted by name as bytes
/// tagged (a field)     tagged
/// ```
///
/// Members of objects and extras are sorted, and so are the parts of a type that is ``UnorderedCodable``, by
/// their tagged bytes: equal sets and dictionaries have equal bytes.
struct RecordEmitter {
  /// Whether a value fits the layout, or shows something that the layout should learn.
  enum Fit {
    case full, partial
  }

  private let tables: LayoutTables
  private let parts: RecordParts
  private var bytes: [UInt8]
  private var fit = Fit.full
  /// A range of the payload that is not copied yet: adjacent ranges are copied at once.
  private var pending = 0..<0
  /// The number of frames around the value.
  private var depth = 0
  /// Whether a frame was left out because the stack has no room for it.
  private var isTooDeep = false

  private init(
    _ parts: RecordParts,
    _ tables: LayoutTables,
    appendingTo bytes: consuming [UInt8]
  ) {
    self.tables = tables
    self.parts = parts
    self.bytes = bytes
  }

  /// Appends a record; O(bytes).
  ///
  /// - Throws: `tooDeep`; then nothing is appended.
  static func emit(
    _ parts: RecordParts,
    _ layout: Layout,
    to bytes: inout [UInt8]
  ) throws(RecordError) -> Fit {
    let count = bytes.count
    var emitter = RecordEmitter(parts, layout.tables, appendingTo: bytes)
    bytes = []
    emitter.top()
    bytes = emitter.bytes
    guard !emitter.isTooDeep else {
      bytes.removeSubrange(count...)
      throw .tooDeep
    }
    return emitter.fit
  }

  /// Appends the value at the top as that of a field, and returns its two bits for the map of the record; nil
  /// if the layout should learn from it.
  static func emitField(
    _ parts: RecordParts,
    _ layout: Layout,
    _ shape: LayoutTables.Shape,
    to bytes: inout [UInt8]
  ) -> UInt8? {
    var emitter = RecordEmitter(parts, layout.tables, appendingTo: bytes)
    bytes = []
    let presence = emitter.field(parts.settled(.frame(0)), shape)
    emitter.flush()
    bytes = emitter.bytes
    return emitter.fit == .full && !emitter.isTooDeep ? presence : nil
  }

  /// The value at the top, preceded by its tag.
  ///
  /// - Throws: `tooDeep`.
  static func tagged(_ parts: RecordParts, _ layout: Layout) throws(RecordError) -> [UInt8] {
    var emitter = RecordEmitter(parts, layout.tables, appendingTo: [])
    emitter.tagged(parts.settled(.frame(0)))
    emitter.flush()
    if emitter.isTooDeep { throw .tooDeep }
    return emitter.bytes
  }

  /// Items one after another, each preceded by its tag, and where each of them ends.
  ///
  /// Nothing in the layout matters for the bytes. What is too deep is left out.
  static func tagged(
    _ items: [RecordParts.Item],
    _ parts: RecordParts,
    _ tables: LayoutTables
  ) -> (bytes: [UInt8], ends: [Int]) {
    var emitter = RecordEmitter(parts, tables, appendingTo: [])
    var ends: [Int] = []
    ends.reserveCapacity(items.count)
    for item in items {
      emitter.tagged(parts.settled(item))
      emitter.flush()
      ends.append(emitter.bytes.count)
    }
    return (emitter.bytes, ends)
  }

  /// Enters a frame, unless the stack has no room for it.
  private mutating func enter() -> Bool {
    guard RecordLimits.allow(depth: depth + 1) else {
      isTooDeep = true
      return false
    }
    depth += 1
    return true
  }

  private mutating func top() {
    let item = parts.settled(.frame(0))
    if case .frame(let frame) = item, !parts.isArray(frame) {
      record(frame, tables.records[0])
    } else {
      bytes.append(ValueLocation.loneValue)
      tagged(item)
    }
    flush()
  }

  private mutating func copy(_ start: Int, _ end: Int) {
    if start == pending.upperBound {
      pending = pending.lowerBound..<end
    } else {
      flush()
      pending = start..<end
    }
  }

  private mutating func flush() {
    guard !pending.isEmpty else { return }
    bytes.append(contentsOf: parts.payload[pending])
    pending = pending.upperBound..<pending.upperBound
  }

  private mutating func append(_ byte: UInt8) {
    flush()
    bytes.append(byte)
  }

  private mutating func append(_ count: Int, flag: UInt64) {
    flush()
    bytes.appendVarint(UInt64(count) << 1 | flag)
  }

  private mutating func tagged(_ item: RecordParts.Item) {
    switch item {
    case .absent, .null: append(ValueKind.null.rawValue)
    case .scalar(let scalar, let start, let end):
      append(scalar.rawValue)
      copy(start, end)
    case .frame(let frame):
      guard enter() else { return }
      defer { depth -= 1 }
      if parts.isArray(frame) {
        append(ValueKind.array.rawValue)
        return taggedElements(frame)
      }
      append(ValueKind.object.rawValue)
      var members = parts.extras(of: frame)
      if let table = parts.frames[frame].shape.table {
        let names = tables.records[table].names
        var next = parts.firstEntry(of: frame)
        while let entry = next {
          if let slot = entry.slot {
            members.append(.init(name: names[slot], isStatic: true, item: entry.item))
          }
          next = parts.entry(after: entry)
        }
      }
      self.members(members)
    }
  }

  private mutating func record(_ frame: Int, _ table: LayoutTables.Table) {
    guard enter() else { return }
    defer { depth -= 1 }
    flush()
    let map = bytes.count
    for _ in 0..<table.mapSize { bytes.append(0) }
    var next = parts.firstEntry(of: frame)
    while let entry = next {
      if let slot = entry.slot {
        let item = parts.settled(entry.item)
        let presence =
          mayClaim(entry.item, item, table, slot)
          ? field(item, table.shapes[slot]) : taggedField(item)
        bytes[map + (slot + 1) / 4] |= presence << ((slot + 1) % 4 * 2)
      }
      next = parts.entry(after: entry)
    }
    guard parts.frames[frame].hasExtras else { return }
    let extras = parts.extras(of: frame)
    if extras.contains(where: \.isStatic) { fit = .partial }
    if extras.contains(where: { !$0.item.isAbsent }) {
      bytes[map] |= 1
      members(extras)
    }
  }

  /// Appends the value of a field, and returns its two bits for the map.
  private mutating func field(_ item: RecordParts.Item, _ shape: LayoutTables.Shape) -> UInt8 {
    switch item {
    case .absent: return 0
    case .null: return 1
    case .scalar, .frame:
      if fits(item, shape) {
        value(item, shape)
        return 2
      }
      fit = .partial
      tagged(item)
      return 3
    }
  }

  /// Whether the layout may hold a value's references: it notes the same ones for the field, or none.
  @inline(__always)
  private mutating func mayClaim(
    _ entry: RecordParts.Item,
    _ item: RecordParts.Item,
    _ table: LayoutTables.Table,
    _ slot: Int
  ) -> Bool {
    let references = parts.references(of: entry)
    if references == nil, table.references.isEmpty { return true }
    let stated = table.references.isEmpty ? nil : table.references[slot]
    guard references != stated, !item.isAbsent, !item.isNull else { return true }
    fit = .partial
    return stated == nil
  }

  /// Appends the value of a field with its own tag, so that nothing in the layout applies to it.
  private mutating func taggedField(_ item: RecordParts.Item) -> UInt8 {
    tagged(item)
    return 3
  }

  /// Whether a value can be written without a tag where the layout has `shape`.
  private func fits(_ item: RecordParts.Item, _ shape: LayoutTables.Shape) -> Bool {
    switch (item, shape.kind) {
    case (_, .tagged): true
    case (.scalar(let scalar, _, _), let kind): scalar.rawValue == kind.rawValue
    case (.frame(let frame), .record): !parts.isArray(frame)
    case (.frame(let frame), .array): parts.isArray(frame)
    default: false
    }
  }

  /// Appends a value that fits.
  private mutating func value(_ item: RecordParts.Item, _ shape: LayoutTables.Shape) {
    switch (item, shape.kind) {
    case (_, .tagged): tagged(item)
    case (.scalar(_, let start, let end), _): copy(start, end)
    case (.frame(let frame), .record): record(frame, tables.records[shape.index])
    case (.frame(let frame), _): array(frame, of: tables.elements[shape.index])
    default: tagged(item)
    }
  }

  private mutating func array(_ frame: Int, of shape: LayoutTables.Shape) {
    guard enter() else { return }
    defer { depth -= 1 }
    var (allFit, allFitOrNull) = (true, true)
    var next = parts.firstEntry(of: frame)
    while let entry = next {
      let item = parts.settled(entry.item)
      if !fits(item, shape) {
        allFit = false
        if !item.isNull { allFitOrNull = false }
      }
      next = parts.entry(after: entry)
    }
    if allFit {
      append(parts.count(of: frame), flag: 0)
      var next = parts.firstEntry(of: frame)
      while let entry = next {
        value(parts.settled(entry.item), shape)
        next = parts.entry(after: entry)
      }
    } else {
      taggedElements(frame)
      if !allFitOrNull { fit = .partial }
    }
  }

  private mutating func taggedElements(_ frame: Int) {
    append(parts.count(of: frame), flag: 1)
    var next = parts.firstEntry(of: frame)
    while let entry = next {
      tagged(parts.settled(entry.item))
      next = parts.entry(after: entry)
    }
  }

  private mutating func members(_ members: [RecordParts.Member]) {
    var members = members.filter { !$0.item.isAbsent }
    members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    flush()
    bytes.appendVarint(UInt64(members.count))
    for member in members {
      flush()
      bytes.appendText(member.name)
      tagged(parts.settled(member.item))
    }
  }
}

extension RecordParts.Item {
  fileprivate var isAbsent: Bool {
    if case .absent = self { true } else { false }
  }

  fileprivate var isNull: Bool {
    if case .null = self { true } else { false }
  }
}
