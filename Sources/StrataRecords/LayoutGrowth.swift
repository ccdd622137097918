/// The layout a table would like to have: what it has, and whatever its records have shown since.
///
/// It only ever grows: fields are added at the end, `unknown` becomes a kind, and a kind that meets
/// another one becomes `tagged`. Types that nest in themselves, and types with endless members, stop
/// growing at a depth and a size; what lies beyond is tagged.
struct LayoutGrowth: Sendable {
  private static let deepest = 12
  private static let largest = 2_048

  private(set) var fields: [Layout.Field]
  /// Whether `fields` says more than the layout it was made from.
  private(set) var isWanted = false
  private var size: Int

  init(from layout: Layout) {
    fields = layout.fields
    size = layout.tables.records.reduce(0) { $0 + $1.names.count }
  }

  /// Learns from a record; O(record × fields), so only records that do not fit are shown to it.
  mutating func learn(from node: EncodingNode) {
    guard case .node(let node) = node.settled(), node.form == .keyed else { return }
    var fields: [Layout.Field] = []
    swap(&fields, &self.fields)
    merge(node, into: &fields, depth: 1)
    self.fields = fields
  }

  private mutating func merge(
    _ node: EncodingNode,
    into fields: inout [Layout.Field],
    depth: Int
  ) {
    if let table = node.table {
      for (name, item) in zip(table.names, node.slots) {
        merge(item, named: name, into: &fields, depth: depth)
      }
    }
    for extra in node.extras where extra.isStatic {
      merge(extra.item, named: extra.name, into: &fields, depth: depth)
    }
  }

  private mutating func merge(
    _ item: EncodingNode.Item,
    named name: String,
    into fields: inout [Layout.Field],
    depth: Int
  ) {
    if let index = fields.firstIndex(where: { $0.name == name }) {
      merge(item, into: &fields[index].kind, depth: depth + 1)
    } else if size < Self.largest {
      size += 1
      isWanted = true
      var field = Layout.Field(name, .unknown)
      merge(item, into: &field.kind, depth: depth + 1)
      fields.append(field)
    }
  }

  private mutating func merge(
    _ item: EncodingNode.Item,
    into kind: inout Layout.Kind,
    depth: Int
  ) {
    let seen = item.settled()
    switch (seen, kind) {
    case (.absent, _), (.value(.null), _), (_, .tagged): return
    case (.value(let value), .scalar(let scalar)) where value.scalar == scalar: return
    case (.node(let node), .unknown) where node.isEmptyKeyed: return
    case (.node(let node), .record(var fields)) where node.form == .keyed:
      kind = .unknown
      merge(node, into: &fields, depth: depth)
      kind = .record(fields)
    case (.node(let node), .array(var element)) where node.form == .unkeyed:
      kind = .unknown
      merge(elementsOf: node, into: &element, depth: depth)
      kind = .array(of: element)
    case (_, .unknown):
      isWanted = true
      kind = firstKind(of: seen, depth: depth)
    default:
      isWanted = true
      kind = .tagged
    }
  }

  private mutating func merge(
    elementsOf node: EncodingNode,
    into element: inout Layout.Kind,
    depth: Int
  ) {
    for item in node.slots { merge(item, into: &element, depth: depth + 1) }
  }

  private mutating func firstKind(of item: EncodingNode.Item, depth: Int) -> Layout.Kind {
    switch item {
    case .value(let value):
      return value.scalar.map(Layout.Kind.scalar) ?? .tagged
    case .node(let node) where depth < Self.deepest && node.form == .unkeyed:
      var element = Layout.Kind.unknown
      merge(elementsOf: node, into: &element, depth: depth)
      return .array(of: element)
    case .node(let node) where depth < Self.deepest && node.hasStaticMember:
      var fields: [Layout.Field] = []
      merge(node, into: &fields, depth: depth)
      return .record(fields)
    case .absent, .node:
      return .tagged
    }
  }
}

extension EncodingNode {
  /// Whether nothing was written, so that nobody knows what the keys are like.
  fileprivate var isEmptyKeyed: Bool {
    form == .keyed && slots.isEmpty && extras.isEmpty
  }

  fileprivate var hasStaticMember: Bool {
    !slots.isEmpty || extras.contains(where: \.isStatic)
  }
}
