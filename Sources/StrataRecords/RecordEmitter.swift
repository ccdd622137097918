/// Writes a tree of nodes as the bytes of a record.
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
/// Members of objects and extras are sorted, so equal dictionaries have equal bytes.
struct RecordEmitter {
  /// Whether a value said all that the layout expects, or shows something that it should learn.
  enum Fit {
    case full, partial
  }

  private let tables: LayoutTables
  private(set) var bytes: [UInt8]
  private(set) var fit = Fit.full

  /// An emitter of records of the layout, which appends to `bytes`.
  init(_ layout: Layout, appendingTo bytes: consuming [UInt8] = []) {
    tables = layout.tables
    self.bytes = bytes
  }

  /// Appends the top of a tree as a record; O(bytes).
  mutating func top(_ node: EncodingNode) {
    switch node.settled() {
    case .node(let node) where node.form == .keyed:
      record(node, tables.records[0])
    case let item:
      bytes.append(2)
      tagged(item)
    }
  }

  /// Appends the value behind the tag that says what it is.
  mutating func tagged(_ item: EncodingNode.Item) {
    switch item.settled() {
    case .absent: bytes.append(Tag.null.byte)
    case .value(let value): value.appendTagged(to: &bytes)
    case .node(let node) where node.form == .unkeyed:
      bytes.append(Tag.array.byte)
      taggedElements(node.slots)
    case .node(let node):
      bytes.append(Tag.object.byte)
      members(node.namedMembers)
    }
  }

  private mutating func record(_ node: EncodingNode, _ table: LayoutTables.Table) {
    let slots = node.slots
    let map = bytes.count
    for _ in 0...(slots.count / 4) { bytes.append(0) }
    for index in slots.indices {
      let presence = field(slots[index].settled(), table.shapes[index])
      bytes[map + (index + 1) / 4] |= presence << ((index + 1) % 4 * 2)
    }
    guard !node.extras.isEmpty else { return }
    if node.extras.contains(where: \.isStatic) { fit = .partial }
    let extras = node.namedExtras
    if !extras.isEmpty {
      bytes[map] |= 1
      members(extras)
    }
  }

  /// Appends the value of a field, and gives the two bits that go into the map.
  private mutating func field(
    _ item: EncodingNode.Item,
    _ shape: LayoutTables.Shape
  ) -> UInt8 {
    switch item {
    case .absent: return 0
    case .value(.null): return 1
    case _ where item.fits(shape):
      value(item, shape)
      return 2
    case .value, .node:
      fit = .partial
      tagged(item)
      return 3
    }
  }

  /// Appends a value that fits.
  private mutating func value(_ item: EncodingNode.Item, _ shape: LayoutTables.Shape) {
    switch (item, shape) {
    case (.value(let value), .scalar): value.appendPayload(to: &bytes)
    case (.node(let node), .record(let table)): record(node, tables.records[table])
    case (.node(let node), .array(let element)): array(node.slots, of: tables.elements[element])
    default: tagged(item)
    }
  }

  private mutating func array(_ elements: [EncodingNode.Item], of shape: LayoutTables.Shape) {
    if elements.allSatisfy({ $0.settled().fits(shape) }) {
      bytes.appendVarint(UInt64(elements.count) << 1)
      for element in elements { value(element.settled(), shape) }
    } else {
      taggedElements(elements)
      if !elements.allSatisfy({ $0.settled().fits(shape) || $0.isNull }) { fit = .partial }
    }
  }

  private mutating func taggedElements(_ elements: [EncodingNode.Item]) {
    bytes.appendVarint(UInt64(elements.count) << 1 | 1)
    for element in elements { tagged(element) }
  }

  private mutating func members(_ members: [EncodingNode.NamedItem]) {
    bytes.appendVarint(UInt64(members.count))
    for member in members {
      bytes.appendText(member.name)
      tagged(member.item)
    }
  }
}

extension EncodingNode.Item {
  fileprivate var isAbsent: Bool {
    if case .absent = self { true } else { false }
  }

  fileprivate var isNull: Bool {
    if case .value(.null) = settled() { true } else { false }
  }

  /// Whether the value, which is settled, can be written without a tag where the layout has `shape`.
  fileprivate func fits(_ shape: LayoutTables.Shape) -> Bool {
    switch (self, shape) {
    case (_, .tagged): true
    case (.value(let value), .scalar(let scalar)): value.scalar == scalar
    case (.node(let node), .record): node.form == .keyed
    case (.node(let node), .array): node.form == .unkeyed
    default: false
    }
  }
}

extension EncodingNode {
  fileprivate typealias NamedItem = (name: String, item: Item)

  /// The members that the layout does not list, by name.
  fileprivate var namedExtras: [NamedItem] {
    var members: [NamedItem] = []
    for extra in extras where !extra.item.isAbsent { members.append((extra.name, extra.item)) }
    members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    return members
  }

  /// All members, by name.
  fileprivate var namedMembers: [NamedItem] {
    var members = namedExtras
    for (name, slot) in zip(table?.names ?? [], slots) where !slot.isAbsent {
      members.append((name, slot))
    }
    members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    return members
  }
}
