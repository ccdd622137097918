import StrataJournal
import StrataRecords
import StrataSchema
import StrataStorage

/// The names that tables and fields have had: what migrations have made of the records of a file.
///
/// The ledger has what a migration has renamed. What a step in Swift has done by itself the records show: a field that a
/// migration has taken away and one that it has added are the same if they share a value. Those that share none with any
/// other, and of which the ledger has nothing, are all taken for the same, because a migration may have changed each value
/// too. So this finds former names, and at times a field more. Where a step's records were trimmed, the lists of tables and
/// columns show what it has taken away.
struct FormerFields {
  /// A field of a table by its path in the records.
  struct Place: Hashable {
    let table: String
    let path: FieldPath
  }

  /// A table before and after a migration, with the paths that have become others.
  private struct Step {
    let before: String
    let after: String
    var fields: [(before: FieldPath, after: FieldPath)] = []
    /// Whether the ledger has it.
    var isListed = false
  }

  private var steps: [Step] = []
  /// The names that the ledger has, by the revisions of its migrations.
  private let listed: [(revision: Revision, renames: [DataLedger.Rename])]
  private let catalog: LayoutCatalog

  /// Reads what migrations have written, and what it was before.
  ///
  /// O(records that migrations have written), and O(entities) for each snapshot from before a migration that was trimmed.
  init(in view: ReadView) throws {
    catalog = view.catalog
    listed = try DataLedger.history(on: view.journal.connection)
      .map { (Revision($0.entry.revision), $0.entry.renames) }
    for (_, renames) in listed { addListed(renames) }
    var last = view.oldest
    while true {
      let page = try view.journal.migrationHeaders(
        after: last,
        through: view.last.revision,
        limit: 256
      )
      guard let end = page.last?.header else { break }
      for (header, _) in page { try add(header, view) }
      last = end.revision
    }
    let boundaries = try MigrationBoundaries(in: view.journal.connection)
    for snapshot in view.verified where snapshot.header.revision < view.oldest {
      let revision = snapshot.header.revision
      guard boundaries.after(revision).contains(where: { $0.revision <= view.oldest }) else {
        continue
      }
      try addTrimmed(from: revision, view)
    }
    // Of a migration that was trimmed, and of which no snapshot is left, the lists alone say what has ended.
    let ends = view.listed.compactMap(\.until) + view.dropped.map(\.since)
    for end in Set(ends) where end <= view.oldest { add([:], between: end...end, view) }
  }

  /// The fields that a field is, was and has become, itself among them.
  func all(of place: Place) -> Set<Place> {
    var found: Set<Place> = []
    var open = [(place: place, isListed: true)]
    while let (next, isListed) = open.popLast() {
      // A part of what is found is found with it.
      let isCovered = found.contains { $0.table == next.table && $0.path.covers(next.path) }
      if isCovered || next.path.isTooDeep || !isListed && !mayBeThere(next) { continue }
      found.insert(next)
      for step in steps {
        if step.before == next.table {
          open += next.path.renamed(by: step.fields)
            .map { (Place(table: step.after, path: $0), step.isListed) }
        }
        if step.after == next.table {
          let fields = step.fields.map { (before: $0.after, after: $0.before) }
          open += next.path.renamed(by: fields)
            .map { (Place(table: step.before, path: $0), step.isListed) }
        }
      }
    }
    return found
  }
}

extension FormerFields {
  /// Whether a layout lets a record have something at a place.
  private func mayBeThere(_ place: Place) -> Bool {
    var findings = Layout.PathFindings()
    for layout in catalog.numberedLayouts(of: place.table).values {
      layout.find(place.path, &findings)
    }
    return findings.hasValues || findings.isOpen || !findings.ids.isEmpty
  }
}

extension FieldPath {
  /// How deep a record is at most; a deeper path leads to nothing.
  private static let deepest = 64

  fileprivate var isTooDeep: Bool {
    description.utf8.count { $0 == UInt8(ascii: ".") } >= Self.deepest
  }

  /// Whether another path is this one or leads to a part of it.
  fileprivate func covers(_ other: FieldPath) -> Bool {
    other.description.utf8.starts(with: description.utf8)
      && (other.description.utf8.count == description.utf8.count
        || other.description.utf8.dropFirst(description.utf8.count).first == UInt8(ascii: "."))
  }

  /// The paths that it has become, itself among them.
  fileprivate func renamed(by fields: [(before: FieldPath, after: FieldPath)]) -> [FieldPath] {
    var paths = [self]
    for (before, after) in fields {
      if covers(before) {
        paths.append(after)
      } else if before.covers(self) {
        let rest = description.utf8.dropFirst(before.description.utf8.count)
        paths.append(FieldPath(after.description + String(Substring(rest))))
      }
    }
    return paths
  }
}

/// What migrations did.
extension FormerFields {
  /// Notes names that the ledger has.
  private mutating func addListed(_ renames: [DataLedger.Rename]) {
    let byTables = Dictionary(grouping: renames) { [$0.before.table, $0.after.table] }
    for (names, renames) in byTables {
      steps.append(
        Step(before: names[0], after: names[1], fields: Self.fields(of: renames), isListed: true)
      )
    }
  }

  private static func fields(
    of renames: [DataLedger.Rename]
  ) -> [(before: FieldPath, after: FieldPath)] {
    renames.compactMap { rename in
      guard let before = rename.before.field, let after = rename.after.field else { return nil }
      return (FieldPath(before), FieldPath(after))
    }
  }

  /// The records of a table before or after a migration: their fields, and the values of these.
  private struct Contents {
    /// Hashes of values by which a field is recognized: texts, bytes, times and the like.
    var values: [FieldPath: Set<Int>] = [:]

    mutating func add(_ record: RecordValue, _ layout: Layout) {
      add(record, .record(layout.fields), at: [])
    }

    /// The members of records are fields of their own; those of dictionaries are values of their field.
    private mutating func add(_ value: RecordValue, _ kind: Layout.Kind?, at path: [String]) {
      switch value {
      case .array(let elements):
        let kind: Layout.Kind? = if case .array(of: let element)? = kind { element } else { nil }
        note(nil, path)
        for element in elements { add(element, kind, at: path) }
      case .object(let members):
        if case .record(let fields)? = kind {
          for member in members {
            let field = fields.first { $0.name == member.name }
            add(member.value, field?.kind, at: path + [member.name])
          }
        } else {
          note(nil, path)
          for member in members {
            note(.string(member.name), path)
            add(member.value, nil, at: path)
          }
        }
      default: note(value, path)
      }
    }

    /// Notes that there is a field, and the value by which it is recognized; an empty dictionary has none.
    private mutating func note(_ value: RecordValue?, _ path: [String]) {
      let path = FieldPath(path.joined(separator: "."))
      switch value {
      case nil, .null?, .bool?, .int?, .uint?: values[path, default: []].formUnion([])
      case .string(let text)? where text.isEmpty: values[path, default: []].formUnion([])
      case let value?: values[path, default: []].insert(value.taggedBytes.hashValue)
      }
    }

    /// Adds fields that no record has a value in.
    mutating func add(fields: [String]) {
      for path in fields.map({ FieldPath($0) }) where !values.keys.contains(where: path.covers) {
        values[path] = []
      }
    }
  }

  /// The tables of two states, by the name before and the name after.
  private typealias Tables = [[String]: (before: Contents, after: Contents)]

  /// Notes what the migrations of a delta did.
  private mutating func add(_ header: DeltaHeader, _ view: ReadView) throws {
    let start = header.first.previous
    var replay = try view.changes(after: start)
    guard let (_, blocks) = try replay.next() else { return }
    var tables: Tables = [:]
    var wanted: [String: [[UInt8]: String]] = [:]
    for block in blocks {
      for entry in block.entries {
        guard case .put(let number, let record) = entry.change else { continue }
        let key = block.key(of: entry)
        let former = block.former(of: entry) ?? key
        wanted[former.table, default: [:]][Array(former.id)] = key.table
        let layout = try view.catalog.layout(number)
        tables[[former.table, key.table], default: (Contents(), Contents())].after.add(
          try RecordValue(record: block.bytes[record], layout: layout),
          layout
        )
      }
    }
    let keys = wanted.flatMap { table, ids in ids.keys.map { EntityKey(table: table, id: $0[...]) }
    }
    let state = try view.state(
      at: start,
      scope: keys.count <= Self.mostNamed ? .entities(keys) : .everything
    )
    for (table, ids) in wanted.sorted(by: { $0.key < $1.key }) {
      var scan = state.scan(table, .ids(Set(ids.keys)))
      while let entity = try scan.next() {
        let layout = try view.catalog.layout(entity.layout)
        let after = ids[Array(entity.id)] ?? table
        tables[[table, after], default: (Contents(), Contents())].before.add(
          try RecordValue(record: entity.record, layout: layout),
          layout
        )
      }
    }
    add(tables, between: start...header.revision, view)
  }

  /// For more entities than this, reading all changes is cheaper than looking for theirs.
  private static let mostNamed = 1_024

  /// Notes what the migrations did between a snapshot and the oldest revision of the journal: their deltas are gone.
  private mutating func addTrimmed(from revision: Revision, _ view: ReadView) throws {
    func contents(at revision: Revision) throws -> [String: Contents] {
      let state = try view.state(at: revision)
      var contents: [String: Contents] = [:]
      for table in view.tables(at: revision) {
        let listed = view.listed.filter { $0.name == table }
        guard listed.isEmpty || listed.contains(where: { $0.since <= revision }) else { continue }
        contents[table] = Contents()
        var scan = state.scan(table)
        while let entity = try scan.next() {
          let layout = try view.catalog.layout(entity.layout)
          contents[table]?.add(try RecordValue(record: entity.record, layout: layout), layout)
        }
      }
      return contents
    }
    let (before, after) = (try contents(at: revision), try contents(at: view.oldest))
    var tables: Tables = [:]
    for (name, old) in before {
      if let new = after[name] { tables[[name, name]] = (old, new) }
      for (other, new) in after where after[name] == nil && before[other] == nil {
        tables[[name, other]] = (old, new)
      }
    }
    add(tables, between: revision...view.oldest, view)
  }

  /// Adds what became of tables between two revisions, also of those without records.
  private mutating func add(
    _ found: Tables,
    between revisions: ClosedRange<Revision>,
    _ view: ReadView
  ) {
    var tables = found
    let ended = view.listed.filter { $0.until.map(revisions.contains) ?? false }.map(\.name)
    let started = view.tables(at: revisions.upperBound).filter { name in
      view.listed.contains { $0.name == name && revisions.contains($0.since) }
    }
    for former in ended where !found.keys.contains(where: { $0[0] == former }) {
      for table in started where !found.keys.contains(where: { $0[1] == table }) {
        tables[[former, table]] = (Contents(), Contents())
      }
    }
    // A table whose records are gone has lost and got columns all the same.
    for column in view.columns where revisions.contains(column.since) {
      if !tables.keys.contains(where: { $0[1] == column.table }) {
        tables[[column.table, column.table]] = (Contents(), Contents())
      }
    }
    for (names, contents) in tables.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let columns = view.columns.filter { $0.table == names[1] && revisions.contains($0.since) }
      var (before, after) = contents
      let dropped = columns.filter(\.isDropped).map(\.name)
      before.add(fields: dropped)
      after.add(fields: columns.filter { !$0.isDropped }.map(\.name))
      if !dropped.isEmpty { after.add(fields: Self.fields(besides: dropped, of: names, view)) }
      let renames = listed.filter { revisions.contains($0.revision) }.flatMap(\.renames)
      let fields = Self.renames(
        before,
        after,
        besides: Self.fields(of: renames.filter { $0.after.table == names[1] })
      )
      steps.append(Step(before: names[0], after: names[1], fields: fields))
    }
  }

  /// The fields of new records of a table that none has with a dropped field.
  private static func fields(
    besides dropped: [String],
    of names: [String],
    _ view: ReadView
  ) -> [String] {
    let layouts = Set(names).flatMap { view.catalog.layouts(of: $0) }
      .filter { layout in layout.fields.contains { dropped.contains($0.name) } }
    let others = Set(layouts.flatMap(\.fields).map(\.name))
    return names.compactMap { view.catalog.lastLayout(of: $0) }.flatMap(\.fields).map(\.name)
      .filter { !others.contains($0) }
  }

  /// The fields before and after that may be the same.
  ///
  /// - Parameter listed: Those that the ledger has.
  private static func renames(
    _ before: Contents,
    _ after: Contents,
    besides listed: [(before: FieldPath, after: FieldPath)]
  ) -> [(before: FieldPath, after: FieldPath)] {
    let lost = before.values.filter { after.values[$0.key] == nil }
    let gained = after.values.filter { before.values[$0.key] == nil }
    var pairs: [(before: FieldPath, after: FieldPath)] = []
    var known: (lost: Set<FieldPath>, gained: Set<FieldPath>) = ([], [])
    for (field, values) in lost {
      for (other, others) in gained where !values.isDisjoint(with: others) {
        known.lost.insert(field)
        known.gained.insert(other)
        pairs.append((field, other))
      }
    }
    for field in lost.keys where listed.contains(where: { $0.before.covers(field) }) {
      known.lost.insert(field)
    }
    for field in gained.keys where listed.contains(where: { $0.after.covers(field) }) {
      known.gained.insert(field)
    }
    for field in lost.keys where !known.lost.contains(field) {
      for other in gained.keys where !known.gained.contains(other) { pairs.append((field, other)) }
    }
    return pairs + pairs.compactMap { pair in pair.before.withoutCommonEnd(pair.after) }
  }
}

extension FieldPath {
  /// Two paths without the names in which they end both; nil if one would be empty, or if they end differently.
  ///
  /// Where `contact.email` has become `kontakt.email`, `contact` has become `kontakt`.
  fileprivate func withoutCommonEnd(_ other: FieldPath) -> (before: FieldPath, after: FieldPath)? {
    var own = description.split(separator: ".", omittingEmptySubsequences: false)
    var others = other.description.split(separator: ".", omittingEmptySubsequences: false)
    let count = own.count
    while own.count > 1, others.count > 1, own.last == others.last {
      own.removeLast()
      others.removeLast()
    }
    if own.count == count { return nil }
    return (FieldPath(own.joined(separator: ".")), FieldPath(others.joined(separator: ".")))
  }
}
