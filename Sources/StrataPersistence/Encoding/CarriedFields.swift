import StrataCore
import StrataNormalization
import StrataRecords

/// The fields of stored entities that this build does not know, kept so that a put does not drop them.
///
/// Restoring collects them, only for entities that have any. Each commit takes those of the entities it
/// puts along to the writer. A removal ends that; an undo of the removal restores the fields too.
package struct CarriedFields: Sendable {
  /// The database that a commit restores had these.
  static let restored = CommitAttachmentKey<CarriedFields>()
  /// Some of the entities that a commit puts had these; the others keep those that they have.
  static let returned = CommitAttachmentKey<CarriedFields>()

  private var tables: [TableName: any Sendable] = [:]

  /// No fields.
  package init() {}

  var isEmpty: Bool { tables.isEmpty }

  /// Adds what was found in the records of a table.
  mutating func add<Entity>(
    _ fields: [EntityID<Entity>: UnknownFields],
    of table: TableName
  ) {
    if !fields.isEmpty { tables[table] = TableFields(present: fields) }
  }

  /// Follows a commit, and returns the fields of the entities it puts.
  ///
  /// O(changes of tables that have any).
  ///
  /// - Parameters:
  ///   - isUndo: Whether an entity that the commit inserts is one that was removed.
  ///   - restored: The fields that the entities had in the database the commit restores, if it does.
  ///   - returned: The fields that entities had in the records that they get back, if they do.
  mutating func follow(
    _ changes: ChangeSet,
    isUndo: Bool,
    restoring restored: CarriedFields?,
    returning returned: CarriedFields?
  ) -> PutFields {
    var put = PutFields()
    for changes in changes.tables { follow(changes, isUndo, restored, returned, &put) }
    return put
  }

  /// The fields of the entities that changes put.
  func fields(of changes: ChangeSet) -> PutFields {
    var copy = self
    return copy.follow(changes, isUndo: false, restoring: nil, returning: nil)
  }

  private mutating func follow<Changes: AnyTableChanges>(
    _ changes: Changes,
    _ isUndo: Bool,
    _ restored: CarriedFields?,
    _ returned: CarriedFields?,
    _ put: inout PutFields
  ) {
    typealias Fields = TableFields<Changes.Entity>
    let then = restored.map { $0.tables[changes.table] as? Fields ?? Fields() }
    let back = returned?.tables[changes.table] as? Fields ?? Fields()
    if tables[changes.table] == nil, then?.present.isEmpty ?? true, back.present.isEmpty { return }
    // The only reference, so that the dictionaries are changed in place.
    var fields = tables.removeValue(forKey: changes.table) as? Fields ?? Fields()
    var found: [EntityID<Changes.Entity>: UnknownFields] = [:]
    for change in changes.changes {
      switch change {
      case .remove(let id): fields.remove(id)
      case .put(let entity):
        if let then { fields.present[entity.id] = then.present[entity.id] }
        if isUndo { fields.restore(entity.id) }
        if let back = back.present[entity.id] { fields.present[entity.id] = back }
        found[entity.id] = fields.present[entity.id]
      }
    }
    tables[changes.table] = fields
    put.add(found, of: changes.table)
  }
}

/// The fields of one table.
private struct TableFields<Entity: EntityType>: Sendable {
  var present: [EntityID<Entity>: UnknownFields] = [:]
  /// Those of entities that were removed since the file was opened.
  private var removed: [EntityID<Entity>: UnknownFields] = [:]

  init(present: [EntityID<Entity>: UnknownFields] = [:]) { self.present = present }

  mutating func remove(_ id: EntityID<Entity>) {
    if let fields = present.removeValue(forKey: id) { removed[id] = fields }
  }

  mutating func restore(_ id: EntityID<Entity>) {
    if present[id] == nil, let fields = removed.removeValue(forKey: id) { present[id] = fields }
  }
}

/// The fields that go into the records of the entities a delta puts.
struct PutFields: Sendable {
  private var tables: [TableName: any Sendable] = [:]

  var isEmpty: Bool { tables.isEmpty }

  fileprivate mutating func add<Entity: EntityType>(
    _ fields: [EntityID<Entity>: UnknownFields],
    of table: TableName
  ) {
    if !fields.isEmpty { tables[table] = fields }
  }

  /// Those of a table's entities, by their IDs.
  func fields<Entity: EntityType>(
    of type: Entity.Type,
    in table: TableName
  ) -> [EntityID<Entity>: UnknownFields] {
    tables[table] as? [EntityID<Entity>: UnknownFields] ?? [:]
  }

  /// These, followed by those of later changes.
  func merging(_ later: PutFields, of changes: ChangeSet) -> PutFields {
    if isEmpty { return later }
    var merged = self
    for changes in changes.tables { merged.merge(later, changes) }
    return merged
  }

  private mutating func merge<Changes: AnyTableChanges>(_ later: PutFields, _ changes: Changes) {
    var fields = fields(of: Changes.Entity.self, in: changes.table)
    let new = later.fields(of: Changes.Entity.self, in: changes.table)
    for change in changes.changes { fields[change.id] = new[change.id] }
    tables[changes.table] = fields
  }
}
