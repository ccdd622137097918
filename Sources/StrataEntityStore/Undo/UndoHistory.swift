import StrataBase
import StrataNormalization

/// A commit that can be undone, or a group of them: the entities before it, and after it.
struct UndoStep: Sendable {
  let id: Int
  var name: String
  /// The group of ``UndoStack/group(_:_:)`` that it was recorded in.
  let group: Int?
  /// Whether its commit is a step of several stacks, because several dispatchers made it together.
  let isShared: Bool
  /// When the last commit was added.
  var time: ContinuousClock.Instant
  /// The numbers of the commits that it is made of, and of those that undid and redid it.
  var commits: Set<Int64>
  /// What the commits changed: each piece has more changes than the next one, so that adding a commit costs O(log n).
  private var pieces: [(before: ChangeSet, after: ChangeSet)]

  init(
    id: Int,
    name: String,
    before: ChangeSet,
    after: ChangeSet,
    commit: Int64,
    group: Int?,
    isShared: Bool,
    time: ContinuousClock.Instant
  ) {
    self.id = id
    self.name = name
    self.group = group
    self.isShared = isShared
    self.time = time
    commits = [commit]
    pieces = [(before, after)]
  }

  /// The entities before the step.
  var before: ChangeSet { merged.before }

  /// The entities after the step.
  var after: ChangeSet { merged.after }

  /// The changes of each piece; an entity may be in several.
  var changes: [ChangeSet] { pieces.map(\.after) }

  private var merged: (before: ChangeSet, after: ChangeSet) {
    pieces.dropLast().reversed().reduce(pieces[pieces.count - 1]) { later, earlier in
      (later.before.merging(earlier.before), earlier.after.merging(later.after))
    }
  }

  /// Adds a commit that followed.
  mutating func add(_ later: UndoStep) {
    pieces += later.pieces
    while pieces.count > 1,
      pieces[pieces.count - 2].after.count <= pieces[pieces.count - 1].after.count
    {
      let (later, earlier) = (pieces.removeLast(), pieces.removeLast())
      pieces.append(
        (later.before.merging(earlier.before), earlier.after.merging(later.after))
      )
    }
    commits.formUnion(later.commits)
    time = later.time
  }

  /// The step takes in what undoing or redoing it has overwritten, as the state before that and after it.
  mutating func take(_ direction: UndoHistory.Direction, from: ChangeSet, to: ChangeSet) {
    var (before, after) = merged
    switch direction {
    case .undo: (before, after) = (before.merging(to), after.merging(from))
    case .redo: (before, after) = (before.merging(from), after.merging(to))
    }
    pieces = [(before, after)]
  }

  /// The step loses what it has of these entities; returns whether something is left.
  mutating func remove(_ changes: ChangeSet) -> Bool {
    pieces = [(before.excluding(changes), after.excluding(changes))]
    return !pieces[0].after.isEmpty
  }
}

/// The commits that can be undone, and those that were undone: the state of an ``UndoStack``.
struct UndoHistory: Sendable {
  enum Direction: Sendable { case undo, redo }

  /// The latest commit is last.
  private(set) var done: [UndoStep] = []
  private(set) var undone: [UndoStep] = []
  /// For each table, which steps have changed an entity, and who has written it since.
  private var tables: [TableName: any UndoEntities] = [:]
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

  /// Whether a group is open.
  var isGrouping: Bool { group != nil }

  /// Adds a commit, to the step before if they belong together; undone commits can no longer be redone.
  mutating func push(
    _ name: String,
    before: ChangeSet,
    after: ChangeSet,
    commit: Int64,
    isShared: Bool
  ) {
    nextID += 1
    let groupName = group?.name ?? ""
    let step = UndoStep(
      id: nextID,
      name: groupName.isEmpty ? name : groupName,
      before: before,
      after: after,
      commit: commit,
      group: group?.id,
      isShared: isShared,
      time: grouping.now()
    )
    for step in undone { forget(step) }
    undone = []
    if let last = done.last, joins(step, last) {
      done[done.count - 1].add(step)
      forEachTable(of: after) { $0.add(last.id, $1) }
    } else {
      done.append(step)
      forEachTable(of: after) { $0.add(step.id, $1) }
      while done.count > limit { forget(done.removeFirst()) }
    }
    isJoinable = true
  }

  private func joins(_ step: UndoStep, _ last: UndoStep) -> Bool {
    guard isJoinable, step.group == last.group else { return false }
    // Another has written one of the entities since, and an undo of both would overwrite that.
    guard others(in: [step.after], of: last.id).isEmpty else { return false }
    if step.group != nil { return true }
    guard let window = grouping.window, !step.name.isEmpty, step.name == last.name,
      !step.isShared, !last.isShared, step.time - last.time <= window
    else { return false }
    return step.after.tables.allSatisfy { tables[$0.table]?.areAll($0, of: last.id) ?? false }
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

  /// The entities of a step that others have written since, as table and ID, sorted.
  func changedByOthers(since step: UndoStep) -> [String] {
    Array(Set(others(in: step.changes, of: step.id))).inOrder()
  }

  private func others(in changes: [ChangeSet], of step: Int) -> [String] {
    changes.flatMap(\.tables).flatMap { tables[$0.table]?.others($0, since: step) ?? [] }
  }

  /// Records that a step was undone or redone, unless that is recorded already.
  ///
  /// `from` has what the step did not leave so: it takes that in.
  mutating func move(
    _ step: Int,
    _ direction: Direction,
    commit: Int64?,
    from: ChangeSet,
    to: ChangeSet
  ) {
    isJoinable = false
    guard next(direction)?.id == step else { return }
    var moved = direction == .undo ? done.removeLast() : undone.removeLast()
    if let commit { moved.commits.insert(commit) }
    if !from.isEmpty || !to.isEmpty { moved.take(direction, from: from, to: to) }
    put(moved, direction)
  }

  /// Puts a step that was undone or redone to those.
  private mutating func put(_ step: UndoStep, _ direction: Direction) {
    forget(step)
    for changes in step.changes {
      forEachTable(of: changes) { $0.add(step.id, $1, isDone: direction == .redo) }
    }
    switch direction {
    case .undo: undone.append(step)
    case .redo: done.append(step)
    }
  }

  /// Notes a commit of others, or their undo or redo of a step.
  ///
  /// A commit that several dispatchers made together is a step of each: one undo takes it from all stacks.
  ///
  /// - Parameter before: What some entities were before the undo or the redo, also those that it left as they were.
  mutating func note(
    _ changes: ChangeSet,
    byRules: ChangeSet,
    commit: Int64?,
    move: UndoMove?,
    before: (ChangeSet) -> ChangeSet
  ) {
    var others = changes
    var own: [UndoStep] = []
    if let move {
      let steps = move.direction == .undo ? done : undone
      own = steps.filter { !$0.commits.isDisjoint(with: move.commits) }
    }
    for step in own { others = last(of: others, without: step.id) }
    if let commit {
      // What the rules made of an entity is not what it was before the step, whatever is undone later: the number is that of
      // no commit.
      forEachTable(of: others.restricted(to: [byRules])) {
        $0.note($1, move == nil ? commit : 0, nil)
      }
      forEachTable(of: others.excluding(byRules)) { $0.note($1, commit, move) }
    }
    guard let move else { return }
    for step in own {
      isJoinable = false
      follow(move, step, changes, commit, before: before)
    }
    // The step takes in what the rules made of its entities, but the steps before it did not leave them so.
    forEachTable(of: changes.restricted(to: [byRules]).excluding(others)) {
      $0.note($1, 0, nil, areDone: [move.direction == .undo])
    }
  }

  /// The changes of those entities that another step than this one has written last.
  private func last(of changes: ChangeSet, without step: Int) -> ChangeSet {
    ChangeSet(
      tables: changes.tables.compactMap { changes in
        guard let entities = tables[changes.table] else { return changes }
        return entities.changes(changes, without: step)
      }
    )
  }

  private mutating func follow(
    _ move: UndoMove,
    _ step: UndoStep,
    _ changes: ChangeSet,
    _ commit: Int64?,
    before: (ChangeSet) -> ChangeSet
  ) {
    var (step, list) = (step, move.direction == .undo ? done : undone)
    guard let index = list.firstIndex(where: { $0.id == step.id }) else { return }
    let isWhole = step.commits.isSubset(of: move.commits)
    if isWhole {
      list.remove(at: index)
      step.commits = move.commits
      if let commit { step.commits.insert(commit) }
      // The opposite direction brings back all that was there, as it does for the stack that has moved the step.
      step.take(
        move.direction,
        from: before(step.after),
        to: changes.restricted(to: [step.after])
      )
    } else {
      // The other step has only some of the commits of this one, which keeps the rest.
      forEachTable(of: changes) { $0.remove(step.id, $1) }
      if !list[index].remove(changes) { list.remove(at: index) }
    }
    switch move.direction {
    case .undo: done = list
    case .redo: undone = list
    }
    if isWhole { put(step, move.direction) }
  }

  /// The steps of its entities are forgotten with the step.
  private mutating func forget(_ step: UndoStep) {
    for changes in step.changes { forEachTable(of: changes) { $0.remove(step.id, $1) } }
  }

  mutating func removeAll() {
    done = []
    undone = []
    tables = [:]
  }

  private mutating func forEachTable(
    of changes: ChangeSet,
    _ body: (inout any UndoEntities, any AnyTableChanges) -> Void
  ) {
    for changes in changes.tables {
      var entities = tables.removeValue(forKey: changes.table) ?? changes.makeUndoEntities()
      body(&entities, changes)
      if !entities.isEmpty { tables[changes.table] = entities }
    }
  }
}
