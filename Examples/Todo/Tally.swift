import Strata
import StrataFlux

/// Counts the actions since the start, in a second store that is not persisted.
struct Tally: InitialStateType {
  var added = 0
  var finished = 0
  var removed = 0
}

/// A reducer that returns operations, which can take time.
///
/// It responds to the same actions as the list and is registered to wait for it, so actions that the
/// list refuses are not counted. It counts in `updateState`, from the state alone, so the recorder
/// can replay the count when an earlier action is skipped.
final class TallyReducer: Reducer<Tally, TodoAction>, @unchecked Sendable {
  override func operation(
    for action: TodoAction,
    in store: FluxStore<Tally, TodoAction>
  ) -> ActionOperation<Tally, TodoAction> {
    ActionOperation(action: action, store: store) { operation, action, store in
      store.updateState("count") { tally in
        switch action {
        case .add: tally.added += 1
        case .finish: tally.finished += 1
        case .remove: tally.removed += 1
        }
      }
      operation.finish()
    }
  }
}

typealias TallyStore = FluxStore<Tally, TodoAction>
