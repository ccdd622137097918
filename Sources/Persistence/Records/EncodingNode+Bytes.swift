/// A tree of nodes as the bytes of a record.
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
/// object               varint count, then (text name, tagged) each, sorted by name
/// tagged (a field)     tagged
/// ```
///
/// Members of objects and extras are sorted, so equal dictionaries have equal bytes.
extension EncodingNode {
  /// Whether a value said all that the layout expects, or shows something that it should learn.
  enum Fit {
    case full, partial
  }

  /// Appends the node, the top of its tree, as a record; O(bytes).
  func appendTop(to bytes: inout [UInt8]) -> Fit {
    let item = settled()
    if case .node(let node) = item, case .record(let table) = node.shape, node.form == .keyed {
      return node.appendRecord(session.layout.tables.records[table], to: &bytes)
    }
    bytes.append(2)
    item.appendTagged(to: &bytes)
    return .full
  }

  private func appendRecord(_ table: LayoutTables.Table, to bytes: inout [UInt8]) -> Fit {
    var fit = Fit.full
    let map = bytes.count
    for _ in 0...(slots.count / 4) { bytes.append(0) }
    for (index, slot) in slots.enumerated() {
      let presence: UInt8
      let item = slot.settled()
      switch (item, table.shapes[index]) {
      case (.absent, _): continue
      case (.value(.null), _): presence = 1
      case (.value(let value), .scalar(let scalar)) where value.scalar == scalar:
        presence = 2
        value.appendPayload(to: &bytes)
      case (.node(let node), .record(let table)) where node.form == .keyed:
        presence = 2
        let nested = node.appendRecord(session.layout.tables.records[table], to: &bytes)
        if nested == .partial { fit = .partial }
      case (.node(let node), .array(let element)) where node.form == .unkeyed:
        presence = 2
        let nested = node.appendArray(of: session.layout.tables.elements[element], to: &bytes)
        if nested == .partial { fit = .partial }
      case (_, .tagged):
        presence = 2
        item.appendTagged(to: &bytes)
      default:
        presence = 3
        fit = .partial
        item.appendTagged(to: &bytes)
      }
      bytes[map + (index + 1) / 4] |= presence << ((index + 1) % 4 * 2)
    }
    guard !extras.isEmpty else { return fit }
    if extras.contains(where: \.isStatic) { fit = .partial }
    let members = writtenExtras
    if !members.isEmpty {
      bytes[map] |= 1
      Self.append(members, to: &bytes)
    }
    return fit
  }

  private func appendArray(of element: LayoutTables.Shape, to bytes: inout [UInt8]) -> Fit {
    let misfits = slots.lazy.filter { !$0.fits(element) }
    guard misfits.isEmpty else {
      appendTaggedElements(to: &bytes)
      return misfits.allSatisfy(\.isNull) ? .full : .partial
    }
    var fit = Fit.full
    bytes.appendVarint(UInt64(slots.count) << 1)
    for slot in slots {
      switch (slot.settled(), element) {
      case (.value(let value), .scalar): value.appendPayload(to: &bytes)
      case (.node(let node), .record(let table)):
        let nested = node.appendRecord(session.layout.tables.records[table], to: &bytes)
        if nested == .partial { fit = .partial }
      case (.node(let node), .array(let element)):
        let nested = node.appendArray(of: session.layout.tables.elements[element], to: &bytes)
        if nested == .partial { fit = .partial }
      case (let item, _): item.appendTagged(to: &bytes)
      }
    }
    return fit
  }

  fileprivate func appendTaggedElements(to bytes: inout [UInt8]) {
    bytes.appendVarint(UInt64(slots.count) << 1 | 1)
    for slot in slots { slot.appendTagged(to: &bytes) }
  }

  /// The members of a keyed node, those that the layout lists among them, by name.
  fileprivate func appendObject(to bytes: inout [UInt8]) {
    var members = writtenExtras
    if let table, form == .keyed {
      for (name, slot) in zip(table.names, slots) where !slot.isAbsent {
        members.append((name, slot))
      }
      members.sort { $0.name < $1.name }
    }
    Self.append(members, to: &bytes)
  }

  private var writtenExtras: [(name: String, item: Item)] {
    var members: [(name: String, item: Item)] = []
    for extra in extras where !extra.item.isAbsent { members.append((extra.name, extra.item)) }
    members.sort { $0.name < $1.name }
    return members
  }

  private static func append(
    _ members: [(name: String, item: Item)],
    to bytes: inout [UInt8]
  ) {
    bytes.appendVarint(UInt64(members.count))
    for member in members {
      bytes.appendText(member.name)
      member.item.appendTagged(to: &bytes)
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

  fileprivate func fits(_ shape: LayoutTables.Shape) -> Bool {
    switch (settled(), shape) {
    case (_, .tagged): true
    case (.value(let value), .scalar(let scalar)): value.scalar == scalar
    case (.node(let node), .record): node.form == .keyed
    case (.node(let node), .array): node.form == .unkeyed
    default: false
    }
  }

  /// Appends the value behind the tag that says what it is.
  func appendTagged(to bytes: inout [UInt8]) {
    switch settled() {
    case .absent: bytes.append(Tag.null.byte)
    case .value(let value): value.appendTagged(to: &bytes)
    case .node(let node) where node.form == .unkeyed:
      bytes.append(Tag.array.byte)
      node.appendTaggedElements(to: &bytes)
    case .node(let node):
      bytes.append(Tag.object.byte)
      node.appendObject(to: &bytes)
    }
  }
}
