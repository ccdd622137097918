/// What a ``FluxDispatcher`` refuses, with the tokens involved.
///
/// Errors of the callbacks themselves are never wrapped in it: they reach the caller of
/// ``FluxDispatcher/dispatch(_:)`` as they were thrown.
public enum FluxError: Error, Equatable, Sendable {
  /// `dispatch` was called by a callback (`from`) while its dispatcher was dispatching.
  case dispatchInsideDispatch(from: DispatchToken?)

  /// `waitFor` was called while nothing was being dispatched.
  case waitForOutsideDispatch

  /// Callbacks wait for each other; `path` starts and ends with the same token.
  case circularWait(path: [DispatchToken])

  /// More than `limit` callbacks would run inside one another; `refused` is the one that was not
  /// started.
  case waitTooDeep(refused: DispatchToken, limit: Int)

  /// The token was given out by another dispatcher.
  case foreignToken(DispatchToken)

  /// The token's callback has been unregistered.
  case unregisteredToken(DispatchToken)
}

extension FluxError: CustomStringConvertible {
  /// What happened and what to do about it, in two sentences.
  public var description: String { "\(problem) \(remedy)" }

  /// What happened, in one sentence.
  public var problem: String {
    switch self {
    case .dispatchInsideDispatch(let token?):
      "FluxDispatcher.dispatch(_:) was called by the callback \(token) in the middle of a dispatch."
    case .dispatchInsideDispatch(nil):
      "FluxDispatcher.dispatch(_:) was called in the middle of a dispatch."
    case .waitForOutsideDispatch:
      "FluxDispatcher.waitFor(_:) was called while nothing was being dispatched."
    case .circularWait(let path):
      "FluxDispatcher.waitFor(_:) found callbacks that wait for each other: "
        + path.map(\.description).joined(separator: " → ") + "."
    case .waitTooDeep(let token, let limit):
      "FluxDispatcher.waitFor(_:) did not start \(token): "
        + "\(limit) callbacks already wait for one another."
    case .foreignToken(let token):
      "The token \(token) belongs to another FluxDispatcher."
    case .unregisteredToken(let token):
      "The token \(token) names a callback that has been unregistered."
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
      "Register callbacks after the ones that they wait for, so that waiting finds them handled."
    case .foreignToken:
      "Use the token with the dispatcher that returned it from register."
    case .unregisteredToken:
      "Drop the token when its callback is unregistered, or register the callback again."
    }
  }
}
