/// One step of a recording: an action with all that it did to the stores, or a commit that no
/// action made.
public struct RecorderEntry: Identifiable, Sendable {
  /// What made the step.
  public enum Origin: Sendable {
    /// An action that was dispatched.
    case action(any FluxAction)
    /// A commit outside of any dispatch, by its name or place.
    case commit(String)
    /// Whatever happened while the recorder was paused.
    case pause
  }

  /// Counts up from 1 and never changes, whatever is given up before it.
  public let id: Int
  /// What made the step.
  public let origin: Origin
  /// Whether the states shown leave it out.
  public internal(set) var isSkipped = false

  /// In the order of the commits.
  var changes: [RecordedChange]

  /// The identifiers of the stores that it changed, each once.
  ///
  /// O(changes).
  public var stores: [String] {
    var seen: Set<String> = []
    return changes.map(\.store).filter { seen.insert($0).inserted }
  }

  /// The action, if it was one.
  public var action: (any FluxAction)? {
    if case .action(let action) = origin { action } else { nil }
  }
}

extension RecorderEntry {
  /// The place of its first commit to a store that comes after another place.
  func order(of store: String, above order: Int) -> Int? {
    changes.filter { $0.store == store && $0.order > order }.map(\.order).min()
  }
}

/// What one commit did to one store.
struct RecordedChange: Sendable {
  let store: String
  /// The state after it.
  let moment: StoreMoment
  /// The state after it without the entries that are skipped: the same, unless one is.
  var shown: StoreMoment
  /// What was done; nil when only the outcome is known.
  let mutation: TapedMutation?

  init(store: String, moment: StoreMoment, mutation: TapedMutation?) {
    self.store = store
    self.moment = moment
    self.mutation = mutation
    shown = moment
  }

  /// The place of the commit among those of the recording.
  var order: Int { moment.order }

  /// The same where what is shown is all there is.
  var settled: RecordedChange { RecordedChange(store: store, moment: shown, mutation: mutation) }
}

/// A state of a store at one time.
struct StoreMoment: Sendable {
  let state: any StateType
  /// A number that no other state of the recording has.
  let stamp: Int
  /// The place, among all commits of the recording, of the last one that the state includes.
  ///
  /// Commits have the order in which they happened. That of the entries may be another: dispatches
  /// that overlap make their entries when they are done.
  var order: Int
}
