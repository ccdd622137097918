import StrataNormalization

/// A commit that can be undone, or a group of them: the entities before it, and after it.
struct UndoStep: Sendable {
  let id: Int
  var name: String
  var before: ChangeSet
  var after: ChangeSet
  /// The group of ``UndoStack/group(_:_:)`` that it was recorded in.
  let group: Int?
  /// When the last commit was added.
  var time: ContinuousClock.Instant

  /// Whether a later commit found the entities that both change as this step left them: else another dispatcher has
  /// changed one in between, and an undo of both would overwrite that.
  func isContinued(by later: UndoStep) -> Bool {
    after.merging(later.before) == later.before.merging(after)
  }

  /// Adds a commit that followed.
  mutating func add(_ later: UndoStep) {
    before = later.before.merging(before)
    after = after.merging(later.after)
    time = later.time
  }
}

/// The commits that can be undone, and those that were undone: the state of an ``UndoStack``.
struct UndoHistory: Sendable {
  enum Direction: Sendable { case undo, redo }

  /// The latest commit is last.
  private(set) var done: [UndoStep] = []
  private(set) var undone: [UndoStep] = []
  private var nextID = 0
  private let limit: Int
  private let grouping: UndoGrouping
  /// The group that commits are added to, and how many calls have opened it.
  private var group: (id: Int, name: String, depth: Int)?
  /// Whether the last commit may be joined by the next one: not after an undo or a redo.
  private var isJoinable = false

  init(limit: Int, grouping: UndoGrouping) {
    self.limit = limit
    self.grouping = grouping
  }

  /// Adds a commit, to the step before if they belong together; undone commits can no longer be redone.
  mutating func push(_ name: String, before: ChangeSet, after: ChangeSet) {
    nextID += 1
    let groupName = group?.name ?? ""
    let step = UndoStep(
      id: nextID,
      name: groupName.isEmpty ? name : groupName,
      before: before,
      after: after,
      group: group?.id,
      time: grouping.now()
    )
    undone = []
    if let last = done.last, joins(step, last) {
      done[done.count - 1].add(step)
    } else {
      done.append(step)
      if done.count > limit { done.removeFirst(done.count - limit) }
    }
    isJoinable = true
  }

  private func joins(_ step: UndoStep, _ last: UndoStep) -> Bool {
    guard isJoinable, step.group == last.group, last.isContinued(by: step) else { return false }
    if step.group != nil { return true }
    guard let window = grouping.window, step.name == last.name else { return false }
    // The step before has changed all of its entities.
    return step.time - last.time <= window
      && last.after.merging(step.after).count == last.after.count
  }

  /// Adds the commits from here on to one step, until ``endGroup()``.
  mutating func beginGroup(_ name: String) {
    if let group {
      self.group = (group.id, group.name, group.depth + 1)
    } else {
      nextID += 1
      group = (nextID, name, 1)
    }
  }

  /// Ends the innermost group.
  mutating func endGroup() {
    guard let group else { return }
    self.group = group.depth == 1 ? nil : (group.id, group.name, group.depth - 1)
  }

  func next(_ direction: Direction) -> UndoStep? {
    direction == .undo ? done.last : undone.last
  }

  /// Records that a step was undone or redone, unless that is recorded already.
  mutating func move(_ step: Int, _ direction: Direction) {
    isJoinable = false
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
