/// Why a ``FluxDispatcher`` refused a call, with the tokens involved.
///
/// Errors thrown by callbacks are never wrapped in it: ``FluxDispatcher/dispatch(_:)`` rethrows them
/// unchanged.
public enum FluxError: Error, Equatable, Sendable {
  /// The callback `from` called `dispatch` while its dispatcher was dispatching.
  case dispatchInsideDispatch(from: DispatchToken?)

  /// `waitFor` was called while no dispatch was in progress.
  case waitForOutsideDispatch

  /// Callbacks wait for each other; `path` starts and ends with the same token.
  case circularWait(path: [DispatchToken])

  /// More than `limit` callbacks would run inside one another; `refused` was not started.
  case waitTooDeep(refused: DispatchToken, limit: Int)

  /// Another dispatcher returned the token.
  case foreignToken(DispatchToken)

  /// The token's callback has been unregistered.
  case unregisteredToken(DispatchToken)
}

extension FluxError: CustomStringConvertible {
  /// The problem and the remedy, in two sentences.
  public var description: String { "\(problem) \(remedy)" }

  /// What happened, in one sentence.
  public var problem: String {
    switch self {
    case .dispatchInsideDispatch(let token?):
      "The callback \(token) called FluxDispatcher.dispatch(_:) during a dispatch."
    case .dispatchInsideDispatch(nil):
      "FluxDispatcher.dispatch(_:) was called during a dispatch."
    case .waitForOutsideDispatch:
      "FluxDispatcher.waitFor(_:) was called while no dispatch was in progress."
    case .circularWait(let path):
      "FluxDispatcher.waitFor(_:) found callbacks that wait for each other: "
        + path.map(\.description).joined(separator: " → ") + "."
    case .waitTooDeep(let token, let limit):
      "FluxDispatcher.waitFor(_:) did not start \(token): "
        + "\(limit) callbacks already wait for one another."
    case .foreignToken(let token):
      "The token \(token) belongs to another FluxDispatcher."
    case .unregisteredToken(let token):
      "The callback of the token \(token) has been unregistered."
    }
  }

  /// What to do about it, in one sentence.
  public var remedy: String {
    switch self {
    case .dispatchInsideDispatch:
      "Dispatch the second payload after the first dispatch has returned."
    case .waitForOutsideDispatch:
      "Call it from inside a registered callback."
    case .circularWait:
      "Remove one of these waits, or merge the callbacks that need each other."
    case .waitTooDeep:
      "Register callbacks after the ones they wait for, so that those have already run."
    case .foreignToken:
      "Use the token with the dispatcher whose register returned it."
    case .unregisteredToken:
      "Discard the token when you unregister its callback, or register the callback again."
    }
  }
}
