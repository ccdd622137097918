import StrataJournal
import StrataRecords
import StrataSchema

/// From which fields of a table a step has made the values of others.
///
/// A value that another field of the record had before comes from that one. One that no field had may be made of any that
/// the record has lost. So this finds what a step has copied, moved, split or joined, and at times a field more.
struct FieldSources {
  /// The names that lead to a field.
  private typealias Names = [String]

  private struct Pair: Hashable {
    let before: Names
    let after: Names
  }

  private var pairs: Set<Pair> = []
  /// The fields that had the value which a field has got in every record so far, where others may have it by chance.
  private var alike: [Names: Set<Names>] = [:]
  /// The field where the last value of a field was found, by its name.
  private var usual: [String: String] = [:]

  /// The layouts that were compared last, for each field after the step the one of that name before, and the fields that
  /// have none after it.
  private var matched: (old: Layout, new: Layout, former: [Int?], gone: [Int])?

  /// Whether the values of two records say nothing that is not known, as far as their bytes show it.
  ///
  /// That is so if all values are the same or were lost. Where none was lost, it is so also if a number is of a field whose
  /// numbers no other field has had, and if the first bytes of any other value without parts do not occur in the record before.
  /// O(bytes) for each field that has another value; nothing is decoded.
  mutating func knows(
    _ before: ArraySlice<UInt8>,
    _ old: Layout,
    _ after: ArraySlice<UInt8>,
    _ new: Layout
  ) throws -> Bool {
    guard let had = FieldPresence(before, old), let has = FieldPresence(after, new) else {
      return false
    }
    let (former, gone) = match(old, new)
    var (hasLost, hasOthers) = (gone.contains { had[$0].hasValue }, false)
    let (places, newPlaces) = (try old.places(in: before), try new.places(in: after))
    for (index, field) in new.fields.enumerated() {
      let place = former[index].flatMap { had[$0].hasValue ? $0 : nil }
      if !has[index].hasValue {
        if place != nil { hasLost = true }
        continue
      }
      let bytes = after[newPlaces[index]..<newPlaces[index + 1]]
      if let place {
        let kind = old.fields[place].kind
        if had[place] == has[index], kind == field.kind,
          before[places[place]..<places[place + 1]] == bytes
        {
          continue
        }
        guard case .scalar = kind else { return false }
      }
      if field.name == "id" { continue }
      hasOthers = true
      guard case .scalar(let kind) = field.kind, has[index] == .value else { return false }
      if kind.isOfIntegers || kind == .string && bytes.elementsEqual(CollectionOfOne(0)) {
        guard alike[[field.name]]?.isEmpty ?? false else { return false }
      } else if before.contains(bytes: bytes.prefix(64)) {
        guard let source = usual[field.name],
          let place = old.fields.firstIndex(where: { $0.name == source }),
          had[place] == .value, old.fields[place].kind == field.kind,
          before[places[place]..<places[place + 1]] == bytes
        else { return false }
      }
    }
    return !(hasLost && hasOthers)
  }

  private mutating func match(_ old: Layout, _ new: Layout) -> (former: [Int?], gone: [Int]) {
    if let matched, matched.old === old, matched.new === new {
      return (matched.former, matched.gone)
    }
    let former = new.fields.map { field in old.fields.firstIndex { $0.name == field.name } }
    let gone = old.fields.indices.filter { !former.contains($0) }
    matched = (old, new, former, gone)
    return (former, gone)
  }

  /// Compares a record with what it was; O(values) for each field that has another value.
  mutating func note(_ before: RecordValue, _ old: Layout, _ after: RecordValue, _ new: Layout) {
    // Each once: a stored value is read whenever its members are.
    guard let had = before.members.map(Array.init), let has = after.members.map(Array.init) else {
      return
    }
    let hasSameFields = had.elementsEqual(has) { $0.name == $1.name }
    var fields: Fields?
    for (index, member) in has.enumerated() where member.name != "id" && member.value != .null {
      let former = hasSameFields ? had[index].value : had.value(of: member.name)
      if former == member.value { continue }
      if let source = usual[member.name], had.value(of: source) == member.value { continue }
      let sources = fields ?? Fields(of: .object(.init(had)), old, left: .object(.init(has)))
      fields = sources
      let kind = new.fields.first { $0.name == member.name }?.kind
      explain(member.value, kind, of: [member.name], sources)
    }
  }

  /// Finds what a value comes from, or its parts where it is found nowhere as a whole.
  private mutating func explain(
    _ value: RecordValue,
    _ kind: Layout.Kind?,
    of field: Names,
    _ had: Fields
  ) {
    let same = had.fields(with: value)
    if value == .null || same.contains(field) { return }
    let isDistinct = value.isDistinct
    if isDistinct, let source = same.first {
      if field.count == 1, source.count == 1 { usual[field[0]] = source[0] }
      return add(same, to: field)
    }
    if !isDistinct { alike[field] = alike[field]?.intersection(same) ?? Set(same) }
    let moved = same.filter(had.lost.contains)
    add(moved, to: field)
    switch value {
    case .object(let members):
      for member in members {
        guard case .record(let fields)? = kind else {
          explain(member.value, nil, of: field, had)
          continue
        }
        let kind = fields.first { $0.name == member.name }?.kind
        explain(member.value, kind, of: field + [member.name], had)
      }
    case .array(let elements):
      let kind: Layout.Kind? = if case .array(of: let element)? = kind { element } else { nil }
      for element in elements { explain(element, kind, of: field, had) }
    default: if moved.isEmpty { add(had.lost, to: field) }
    }
  }

  private mutating func add(_ fields: [Names], to field: Names) {
    for before in fields { pairs.insert(Pair(before: before, after: field)) }
  }

  /// What a table has got from itself under its name before.
  func renames(of former: String, to table: String) -> [DataLedger.Rename] {
    let copied = alike.flatMap { field, sources in
      sources.map { Pair(before: $0, after: field) }
    }
    return pairs.union(copied).map { pair in
      .init(
        .init(table: former, field: pair.before.joined(separator: ".")),
        to: .init(table: table, field: pair.after.joined(separator: "."))
      )
    }
  }

  /// The fields that a record had, and their parts.
  private struct Fields {
    private var values: [(field: Names, value: RecordValue)] = []
    /// Those without parts of their own that it has no more.
    private(set) var lost: [Names] = []

    init(of record: RecordValue, _ layout: Layout, left after: RecordValue) {
      record.forEachValue(layout) { names, value, isField in
        if names.isEmpty || names == ["id"] || value == .null { return }
        values.append((names, value))
        if isField, after.value(at: names) == nil { lost.append(names) }
      }
    }

    /// The fields that have a value, or a part that is it.
    func fields(with value: RecordValue) -> [Names] {
      var found: [Names] = []
      for (field, other) in values where other.holdsTheSame(as: value) && field != found.last {
        found.append(field)
      }
      return found
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

extension Scalar {
  /// Whether another field may have a value of it by chance.
  fileprivate var isOfIntegers: Bool {
    switch self {
    case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: true
    case .float, .double, .string, .data, .date, .uuid, .url, .decimal: false
    }
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

extension [RecordValue.Member] {
  fileprivate func value(of name: String) -> RecordValue? { first { $0.name == name }?.value }
}

extension RecordValue {
  /// Calls a closure with the names that lead to each value of a record, the value, and whether it is a field without
  /// fields of its own.
  ///
  /// The members of records are fields. An array and a dictionary are one field, to which the names of their parts lead; these
  /// are no fields. O(values).
  fileprivate func forEachValue(_ layout: Layout, _ body: ([String], RecordValue, Bool) -> Void) {
    forEachValue(.record(layout.fields), at: [], isField: true, body)
  }

  private func forEachValue(
    _ kind: Layout.Kind?,
    at path: [String],
    isField: Bool,
    _ body: ([String], RecordValue, Bool) -> Void
  ) {
    switch self {
    case .array(let elements):
      body(path, self, isField)
      let kind: Layout.Kind? = if case .array(of: let element)? = kind { element } else { nil }
      for element in elements { element.forEachValue(kind, at: path, isField: false, body) }
    case .object(let members):
      guard case .record(let fields)? = kind else {
        body(path, self, isField)
        for member in members { member.value.forEachValue(nil, at: path, isField: false, body) }
        return
      }
      body(path, self, false)
      for member in members {
        let kind = fields.first { $0.name == member.name }?.kind
        member.value.forEachValue(kind, at: path + [member.name], isField: isField, body)
      }
    default: body(path, self, isField)
    }
  }
}
