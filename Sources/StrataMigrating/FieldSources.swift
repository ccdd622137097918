import StrataJournal
import StrataRecords
import StrataSchema

/// From which fields of a table a step has made the values of others.
///
/// A value that another field of the record had before comes from that one. One that no field had may be made of any that
/// the record has lost. So this finds what a step has copied, moved, split or joined, and at times a field more.
struct FieldSources {
  private struct Pair: Hashable {
    let before: FieldPath
    let after: FieldPath
  }

  private var pairs: Set<Pair> = []
  /// The fields that had the value which a field has got in every record so far, where others may have it by chance.
  private var alike: [FieldPath: Set<FieldPath>] = [:]

  /// Compares a record with what it was; O(values) for each field that has another value.
  mutating func note(_ before: RecordValue, _ old: Layout, _ after: RecordValue, _ new: Layout) {
    guard let members = after.members else { return }
    let changed = members.filter {
      $0.name != "id" && $0.value != .null && $0.value != before[$0.name]
    }
    if changed.isEmpty { return }
    let had = Fields(of: before, old, left: after)
    for member in changed {
      let kind = new.fields.first { $0.name == member.name }?.kind
      explain(member.value, kind, of: FieldPath(member.name), had)
    }
  }

  /// Finds what a value comes from, or its parts where it is found nowhere as a whole.
  private mutating func explain(
    _ value: RecordValue,
    _ kind: Layout.Kind?,
    of field: FieldPath,
    _ had: Fields
  ) {
    let same = had.fields(with: value)
    if value == .null || same.contains(field) { return }
    if value.isDistinct, !same.isEmpty { return add(same, to: field) }
    if !value.isDistinct { alike[field] = alike[field]?.intersection(same) ?? same }
    let moved = same.intersection(had.lost)
    add(moved, to: field)
    switch value {
    case .object(let members):
      for member in members {
        guard case .record(let fields)? = kind else {
          explain(member.value, nil, of: field, had)
          continue
        }
        let kind = fields.first { $0.name == member.name }?.kind
        explain(member.value, kind, of: FieldPath("\(field).\(member.name)"), had)
      }
    case .array(let elements):
      let kind: Layout.Kind? = if case .array(of: let element)? = kind { element } else { nil }
      for element in elements { explain(element, kind, of: field, had) }
    default: if moved.isEmpty { add(had.lost, to: field) }
    }
  }

  private mutating func add(_ fields: Set<FieldPath>, to field: FieldPath) {
    for before in fields { pairs.insert(Pair(before: before, after: field)) }
  }

  /// What a table has got from itself under its name before.
  func renames(of former: String, to table: String) -> [DataLedger.Rename] {
    let copied = alike.flatMap { field, sources in
      sources.map { Pair(before: $0, after: field) }
    }
    return pairs.union(copied).map { pair in
      .init(
        .init(table: former, field: pair.before.description),
        to: .init(table: table, field: pair.after.description)
      )
    }
  }

  /// The fields that a record had, and their parts.
  private struct Fields {
    private var values: [(field: FieldPath, value: RecordValue)] = []
    /// Those without parts of their own that it has no more.
    private(set) var lost: Set<FieldPath> = []

    init(of record: RecordValue, _ layout: Layout, left after: RecordValue) {
      record.forEachValue(layout) { names, value, isField in
        if names.isEmpty || names == ["id"] || value == .null { return }
        let field = FieldPath(names.joined(separator: "."))
        values.append((field, value))
        if isField, after.value(at: names) == nil { lost.insert(field) }
      }
    }

    func fields(with value: RecordValue) -> Set<FieldPath> {
      Set(values.lazy.filter { $0.value.holdsTheSame(as: value) }.map(\.field))
    }
  }
}

extension MigrationDifference {
  /// The names that the step has given, and the fields from which it has made the values of others, when its columns are
  /// known.
  ///
  /// What is in no record of a table any more may be in the records that the step has added to others; O(layouts).
  func allRenames() -> [DataLedger.Rename] {
    let names = workspace.shapes.renames
    var gone: Set<DataLedger.Rename.Name> = []
    for table in workspace.changedTables {
      let shape = workspace.shapes[table]
      for field in shape.fieldsLeft {
        gone.insert(.init(table: shape.former ?? table, field: field))
      }
    }
    for report in reports where report.deleted > 0 && report.after == 0 {
      for field in workspace.layouts(of: report.table).values.flatMap(\.fields) {
        gone.insert(.init(table: report.table, field: field.name))
      }
    }
    let added = self.added.flatMap { table, numbers in
      let fields = numbers.compactMap { workspace.layouts(of: table)[$0] }.flatMap(\.fields)
      return Set(fields.map(\.name)).map { DataLedger.Rename.Name(table: table, field: $0) }
    }
    let moved = gone.flatMap { before in added.map { DataLedger.Rename(before, to: $0) } }
      .filter { $0.before.field != "id" && $0.after.field != "id" && $0.before != $0.after }
    let others = Set(copies + moved).filter { copy in
      !names.contains { $0 == copy || $0.includes(copy) }
    }
    return names + others.sorted { $0.names.lexicographicallyPrecedes($1.names) }
  }
}

extension DataLedger.Rename {
  fileprivate var names: [String] {
    [before.table, before.field ?? "", after.table, after.field ?? ""]
  }

  /// Whether it has given a part of a field another name that the other one has given the part alone.
  fileprivate func includes(_ other: Self) -> Bool {
    guard before.table == other.before.table, after.table == other.after.table,
      let field = before.field, let name = after.field,
      let former = other.before.field, let part = other.after.field,
      former.hasPrefix(field + "."), part.hasPrefix(name + ".")
    else { return false }
    return former.dropFirst(field.count) == part.dropFirst(name.count)
  }
}

extension RecordValue {
  /// Whether another field is unlikely to have it by chance.
  fileprivate var isDistinct: Bool {
    switch self {
    case .null, .bool, .int, .uint: false
    case .string(let text): !text.isEmpty
    case .array(let elements): elements.contains(where: \.isDistinct)
    case .object(let members): members.contains(where: \.value.isDistinct)
    default: true
    }
  }

  /// Whether it is equal to another one, whose members may have another order.
  fileprivate func holdsTheSame(as other: RecordValue) -> Bool {
    switch (self, other) {
    case (.array(let elements), .array(let others)):
      elements.elementsEqual(others) { $0.holdsTheSame(as: $1) }
    case (.object(let members), .object(let others)):
      members.sorted { $0.name < $1.name }
        .elementsEqual(others.sorted { $0.name < $1.name }) {
          $0.name == $1.name && $0.value.holdsTheSame(as: $1.value)
        }
    default: self == other
    }
  }

  /// The part to which names of members lead.
  fileprivate func value(at names: [String]) -> RecordValue? {
    names.reduce(self as RecordValue?) { $0?[$1] }
  }
}
