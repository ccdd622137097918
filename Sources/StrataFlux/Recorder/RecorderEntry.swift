/// One step of a recording: an action with all its changes, or a commit outside of any action.
public struct RecorderEntry: Identifiable, Sendable {
  /// The cause of a step.
  public enum Origin: Sendable {
    /// A dispatched action.
    case action(any FluxAction)
    /// A commit outside of any dispatch, by its name or source location.
    case commit(String)
    /// All changes made while the recorder was paused.
    case pause
  }

  /// Increases from 1 and never changes, even when older entries are dropped.
  public let id: Int
  /// The cause of the step.
  public let origin: Origin
  /// Whether the shown states leave out this entry.
  public internal(set) var isSkipped = false

  /// In the order of the commits.
  var changes: [RecordedChange]

  /// The identifiers of the stores that the entry changed, each once.
  ///
  /// O(changes).
  public var stores: [String] {
    var seen: Set<String> = []
    return changes.map(\.store).filter { seen.insert($0).inserted }
  }

  /// The action, if the origin is one.
  public var action: (any FluxAction)? {
    if case .action(let action) = origin { action } else { nil }
  }
}

extension RecorderEntry {
  /// The order of its first commit to a store after a given order.
  func order(of store: String, above order: Int) -> Int? {
    changes.filter { $0.store == store && $0.order > order }.map(\.order).min()
  }
}
