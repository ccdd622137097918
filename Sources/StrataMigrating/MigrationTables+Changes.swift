import StrataBase
import StrataJournal
public import StrataRecords
import StrataStorage

/// The declared changes.
extension MigrationTables {
  /// Gives tables other names, all at once, so two may change places.
  func rename(_ names: [String: String]) throws {
    let targets = Set(names.values)
    for (table, name) in names.sorted(by: { $0.key < $1.key }) {
      try workspace.checkIsReadable(table)
      var scan = workspace.scan(name)
      if names[name] == nil, try scan.next() != nil {
        throw MigrationStepError("\(name) has records already, so \(table) cannot get its name")
      }
      workspace.copySealing(of: table, to: name)
    }
    for table in workspace.tables.sorted() where names[table] == nil {
      let numbers = try workspace.relabel([table: table]) { layout in
        let refers = layout.references.contains { names[$0.table] != nil }
        return refers ? try layout.referring(to: names) : nil
      }
      var scan = numbers.isEmpty ? Peekable { nil } : workspace.scan(table)
      while let entity = try scan.next() {
        if let number = numbers[entity.layout] { try workspace.put(entity, as: number) }
      }
    }
    let numbers = try workspace.relabel(names) { try $0.referring(to: names) }
    for (table, name) in names.sorted(by: { $0.key < $1.key }) {
      try move(table, to: name, numbers, removing: !targets.contains(table))
    }
    for table in names.keys.sorted() where targets.contains(table) {
      var before = workspace.before(table)
      let number = workspace.number(of: table)
      while let entity = try before.next() {
        let id = Array(entity.id)
        let isTaken = try workspace.staging.row(of: .staged, number, id)?.record != nil
        if !isTaken { try workspace.clear(id, in: table, .moved) }
      }
    }
    for table in names.keys where !targets.contains(table) { workspace.noteLeft(table) }
    try workspace.shapes.rename(names)
  }

  /// Stores the records of a table under another name.
  private func move(
    _ table: String,
    to name: String,
    _ numbers: [Int64: Int64],
    removing removes: Bool
  ) throws {
    // Other records may be there already if the name is another table's.
    let isChanged = removes && workspace.changes(table)
    var records = removes ? workspace.scan(table) : workspace.before(table)
    while let entity = try records.next() {
      let id = Array(entity.id)
      let number =
        try numbers[entity.layout]
        ?? workspace.session.number(of: workspace.layout(entity.layout), table: name)
      let origin = isChanged ? try workspace.origin(of: id, in: table) : .place
      try workspace.put((number, Array(entity.record)), id: id, from: origin, in: name)
      if removes { try workspace.clear(id, in: table, .moved) }
    }
    workspace.tables.insert(name)
  }

  /// Removes the records of a table that was dropped.
  func removeRecords(of table: String) throws {
    var scan = workspace.scan(table)
    while let entity = try scan.next() {
      try workspace.clear(Array(entity.id), in: table, .removed)
    }
  }

  /// Gives a field another name.
  func renameField(_ field: String, to name: String, in table: String) throws {
    try workspace.checkIsReadable(table)
    let numbers = try workspace.relabel([table: table]) { layout in
      guard layout.fields.contains(where: { $0.name == field }),
        !layout.fields.contains(where: { $0.name == name })
      else { return nil }
      return try Layout(
        layout.fields.map { $0.name == field ? .init(name, $0.kind, to: $0.references) : $0 }
      )
    }
    var shape = workspace.shapes[table]
    shape.rename(field, to: name)
    shape.leave(field)
    let declared = shape.declared.map { column in
      guard column.name == field else { return column }
      return column.with(.init(name, column.field.kind, to: column.field.references))
    }
    shape.declare(declared)
    workspace.shapes[table] = shape
    var scan = workspace.scan(table)
    while let entity = try scan.next() {
      if let number = numbers[entity.layout],
        FieldPresence(entity.record, try workspace.layout(entity.layout)) != nil
      {
        try workspace.put(entity, as: number)
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
    var columns = workspace.shapes[table].declared
    if let index = columns.firstIndex(where: { $0.name == field.name }) {
      let kind = columns[index].field.kind
      columns[index] = columns[index].with(.init(field.name, kind, to: field.references))
    } else {
      columns.append(DeclaredColumn(table: table, field: field))
    }
    workspace.shapes[table].declare(columns)
  }

  /// Removes a table with its records.
  func drop(_ table: String) throws {
    allow(.destructive(table))
    workspace.noteLeft(table)
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
      let record = try record(entity)
      let id = try newID(record)
      if record.isLone { continue }
      if let kind = entity.id.first { oldKinds.insert(kind) }
      kinds.insert(id.scalar.map { .scalar($0) } ?? .tagged)
      let (old, new) = (Array(entity.id), EncodedID.bytes(of: id))
      let stored = try workspace.sealed((entity.layout, Array(entity.record)), id: old, in: table)
      let origin = try workspace.origin(of: old, in: table)
      guard try staging.note(old, isNow: new, id.taggedBytes, stored, from: origin) else {
        throw MigrationStepError.sameID(new, in: table)
      }
    }
    let kind = kinds.count == 1 ? kinds.first ?? .tagged : .tagged
    for other in workspace.tables.sorted() {
      let references = try workspace.references(from: other).filter { $0.table == table }
      var unfollowed = UnfollowedIDs(staging, kinds: oldKinds, besides: references)
      if other == table {
        try moveRecords(of: table, kind, references, &unfollowed)
      } else {
        try rewrite(references, in: other, kind, &unfollowed)
      }
      for finding in unfollowed.findings(in: other, of: table) { note(finding) }
    }
    try staging.dropMoved()
    // All of its old IDs are gone, and lead to the new ones where a layout says that they are references.
    allow(.lossy("\(table).id"))
  }

  /// Stores the records of a table under their new IDs, once all of them are known.
  private func moveRecords(
    of table: String,
    _ kind: Layout.Kind,
    _ references: [Layout.Reference],
    _ unfollowed: inout UnfollowedIDs
  ) throws {
    let staging = workspace.staging
    if let layout = workspace.newestLayout(of: table) {
      let id = Layout.Reference(path: [.field("id")], table: table)
      try workspace.resume(table, with: layout.holding(kind, at: [id] + references))
    }
    var left = staging.moved()
    while let (old, _, _) = try left.next() { try workspace.clear(old, in: table, .moved) }
    var moved = staging.moved()
    while let (old, stored, origin) = try moved.next() {
      guard let value = try staging.newValue(of: old) else { continue }
      let entity = StoredEntity(
        table: table,
        id: old[...],
        layout: stored.layout,
        record: stored.bytes[...]
      )
      var record = try record(workspace.opened(entity))
      try unfollowed.look(at: record.members)
      record.id = try RecordValue(taggedBytes: value)
      var members = record.members
      if let index = members.firstIndex(where: { $0.name == "id" }) {
        members[index].value = record.id
      }
      members = try rewritten(members, at: references) ?? members
      let (layout, bytes) = try workspace.encode(members, in: table)
      try workspace.put(
        bytes,
        layout,
        id: EncodedID.bytes(of: record.id),
        from: origin == .place ? .moved(from: old) : origin,
        in: table
      )
    }
  }

  /// Rewrites the references from another table to the records that have new IDs.
  private func rewrite(
    _ references: [Layout.Reference],
    in table: String,
    _ kind: Layout.Kind,
    _ unfollowed: inout UnfollowedIDs
  ) throws {
    if !references.isEmpty {
      try workspace.checkIsReadable(table)
      if let layout = workspace.newestLayout(of: table) {
        try workspace.resume(table, with: layout.holding(kind, at: references))
      }
      for reference in references { allow(.lossy("\(table).\(reference.field)")) }
    }
    var scan = workspace.scan(table)
    while let entity = try scan.next() {
      if try workspace.layout(entity.layout).isOfSealedRecords { continue }
      let record = try record(entity)
      if record.isLone { continue }
      try unfollowed.look(at: record.members)
      guard let members = try rewritten(record.members, at: references) else { continue }
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
}

extension Layout {
  /// The layout with references to the new names of tables.
  package func referring(to names: [String: String]) throws -> Layout {
    try Layout(Self.changed(fields, in: [], references: { $0.replacing(names) }, kinds: { $1 }))
  }

  /// The layout with another kind in the places of references.
  ///
  /// Places in dictionaries describe themselves, and stay as they are.
  func holding(_ kind: Kind, at references: [Reference]) throws -> Layout {
    let places = Set(references.map(\.path))
    return try Layout(
      Self.changed(fields, in: [], references: { $0 }) { path, old in
        old != .tagged && places.contains(path) ? kind : old
      }
    )
  }

  /// Fields with what closures make of their references, and of the kinds in their places.
  private static func changed(
    _ fields: [Field],
    in path: [Reference.Step],
    references: (ReferencedTables) -> ReferencedTables,
    kinds: ([Reference.Step], Kind) -> Kind
  ) -> [Field] {
    func changed(_ kind: Kind, _ path: [Reference.Step]) -> Kind {
      switch kind {
      case .unknown, .scalar, .tagged: kinds(path, kind)
      case .array(of: let element): kinds(path, .array(of: changed(element, path + [.element])))
      case .record(let fields):
        kinds(path, .record(Self.changed(fields, in: path, references: references, kinds: kinds)))
      }
    }
    return fields.map { field in
      let kind = changed(field.kind, path + [.field(field.name)])
      return Field(field.name, kind, to: field.references.map(references))
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
