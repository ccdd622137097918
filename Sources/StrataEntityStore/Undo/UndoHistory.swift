import StrataNormalization

/// A commit that can be undone: its entities before it, and after it.
struct UndoStep: Sendable {
  let id: Int
  let name: String
  let before: ChangeSet
  let after: ChangeSet
}

/// The commits that can be undone, and those that were undone: the state of an ``UndoStack``.
struct UndoHistory: Sendable {
  enum Direction: Sendable { case undo, redo }

  /// The latest commit is last.
  private(set) var done: [UndoStep] = []
  private(set) var undone: [UndoStep] = []
  private var nextID = 0
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Adds a commit; undone commits can no longer be redone.
  mutating func push(_ name: String, before: ChangeSet, after: ChangeSet) {
    nextID += 1
    done.append(UndoStep(id: nextID, name: name, before: before, after: after))
    undone = []
    if done.count > limit { done.removeFirst(done.count - limit) }
  }

  func next(_ direction: Direction) -> UndoStep? {
    direction == .undo ? done.last : undone.last
  }

  /// Records that a step was undone or redone, unless that is recorded already.
  mutating func move(_ step: Int, _ direction: Direction) {
    switch direction {
    case .undo: if done.last?.id == step { undone.append(done.removeLast()) }
    case .redo: if undone.last?.id == step { done.append(undone.removeLast()) }
    }
  }

  mutating func removeAll() {
    done = []
    undone = []
  }
}

extension DatabaseType {
  /// The entities that differ from what these changes made of them, as table and ID, sorted.
  ///
  /// O(changes · log n), with one `==` an entity.
  func entitiesChanged(since changes: ChangeSet) -> [String] {
    let schema = Self.schema
    return changes.tables.flatMap {
      schema.table(named: $0.table)?.entitiesChanged(since: $0, in: self) ?? []
    }.sorted()
  }
}

extension SchemaTable {
  fileprivate func entitiesChanged(
    since changes: any AnyTableChanges,
    in database: Database
  ) -> [String] {
    guard let changes = changes as? TableChanges<Entity> else { return [] }
    return changes.changes.compactMap { change in
      let current = database[keyPath: path][change.id]
      let isUnchanged =
        switch change {
        case .put(let entity): current == entity
        case .remove: current == nil
        }
      return isUnchanged ? nil : "\(name) \(change.id)"
    }
  }
}
