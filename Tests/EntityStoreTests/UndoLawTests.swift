import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

/// An entity that refers to folders in each of the ways that a rule can be about.
struct Node: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "nodes"

  let id: EntityID<Node>
  var name = 0
  /// A removed folder takes this node along.
  var parent: Node.ID?
  /// A removed folder leaves this field.
  var pin: Node.ID?
  /// A removed folder leaves this list.
  var tags: [Node.ID] = []
  /// This node keeps a folder.
  var keeps: Node.ID?
  /// Written by middleware.
  var stamp = 0

  static let byParent = GroupIndex(\Node.parent)
  static let byPin = GroupIndex(\Node.pin)
  static let byTag = GroupIndex(each: \Node.tags)
  static let byKept = GroupIndex(\Node.keeps)
  static let indexes: EntityIndexes<Node> = [byParent, byPin, byTag, byKept]
}

struct NodeDatabase: DatabaseType {
  var folders = EntityTable<Node>()
  var notes = EntityTable<Node>()
  /// Written by middleware alone.
  var counters = EntityTable<Node>()

  static let schema = DatabaseSchema<NodeDatabase> {
    Entities(\.folders, named: "folders")
    Entities(\.notes, named: "notes")
    Entities(\.counters, named: "counters")
    References(
      from: \.notes,
      Node.byParent,
      to: \.folders,
      onRemoval: .cascade,
      existence: .unchecked
    )
    References(
      from: \.notes,
      Node.byPin,
      to: \.folders,
      onRemoval: .nullify(\.pin),
      existence: .unchecked
    )
    References(
      from: \.notes,
      Node.byTag,
      to: \.folders,
      onRemoval: .nullify(\.tags),
      existence: .unchecked
    )
    References(
      from: \.notes,
      Node.byKept,
      to: \.folders,
      onRemoval: .restrict,
      existence: .unchecked
    )
  }
}

struct NodeState: StateType {
  var db = NodeDatabase()
}

final class NodeStore: Store<NodeState, Never>, @unchecked Sendable {
  /// Middleware that stamps what a commit has put, and counts commits.
  static let stamps = ModifyingMiddleware<NodeState> { edit in
    let changes = ChangeSet(from: edit.previous.db, to: edit.state.db)
    for case .put(var node) in changes.changes(of: Node.self, in: "folders") {
      node.stamp = Int(edit.version)
      edit.state.db.folders.insert(node)
    }
    for case .put(var node) in changes.changes(of: Node.self, in: "notes") {
      node.stamp = Int(edit.version)
      edit.state.db.notes.insert(node)
    }
    edit.state.db.counters.insert(Node(id: 0, name: Int(edit.version)))
  }
}

/// The nodes of a database without what middleware writes, by table and ID: the state of the model.
typealias Nodes = [String: Node]

extension NodeDatabase {
  var nodes: Nodes {
    var nodes: Nodes = [:]
    for (table, letter) in [(folders, "f"), (notes, "n")] {
      for var node in table {
        node.stamp = 0
        nodes["\(letter)\(node.id)"] = node
      }
    }
    return nodes
  }

  init(_ nodes: Nodes) {
    for (key, node) in nodes {
      if key.hasPrefix("f") { folders.insert(node) } else { notes.insert(node) }
    }
  }
}

/// Random commits and undos of two dispatchers against a model that compares whole states.
@Suite struct UndoLawTests {
  /// What one step changed: the nodes before it and after it.
  struct Step {
    let serial: Int
    var before: [String: Node?] = [:]
    var after: [String: Node?] = [:]

    mutating func add(from old: Nodes, to new: Nodes) {
      for key in Set(old.keys).union(new.keys) where old[key] != new[key] {
        if before[key] == nil { before.updateValue(old[key], forKey: key) }
        after.updateValue(new[key], forKey: key)
      }
    }
  }

  /// One dispatcher, its stack, and the model of that.
  struct Editor {
    let dispatcher: NodeStore.Dispatcher
    let stack: UndoStack<NodeState, Never, NodeDatabase>
    var done: [Step] = []
    var undone: [Step] = []
    /// The nodes that others have written since each step, by its serial number.
    var foreign: [Int: Set<String>] = [:]
    /// The nodes that another undo overwrote, or changed through the rules, which is the editor's own change.
    var ruled: [Int: Set<String>] = [:]

    init(_ store: NodeStore) {
      dispatcher = NodeStore.Dispatcher(targetStore: store)
      stack = UndoStack(of: dispatcher, database: \.db)
    }

    mutating func push(_ step: Step) {
      undone = []
      if !step.after.isEmpty { done.append(step) }
    }

    mutating func note(_ keys: some Sequence<String>) {
      for step in done + undone { foreign[step.serial, default: []].formUnion(keys) }
    }

    /// The step that another has undone or redone is so here too.
    mutating func follow(_ serial: Int, _ isUndo: Bool, from old: Nodes, to new: Nodes) {
      let index = (isUndo ? done : undone).firstIndex { $0.serial == serial }
      guard let index else { return }
      var step = isUndo ? done.remove(at: index) : undone.remove(at: index)
      for key in step.after.keys {
        step.before.updateValue(isUndo ? new[key] : old[key], forKey: key)
        step.after.updateValue(isUndo ? old[key] : new[key], forKey: key)
      }
      foreign[serial] = []
      if isUndo { undone.append(step) } else { done.append(step) }
    }
  }

  struct Program {
    let store = NodeStore(initialState: NodeState())
    var editors: [Editor] = []
    var random: SeededGenerator
    var number = 0
    var outcomes: [String: Int] = [:]

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed)
      if !seed.isMultiple(of: 3) { store.add(middleware: NodeStore.stamps) }
      editors = [Editor(store), Editor(store)]
    }

    var nodes: Nodes { store.state.db.nodes }

    mutating func id() -> Node.ID { EntityID(Int.random(in: 0..<4, using: &random)) }

    mutating func maybe() -> Node.ID? { Int.random(in: 0..<4, using: &random) == 0 ? id() : nil }

    /// No two nodes that are put are equal.
    mutating func node() -> Node {
      number += 1
      return Node(
        id: id(),
        name: number,
        parent: maybe(),
        pin: maybe(),
        tags: [maybe(), maybe()].compactMap { $0 },
        keeps: Int.random(in: 0..<3, using: &random) == 0 ? maybe() : nil
      )
    }

    mutating func mutate(_ database: inout NodeDatabase) {
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0...1: database.folders.insert(node())
        case 2...3: database.notes.insert(node())
        case 4: database.folders.remove(id())
        default: database.notes.remove(id())
        }
      }
    }

    /// A commit of some editors; returns whether the rules accept it.
    mutating func commit(by makers: [Int]) {
      let objects = makers.map { ObjectIdentifier(editors[$0].dispatcher) }
      let trace = CommitTrace(name: "edit", fileID: #fileID, function: #function, line: #line)
      _ = try? store.commit(
        trace,
        by: objects.first,
        and: Array(objects.dropFirst()),
        scope: \NodeState.db
      ) { (database: inout NodeDatabase, _: inout CommitAttachments) throws in mutate(&database) }
    }
  }
}

extension UndoLawTests.Program {
  mutating func run() throws {
    for _ in 0..<25 {
      switch Int.random(in: 0..<12, using: &random) {
      case 0...3: edit(by: [Int.random(in: 0...1, using: &random)], times: 1)
      case 4: edit(by: [0, 1], times: 1)
      case 5: edit(by: [Int.random(in: 0...1, using: &random)], times: 3)
      case 6: edit(by: [], times: 1)
      default:
        let isUndo = Int.random(in: 0..<3, using: &random) > 0
        try move(
          Int.random(in: 0...1, using: &random),
          isUndo,
          Int.random(in: 0..<6, using: &random) == 0
        )
      }
    }
  }

  /// Commits once, or several times in a group.
  mutating func edit(by makers: [Int], times: Int) {
    number += 1
    var steps = [UndoLawTests.Step(serial: number)]
    let before = nodes
    let body = { (program: inout Self) in
      for _ in 0..<times {
        let old = program.nodes
        program.commit(by: makers)
        steps[0].add(from: old, to: program.nodes)
      }
    }
    if times > 1, let maker = makers.first {
      let stack = editors[maker].stack
      stack.group { body(&self) }
    } else {
      body(&self)
    }
    let after = nodes
    let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    for index in editors.indices {
      if makers.contains(index) {
        if !steps[0].after.isEmpty { editors[index].push(steps[0]) }
      } else {
        editors[index].note(Set(changed).union(steps[0].after.keys))
      }
    }
  }

  /// Undoes or redoes, and compares with the whole state with the nodes of the step put back.
  mutating func move(_ index: Int, _ isUndo: Bool, _ overwrites: Bool) throws {
    let (stack, old) = (editors[index].stack, nodes)
    let step = isUndo ? editors[index].done.last : editors[index].undone.last
    let conflict = overwrites ? UndoConflict.overwrite : .refuse
    guard let step else {
      #expect(try (isUndo ? stack.undo(conflict) : stack.redo(conflict)) == false, "\(random)")
      return
    }
    let (from, to) = isUndo ? (step.after, step.before) : (step.before, step.after)
    var plain = old
    for (key, node) in to { plain[key] = node }
    let isChanged = from.contains { old[$0.key] != $0.value }
    var ruled = NodeDatabase(old)
    let current = ruled
    ruled.apply(ChangeSet(from: current, to: NodeDatabase(plain)))
    let isAccepted = (try? ruled.applyRules(since: current)) != nil
    let foreign = editors[index].foreign[step.serial, default: []].intersection(to.keys)
    // What is as it is to be is not overwritten.
    let isOverwritten = foreign.subtracting(editors[index].ruled[step.serial, default: []])
      .contains { old[$0] != from[$0] ?? nil && old[$0] != to[$0] ?? nil }
    let error: (any Error)?
    do {
      #expect(try isUndo ? stack.undo(conflict) : stack.redo(conflict), "\(random)")
      error = nil
    } catch let refusal {
      error = refusal
    }
    let outcome =
      switch error {
      case nil: overwrites && (isChanged || ruled.nodes != plain) ? "overwritten" : "moved"
      case is UndoError: ruled.nodes != plain && !isChanged ? "refused for the rules" : "refused"
      default: "violated"
      }
    outcomes[outcome, default: 0] += 1
    if let error {
      #expect(nodes == old, "\(random)")
      if error is UndoError {
        #expect(!overwrites, "\(random)")
        #expect(
          !foreign.isEmpty || !isAccepted || ruled.nodes != plain,
          "\(random): \(error)"
        )
      } else {
        #expect(!isAccepted, "\(random): \(error)")
      }
      return
    }
    #expect(isAccepted, "\(random)")
    #expect(overwrites || !isOverwritten, "\(random)")
    #expect(nodes == (overwrites ? ruled.nodes : plain), "\(random)")
    didMove(index, step, isUndo, overwrites, from: old)
  }

  /// Moves the step in the model, with what it has overwritten.
  mutating func didMove(
    _ index: Int,
    _ step: UndoLawTests.Step,
    _ isUndo: Bool,
    _ overwrites: Bool,
    from old: Nodes
  ) {
    let new = nodes
    var step = step
    let keys = step.after.keys
    for key in Set(step.after.keys).union(
      Set(old.keys).union(new.keys).filter { old[$0] != new[$0] }
    ) {
      let (before, after) = isUndo ? (new[key], old[key]) : (old[key], new[key])
      step.before.updateValue(before, forKey: key)
      step.after.updateValue(after, forKey: key)
    }
    editors[index].foreign[step.serial] = []
    let taken = Set(step.after.keys).subtracting(overwrites ? [] : Array(keys))
    for own in editors[index].done + editors[index].undone {
      editors[index].ruled[own.serial, default: []].formUnion(taken)
    }
    if isUndo {
      editors[index].done.removeLast()
      editors[index].undone.append(step)
    } else {
      editors[index].undone.removeLast()
      editors[index].done.append(step)
    }
    let other = 1 - index
    editors[other].note(step.after.keys)
    editors[other].follow(step.serial, isUndo, from: old, to: new)
  }
}

extension UndoLawTests {
  @Test func `an undo takes back its own commits and nobody else's, or changes nothing`() throws {
    let first = randomSeed()
    var outcomes: [String: Int] = [:]
    for seed in first..<first + UInt64(loopCount("STRATA_PROGRAMS", 1_000)) {
      var program = Program(seed: seed)
      try program.run()
      outcomes.merge(program.outcomes) { $0 + $1 }
    }
    // Each way that an undo can end has been tried.
    #expect(
      Set(outcomes.keys) == [
        "moved", "overwritten", "refused", "refused for the rules", "violated",
      ],
      "first seed \(first)"
    )
  }
}
