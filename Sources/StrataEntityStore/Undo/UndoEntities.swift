import StrataBase
import StrataNormalization

/// Which steps of an ``UndoStack`` have changed each entity of a table, and which commits of others have written it since.
///
/// A commit of others is noted with the last step that wrote the entity, since steps are undone from the last one: undoing that
/// step brings the entity back as it was before the step, and then what is noted with the step before it counts. Values are not
/// compared: an entity may be unequal to itself, or equal to others.
protocol UndoEntities: Sendable {
  /// Whether no step has an entity of the table.
  var isEmpty: Bool { get }

  /// Adds a step to those of the changed entities, unless it is the last one already.
  mutating func add(_ step: Int, _ changes: any AnyTableChanges, isDone: Bool)

  /// Removes a step from those of the changed entities.
  mutating func remove(_ step: Int, _ changes: any AnyTableChanges)

  /// Notes a commit of others with the last done and the last undone step of each entity, or with one of them.
  ///
  /// An undo of theirs takes back the commits that it undoes, if they were noted, and a redo an undo. Then nothing has changed
  /// since.
  mutating func note(
    _ changes: any AnyTableChanges,
    _ commit: Int64,
    _ move: UndoMove?,
    areDone: [Bool]
  )

  /// The entities among the changed ones that others have written since a step, as table and ID.
  func others(_ changes: any AnyTableChanges, since step: Int) -> [String]

  /// The changes of the entities of which a step is not the last one, among the done steps or the undone ones as it is; nil if
  /// there are none.
  func changes(_ changes: any AnyTableChanges, without step: Int) -> (any AnyTableChanges)?

  /// Whether a step is the last one of each of the changed entities.
  func areAll(_ changes: any AnyTableChanges, of step: Int) -> Bool
}

extension UndoEntities {
  mutating func add(_ step: Int, _ changes: any AnyTableChanges) {
    add(step, changes, isDone: true)
  }

  mutating func note(_ changes: any AnyTableChanges, _ commit: Int64, _ move: UndoMove?) {
    note(changes, commit, move, areDone: [true, false])
  }
}

/// The steps of the entities of one table.
private struct UndoEntitiesOfTable<Entity: EntityType>: UndoEntities {
  /// A step that has an entity, and the numbers of the commits of others since; those of an undo are negative.
  private typealias Place = (step: Int, isDone: Bool, others: [Int64])

  /// For each entity the steps, the done ones and the undone ones each in their order.
  private var places: [EntityID<Entity>: [Place]] = [:]

  var isEmpty: Bool { places.isEmpty }

  mutating func add(_ step: Int, _ changes: any AnyTableChanges, isDone: Bool) {
    for id in ids(changes) where places[id]?.last?.step != step {
      places[id, default: []].append((step, isDone, []))
    }
  }

  mutating func remove(_ step: Int, _ changes: any AnyTableChanges) {
    for id in ids(changes) {
      places[id]?.removeAll { $0.step == step }
      if places[id]?.isEmpty == true { places[id] = nil }
    }
  }

  mutating func note(
    _ changes: any AnyTableChanges,
    _ commit: Int64,
    _ move: UndoMove?,
    areDone: [Bool]
  ) {
    if places.isEmpty { return }
    let sign: Int64 = move?.direction == .undo ? -1 : 1
    for id in ids(changes) where places[id] != nil {
      for isDone in areDone {
        guard let last = places[id]?.lastIndex(where: { $0.isDone == isDone }) else { continue }
        let others = places[id]?[last].others ?? []
        let left = others.filter { move?.commits.contains(-sign * $0) != true }
        places[id]?[last].others = left.count < others.count ? left : others + [sign * commit]
      }
    }
  }

  func others(_ changes: any AnyTableChanges, since step: Int) -> [String] {
    ids(changes).compactMap { id in
      let place = places[id]?.last { $0.step == step }
      return place?.others.isEmpty == false ? "\(changes.table) \(id)" : nil
    }
  }

  func changes(_ changes: any AnyTableChanges, without step: Int) -> (any AnyTableChanges)? {
    guard let changes = changes as? TableChanges<Entity> else { return nil }
    let kept = changes.changes.filter { change in
      let steps = places[change.id] ?? []
      guard let own = steps.last(where: { $0.step == step }) else { return true }
      return steps.last { $0.isDone == own.isDone }?.step != step
    }
    return kept.isEmpty ? nil : TableChanges(table: changes.table, changes: kept)
  }

  func areAll(_ changes: any AnyTableChanges, of step: Int) -> Bool {
    ids(changes).allSatisfy { places[$0]?.last?.step == step }
  }

  private func ids(_ changes: any AnyTableChanges) -> [EntityID<Entity>] {
    (changes as? TableChanges<Entity>)?.changes.map(\.id) ?? []
  }
}

extension AnyTableChanges {
  fileprivate func makeEntities() -> any UndoEntities { UndoEntitiesOfTable<Entity>() }

  /// An empty list of the entities of the table.
  func makeUndoEntities() -> any UndoEntities { makeEntities() }

  /// The changes of those entities that the others change too, or of the rest; nil if there are none.
  fileprivate func filtered(
    by others: [any AnyTableChanges],
    keeping isKept: Bool
  ) -> (any AnyTableChanges)? {
    let ids = Set(others.flatMap { ($0 as? TableChanges<Entity>)?.changes.map(\.id) ?? [] })
    let kept = changes.filter { ids.contains($0.id) == isKept }
    return kept.isEmpty ? nil : TableChanges(table: table, changes: kept)
  }
}

extension ChangeSet {
  /// These changes of the entities that one of the others changes too.
  ///
  /// O(changes of all).
  func restricted(to others: [ChangeSet]) -> ChangeSet { filtered(by: others, keeping: true) }

  /// These changes without those of the entities that the others change too.
  ///
  /// O(changes of both).
  func excluding(_ others: ChangeSet) -> ChangeSet { filtered(by: [others], keeping: false) }

  private func filtered(by others: [ChangeSet], keeping isKept: Bool) -> ChangeSet {
    ChangeSet(
      tables: tables.compactMap { changes in
        let others = others.flatMap(\.tables).filter { $0.table == changes.table }
        return changes.filtered(by: others, keeping: isKept)
      }
    )
  }

  /// The changed entities, as table and ID, sorted.
  var entities: [String] { tables.flatMap(\.entities).inOrder() }

  /// What the changed entities are in a database.
  func current<Database: DatabaseType>(in database: Database) -> ChangeSet {
    let schema = Database.schema
    return ChangeSet(
      tables: tables.compactMap { schema.table(named: $0.table)?.current($0, in: database) }
    )
  }
}

extension AnyTableChanges {
  fileprivate var entities: [String] { changes.map { "\(table) \($0.id)" } }
}

extension SchemaTable {
  fileprivate func current(
    _ changes: any AnyTableChanges,
    in database: Database
  ) -> (any AnyTableChanges)? {
    guard let changes = changes as? TableChanges<Entity> else { return nil }
    let table = database[keyPath: path]
    return TableChanges(
      table: name,
      changes: changes.changes.map { change in
        table[change.id].map { .put($0) } ?? .remove(change.id)
      }
    )
  }
}
