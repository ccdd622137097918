import StrataBase
import StrataJournal
public import StrataRecords
import StrataStorage

/// The declared changes.
extension MigrationTables {
  /// Gives tables other names, all at once, so two may change places.
  package func rename(_ names: [String: String]) throws {
    let targets = Set(names.values)
    for (table, name) in names.sorted(by: { $0.key < $1.key }) {
      try workspace.checkIsReadable(table)
      var scan = workspace.scan(name)
      if names[name] == nil, try scan.next() != nil {
        throw MigrationStepError("\(name) has records already, so \(table) cannot get its name")
      }
      workspace.copySealing(of: table, to: name)
    }
    try mapReferences(besides: names) { try $0.referring(to: names) }
    try workspace.columns.mapFields { try Layout([$0]).referring(to: names).fields[0] }
    for (table, name) in names.sorted(by: { $0.key < $1.key }) {
      try move(table, to: name, names, removing: !targets.contains(table))
    }
    for table in names.keys.sorted() where targets.contains(table) {
      var before = workspace.before(table)
      while let entity = try before.next() {
        try workspace.removeUnlessStaged(Array(entity.id), from: table)
      }
    }
    for table in names.keys where !targets.contains(table) { workspace.noteLeft(table) }
    workspace.noteRename(of: names)
  }

  /// Stores the records of a table under another name.
  private func move(
    _ table: String,
    to name: String,
    _ names: [String: String],
    removing removes: Bool
  ) throws {
    // The newest layout of the table is the newest of its new name.
    var numbers: [Int64: Int64] = [:]
    for (number, layout) in workspace.layouts(of: table).sorted(by: { $0.key < $1.key }) {
      numbers[number] = try workspace.session.number(of: layout.referring(to: names), table: name)
    }
    // Other records may be there already if the name is another table's.
    var (scan, before) = (workspace.scan(table), workspace.before(table))
    while let entity = try removes ? scan.next() : before.next() {
      let id = Array(entity.id)
      let number =
        try numbers[entity.layout]
        ?? workspace.session.number(of: workspace.layout(entity.layout), table: name)
      try workspace.stage(
        (number, Array(entity.record)),
        id: id,
        origin: removes ? workspace.origin(of: id, in: table) : nil,
        in: name
      )
      if removes { try workspace.removeKnown(id, from: table) }
    }
    workspace.tables.insert(name)
  }

  /// Removes the records of a table that was dropped.
  package func removeRecords(of table: String) throws {
    var scan = workspace.scan(table)
    while let entity = try scan.next() {
      try workspace.removeKnown(Array(entity.id), from: table)
    }
  }

  /// Gives a field another name.
  func renameField(_ field: String, to name: String, in table: String) throws {
    try workspace.checkIsReadable(table)
    var layouts: [Int64: Layout] = [:]
    for (number, layout) in workspace.layouts(of: table).sorted(by: { $0.key < $1.key }) {
      guard layout.fields.contains(where: { $0.name == field }),
        !layout.fields.contains(where: { $0.name == name })
      else { continue }
      let renamed = try Layout(
        layout.fields.map { $0.name == field ? .init(name, $0.kind, to: $0.references) : $0 }
      )
      layouts[number] = renamed
      _ = try workspace.session.number(of: renamed, table: table)
      if workspace.newestLayout(of: table) == layout { workspace.resume(table, with: renamed) }
    }
    workspace.renames.renameField(field, to: name, in: table)
    workspace.columns.drop(field, of: table)
    workspace.columns.mapFields(of: table) {
      $0.name == field ? .init(name, $0.kind, to: $0.references) : $0
    }
    var scan = workspace.scan(table)
    while let entity = try scan.next() {
      if let layout = layouts[entity.layout],
        FieldPresence(entity.record, try workspace.layout(entity.layout)) != nil
      {
        try workspace.put(Array(entity.record), layout, id: Array(entity.id), in: table)
        continue
      }
      // The field is beside the layout of the record, or there is one of the new name.
      let record = try record(entity)
      guard record[field] != nil else { continue }
      if let other = record[name], other != .null {
        throw MigrationStepError(
          "\(table) \(EncodedID.text(of: entity.id)) has both fields, \(field) and \(name)"
        )
      }
      var renamed = record
      renamed.rename(field, to: name)
      try workspace.put(renamed.members, id: Array(entity.id), in: table)
    }
  }

  /// Says that a field holds IDs of another table, as `REFERENCES` in a script does.
  ///
  /// The records stay as they are. From then on a change of those IDs follows, also for what is stored already, and a
  /// reference that would lead to no record is a finding. Where the field is a list, its elements are the IDs. O(layouts).
  public func reference(_ field: String, to target: String, in table: String) throws {
    let kind = kind(of: field, in: table)
    var references = ReferencedTables.table(target)
    if case .array = kind { references = .elements(references) }
    declare(Layout.Field(field, kind ?? .unknown, to: references), in: table)
  }

  /// Takes back that a field holds IDs.
  func removeReference(of field: String, in table: String) {
    guard let kind = kind(of: field, in: table) else {
      return declare(Layout.Field(field, .unknown), in: table)
    }
    declare(Layout.Field(field, kind), in: table)
  }

  /// The kind of a field in the newest layout that has it.
  private func kind(of field: String, in table: String) -> Layout.Kind? {
    workspace.layouts(of: table).sorted { $0.key > $1.key }
      .lazy.compactMap { $0.value.fields.first { $0.name == field }?.kind }.first
  }

  private func declare(_ field: Layout.Field, in table: String) {
    var columns = workspace.columns[table]
    if let index = columns.firstIndex(where: { $0.field.name == field.name }) {
      let kind = columns[index].field.kind
      columns[index] = columns[index].with(.init(field.name, kind, to: field.references), in: table)
    } else {
      let since = workspace.session.written.revision.next
      columns.append(
        DeclaredColumn(table: table, field: field, isRequired: false, since: since)
      )
    }
    if columns != workspace.columns[table] { workspace.columns.declare(columns, in: table) }
  }

  /// Removes a table with its records.
  func drop(_ table: String) throws {
    allow(.destructive(table))
    end(table)
    try removeRecords(of: table)
  }

  /// Writes the records of a table with its newest layout.
  func rewrite(_ table: String) throws {
    try workspace.checkIsReadable(table)
    guard let newest = workspace.newestLayout(of: table) else { return }
    var scan = workspace.scan(table)
    while let entity = try scan.next() {
      if try workspace.layout(entity.layout) == newest { continue }
      let record = try record(entity)
      if record.isLone { continue }
      try workspace.put(record.members, id: Array(entity.id), in: table)
    }
  }

  /// Gives the records of a table other IDs, in this table and wherever they are referred to.
  ///
  /// ```swift
  /// DataMigration("0004_short_ids") { tables in
  ///   try tables.changeID(of: "users") { .string(String($0.id.text?.suffix(8) ?? "")) }
  /// }
  /// ```
  ///
  /// The same as ``DataChange/changeID(of:version:_:back:)``, for a step that does more, or for a way back. It sees the records
  /// as the step has left them, and allows itself what it loses. O(records of the store).
  ///
  /// - Throws: what the closure throws, and an error where two records would have the same ID; on the way back the run then
  ///   throws `DataMigrationError.idsNotReversible`.
  public func changeID(
    of table: String,
    _ newID: (MigrationRecord) throws -> RecordValue
  ) throws {
    try workspace.checkIsReadable(table)
    let staging = workspace.staging
    try staging.dropMoved()
    var kinds: Set<Layout.Kind> = []
    var oldKinds: Set<UInt8> = []
    var scan = workspace.scan(table)
    while let entity = try scan.next() {
      let id = try newID(try record(entity))
      if let kind = entity.id.first { oldKinds.insert(kind) }
      kinds.insert(id.scalar.map { .scalar($0) } ?? .tagged)
      let new = EncodedID.bytes(of: id)
      guard try staging.note(Array(entity.id), isNow: new, id.taggedBytes) else {
        throw MigrationStepError.sameID(new, in: table)
      }
    }
    let kind = kinds.count == 1 ? kinds.first ?? .tagged : .tagged
    try moveRecords(of: table, kind)
    for other in workspace.tables.sorted() where other != table {
      try rewriteReferences(from: other, to: table, kind)
    }
    var unfollowed = UnfollowedIDs(workspace, kinds: oldKinds)
    for other in workspace.tables.sorted() {
      let followed = try references(from: other, to: table)
      for finding in try unfollowed.find(in: other, besides: followed, of: table) { note(finding) }
    }
    try staging.dropMoved()
    // All of its old IDs are gone, and lead to the new ones where a layout says that they are references.
    allow(.lossy("\(table).id"))
  }

  /// Stores the records of a table under their new IDs, once all of them are known.
  private func moveRecords(of table: String, _ kind: Layout.Kind) throws {
    let staging = workspace.staging
    let references = try references(from: table, to: table)
    if let layout = workspace.newestLayout(of: table) {
      let id = Layout.Reference(path: [.field("id")], table: table)
      workspace.resume(table, with: try layout.holding(kind, at: [id] + references))
    }
    var scan = workspace.scan(table)
    while let entity = try scan.next() {
      var record = try record(entity)
      guard !record.isLone, let value = try staging.newValue(of: Array(entity.id)) else { continue }
      record.id = try RecordValue(taggedBytes: value)
      var members = record.members
      if let index = members.firstIndex(where: { $0.name == "id" }) {
        members[index].value = record.id
      }
      members = try rewritten(members, at: references) ?? members
      let (layout, bytes) = try workspace.encode(members, in: table)
      let number = try workspace.session.number(of: layout, table: table)
      let id = EncodedID.bytes(of: record.id)
      let stored = try workspace.sealed((number, bytes), id: id, in: table)
      try staging.note(Array(entity.id), isStoredAs: stored)
    }
    var last: [UInt8]?
    while true {
      let page = try staging.moved(after: last)
      guard let end = page.last else { break }
      last = end.old
      for moved in page {
        guard let record = moved.record else { continue }
        let isMoved = moved.old != moved.new
        try workspace.put(record, id: moved.new, movedFrom: isMoved ? moved.old : nil, in: table)
      }
    }
  }

  /// Rewrites the references from another table to the records that have new IDs.
  private func rewriteReferences(from table: String, to target: String, _ kind: Layout.Kind) throws
  {
    let references = try references(from: table, to: target)
    guard !references.isEmpty else { return }
    try workspace.checkIsReadable(table)
    if let layout = workspace.newestLayout(of: table) {
      workspace.resume(table, with: try layout.holding(kind, at: references))
    }
    for reference in references {
      allow(.lossy("\(table).\(reference.field)"))
    }
    var scan = workspace.scan(table)
    while let entity = try scan.next() {
      let record = try record(entity)
      guard !record.isLone, let members = try rewritten(record.members, at: references) else {
        continue
      }
      try workspace.put(members, id: Array(entity.id), in: table)
    }
  }

  /// Members with new IDs in the places that refer to the table; nil if none differs.
  private func rewritten(
    _ members: [RecordValue.Member],
    at references: [Layout.Reference]
  ) throws -> [RecordValue.Member]? {
    var value = RecordValue.object(.init(members))
    var isChanged = false
    for reference in references {
      value = try value.replacing(reference.path[...]) { id in
        guard let new = try newID(for: id, at: reference) else { return id }
        isChanged = true
        return new
      }
    }
    return isChanged ? value.members : nil
  }

  private func newID(for id: RecordValue, at reference: Layout.Reference) throws -> RecordValue? {
    for candidate in reference.candidates(for: id) {
      if let value = try workspace.staging.newValue(of: candidate) {
        return try RecordValue(taggedBytes: value)
      }
    }
    return nil
  }

  /// The places where IDs of another table are in the records of a table.
  private func references(from table: String, to target: String) throws -> [Layout.Reference] {
    try workspace.references(from: table).filter { $0.table == target }
  }

  /// Gives the records that refer to tables other layouts; they keep their bytes.
  private func mapReferences(
    besides names: [String: String],
    _ change: (Layout) throws -> Layout
  ) throws {
    for table in workspace.tables.sorted() where names[table] == nil {
      var layouts: [Int64: Layout] = [:]
      for (number, layout) in workspace.layouts(of: table).sorted(by: { $0.key < $1.key })
      where layout.references.contains(where: { names[$0.table] != nil }) {
        layouts[number] = try change(layout)
      }
      if layouts.isEmpty { continue }
      if let newest = workspace.newestLayout(of: table) {
        workspace.resume(table, with: try change(newest))
      }
      var scan = workspace.scan(table)
      while let entity = try scan.next() {
        guard let layout = layouts[entity.layout] else { continue }
        try workspace.put(Array(entity.record), layout, id: Array(entity.id), in: table)
      }
    }
  }
}

extension Layout {
  /// The layout with references to the new names of tables.
  package func referring(to names: [String: String]) throws -> Layout {
    try Layout(Self.referring(fields, to: names))
  }

  private static func referring(_ fields: [Field], to names: [String: String]) -> [Field] {
    fields.map { field in
      Field(
        field.name,
        referring(field.kind, to: names),
        to: field.references?.replacing(names)
      )
    }
  }

  private static func referring(_ kind: Kind, to names: [String: String]) -> Kind {
    switch kind {
    case .unknown, .scalar, .tagged: kind
    case .array(of: let element): .array(of: referring(element, to: names))
    case .record(let fields): .record(referring(fields, to: names))
    }
  }

  /// The layout with another kind in the places of references.
  ///
  /// Places in dictionaries describe themselves, and stay as they are.
  func holding(_ kind: Kind, at references: [Reference]) throws -> Layout {
    var fields = fields
    for reference in references {
      fields = Self.holding(fields, kind, at: reference.path[...])
    }
    return try Layout(fields)
  }

  private static func holding(
    _ fields: [Field],
    _ kind: Kind,
    at path: ArraySlice<Reference.Step>
  ) -> [Field] {
    guard case .field(let name)? = path.first else { return fields }
    return fields.map { field in
      guard field.name == name else { return field }
      return Field(
        name,
        holding(field.kind, kind, at: path.dropFirst()),
        to: field.references
      )
    }
  }

  private static func holding(
    _ old: Kind,
    _ kind: Kind,
    at path: ArraySlice<Reference.Step>
  ) -> Kind {
    switch (old, path.first) {
    case (.tagged, _): return old
    case (_, nil): return kind
    case (.array(of: let element), .element?):
      return .array(of: holding(element, kind, at: path.dropFirst()))
    case (.record(let fields), .field?): return .record(holding(fields, kind, at: path))
    default: return old
    }
  }
}

extension ReferencedTables {
  /// The same with the new names of tables.
  fileprivate func replacing(_ names: [String: String]) -> ReferencedTables {
    switch self {
    case .table(let old): .table(names[old] ?? old)
    case .elements(let elements): .elements(elements.replacing(names))
    case .dictionary(let keys, let values):
      .dictionary(keys: keys?.replacing(names), values: values?.replacing(names))
    }
  }
}
