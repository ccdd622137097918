/// The next layout of a table: the fields it has, and whatever its records have shown since.
///
/// A new field of the record itself, and its first kind or another one, are urgent: queries have the columns that
/// layouts list.
///
/// It only ever grows: fields are added at the end, `unknown` becomes a kind, and a kind that meets
/// another one becomes `tagged`. Types that nest in themselves, and types with endless members, stop
/// growing at a depth and a size; what lies beyond is tagged.
///
/// The references of a field follow its type, also in a later build, and when a field of an older layout
/// turns out to hold references. A field that holds references to several tables, or references among other
/// values, has none for the lifetime of its writer.
struct LayoutGrowth: Sendable {
  private static let deepest = 12
  /// The depth at which the kinds of the record's own fields are merged.
  private static let depthOfFields = 2
  private static let largest = 2_048

  private(set) var fields: [Layout.Field]
  /// Whether `fields` says more than the layout it was made from.
  private(set) var isWanted = false
  /// Whether a record has a member, or a kind of value, that the layout hides from those who read by its fields.
  private(set) var isUrgent = false
  private var size: Int
  /// What the values of each field were seen to refer to since the writer was made.
  private var references: [[String]: SeenReferences] = [:]

  private enum SeenReferences: Equatable, Sendable {
    case always(ReferencedTables?)
    case mixed
  }

  /// - Parameter earlier: what this writer learned before it made the layout.
  init(from layout: Layout, continuing earlier: LayoutGrowth? = nil) {
    references = earlier?.references ?? [:]
    fields = layout.fields
    size = layout.tables.records.reduce(0) { $0 + $1.names.count }
  }

  /// Learns from a record; O(record + fields), so only records that do not fit are shown to it.
  mutating func learn(from parts: RecordParts, _ layout: Layout) {
    guard case .frame(0) = parts.settled(.frame(0)), !parts.isArray(0) else { return }
    var fields: [Layout.Field] = []
    swap(&fields, &self.fields)
    let learner = Record(parts: parts, tables: layout.tables)
    merge(0, of: learner, at: [], into: &fields, depth: 1)
    self.fields = fields
  }

  private mutating func merge(
    _ frame: Int,
    of record: Record,
    at path: [String],
    into fields: inout [Layout.Field],
    depth: Int
  ) {
    let members = record.staticMembers(of: frame)
    if members.isEmpty { return }
    // Members that come in the order of the fields are found without a dictionary.
    var places: [String: Int]?
    var next = 0
    for member in members {
      let index: Int?
      if next < fields.count, fields[next].name == member.name {
        index = next
      } else {
        let known = places ?? Self.places(of: fields)
        index = known[member.name]
        places = known
      }
      if let index {
        next = index + 1
        merge(member, of: record, at: path, into: &fields[index], depth: depth)
      } else if size < Self.largest {
        size += 1
        isWanted = true
        if depth == 1 { isUrgent = true }
        var field = Layout.Field(member.name, .unknown)
        merge(member, of: record, at: path, into: &field, depth: depth)
        places?[member.name] = fields.count
        fields.append(field)
      }
    }
  }

  private static func places(of fields: [Layout.Field]) -> [String: Int] {
    Dictionary(fields.indices.lazy.map { (fields[$0].name, $0) }) { first, _ in first }
  }

  private mutating func merge(
    _ member: RecordParts.Member,
    of record: Record,
    at path: [String],
    into field: inout Layout.Field,
    depth: Int
  ) {
    let path = path + [member.name]
    merge(member.item, of: record, at: path, into: &field.kind, depth: depth + 1)
    merge(referencesOf: member.item, of: record, at: path, into: &field)
  }

  private mutating func merge(
    referencesOf item: RecordParts.Item,
    of record: Record,
    at path: [String],
    into field: inout Layout.Field
  ) {
    switch record.parts.settled(item) {
    case .absent, .null: return
    case .scalar, .frame: break
    }
    let seen = record.parts.references(of: item)
    if seen == nil, field.references == nil, references[path] == nil { return }
    switch references[path] {
    case nil: references[path] = .always(seen)
    case .always(seen): break
    case .always, .mixed: references[path] = .mixed
    }
    let wanted = references[path] == .mixed ? nil : seen
    guard field.references != wanted else { return }
    isWanted = true
    field.references = wanted
  }

  private mutating func merge(
    _ item: RecordParts.Item,
    of record: Record,
    at path: [String],
    into kind: inout Layout.Kind,
    depth: Int
  ) {
    let seen = record.parts.settled(item)
    switch (seen, kind) {
    case (.absent, _), (.null, _), (_, .tagged): return
    case (.scalar(let seen, _, _), .scalar(let scalar)) where seen == scalar: return
    case (.frame(let frame), .unknown) where record.isEmptyObject(frame): return
    case (.frame(let frame), .record(var fields)) where !record.parts.isArray(frame):
      kind = .unknown
      merge(frame, of: record, at: path, into: &fields, depth: depth)
      kind = .record(fields)
    case (.frame(let frame), .array(var element)) where record.parts.isArray(frame):
      kind = .unknown
      merge(elementsOf: frame, of: record, at: path, into: &element, depth: depth)
      kind = .array(of: element)
    case (_, .unknown):
      isWanted = true
      if depth == Self.depthOfFields { isUrgent = true }
      kind = firstKind(of: seen, of: record, at: path, depth: depth)
    default:
      isWanted = true
      if depth == Self.depthOfFields { isUrgent = true }
      kind = .tagged
    }
  }

  private mutating func merge(
    elementsOf frame: Int,
    of record: Record,
    at path: [String],
    into element: inout Layout.Kind,
    depth: Int
  ) {
    var next = record.parts.firstEntry(of: frame)
    while let entry = next {
      merge(entry.item, of: record, at: path, into: &element, depth: depth + 1)
      next = record.parts.entry(after: entry)
    }
  }

  private mutating func firstKind(
    of item: RecordParts.Item,
    of record: Record,
    at path: [String],
    depth: Int
  ) -> Layout.Kind {
    switch item {
    case .scalar(let scalar, _, _): return .scalar(scalar)
    case .frame(let frame) where depth < Self.deepest && record.parts.isArray(frame):
      var element = Layout.Kind.unknown
      merge(elementsOf: frame, of: record, at: path, into: &element, depth: depth)
      return .array(of: element)
    case .frame(let frame) where depth < Self.deepest && record.hasStaticMember(frame):
      var fields: [Layout.Field] = []
      merge(frame, of: record, at: path, into: &fields, depth: depth)
      return .record(fields)
    case .absent, .null, .frame: return .tagged
    }
  }
}

extension LayoutGrowth {
  /// What was written, and the layout that it was written against.
  private struct Record {
    let parts: RecordParts
    let tables: LayoutTables

    /// The names of the fields that the layout has for a frame.
    private func fieldNames(of frame: Int) -> [String] {
      guard let table = parts.frames[frame].shape.table else { return [] }
      return tables.records[table].names
    }

    /// The members that a layout may list: those that it lists, then the others.
    func staticMembers(of frame: Int) -> [RecordParts.Member] {
      let fieldNames = fieldNames(of: frame)
      var members: [RecordParts.Member] = []
      var next = parts.firstEntry(of: frame)
      while let entry = next {
        if let slot = entry.slot {
          members.append(.init(name: fieldNames[slot], isStatic: true, item: entry.item))
        }
        next = parts.entry(after: entry)
      }
      return members + parts.extras(of: frame).filter(\.isStatic)
    }

    /// Whether nothing was written, so that the kind of its keys is unknown.
    func isEmptyObject(_ frame: Int) -> Bool {
      !parts.isArray(frame) && fieldNames(of: frame).isEmpty && !parts.frames[frame].hasExtras
    }

    func hasStaticMember(_ frame: Int) -> Bool {
      !fieldNames(of: frame).isEmpty || parts.extras(of: frame).contains(where: \.isStatic)
    }
  }
}
