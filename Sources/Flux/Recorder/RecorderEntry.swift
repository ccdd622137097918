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
  /// The same step where it leads to other states: one change of each store, by all that was done
  /// to it.
  func leading(to moment: RecorderLog.Moment) -> RecorderEntry {
    var entry = self
    entry.changes = stores.compactMap { store in
      let changes = changes.filter { $0.store == store }
      let isSame = changes.last?.moment.stamp == moment[store]?.stamp
      guard !isSame else { return changes }
      return moment[store].map { moment in
        [RecordedChange(store: store, moment: moment, mutation: changes.joinedMutation)]
      }
    }
    .flatMap(\.self)
    return entry
  }
}

extension [RecordedChange] {
  /// All mutations one after the other; nil when one is not known.
  fileprivate var joinedMutation: TapedMutation? {
    let mutations = compactMap(\.mutation)
    guard mutations.count == count else { return nil }
    return TapedMutation(
      replay: { state in try mutations.reduce(state) { try $1.replay($0) } },
      isReduction: count == 1 && mutations.allSatisfy(\.isReduction)
    )
  }
}

/// What one commit did to one store.
struct RecordedChange: Sendable {
  let store: String
  /// The state after it.
  var moment: StoreMoment
  /// What was done; nil when only the outcome is known.
  let mutation: TapedMutation?
}

/// A state of a store, and a number that no other state of the recording has.
///
/// Later states have higher numbers; two moments of one number are one state.
struct StoreMoment: Sendable {
  let state: any StateType
  let stamp: Int
}
