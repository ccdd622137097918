import StrataCore
import StrataNormalization
import StrataStorage

/// A commit that can be undone: how its entities were before it, and how it left them.
struct UndoStep: Sendable {
  let id: Int
  let name: String
  let before: ChangeSet
  let after: ChangeSet
}

/// The commits that were done and those that were undone.
///
/// Pure.
struct UndoSteps: Sendable {
  enum Direction: Sendable { case undo, redo }

  /// The last one last.
  private(set) var done: [UndoStep] = []
  private(set) var undone: [UndoStep] = []
  private var nextID = 0
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Remembers a commit; what was undone can then not be done again.
  mutating func push(_ name: String, before: ChangeSet, after: ChangeSet) {
    nextID += 1
    done.append(UndoStep(id: nextID, name: name, before: before, after: after))
    undone = []
    if done.count > limit { done.removeFirst(done.count - limit) }
  }

  func next(_ direction: Direction) -> UndoStep? {
    direction == .undo ? done.last : undone.last
  }

  /// Takes note that a step was undone or done again; nothing happens when that is noted already.
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

/// What an undo or a redo brings along in its commit.
struct UndoMove: Sendable {
  static let key = CommitAttachmentKey<UndoMove>()

  let direction: UndoSteps.Direction
  let step: Int
  /// Only its identity: the store keeps what travelled with its last commit.
  let stack: ObjectIdentifier
}
