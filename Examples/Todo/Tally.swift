import Strata
import StrataFlux

/// What was done since the start; a second store, which is not kept.
struct Tally: InitialStateType {
  var added = 0
  var finished = 0
  var removed = 0
}

/// The other kind of reducer: it gives out operations, which may take their time.
///
/// It answers the same actions as the list and is registered as waiting for it, so what the list
/// refuses is not counted. It counts in `updateState`, from the state alone: that is what the
/// recorder can do again when an earlier action is skipped.
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
