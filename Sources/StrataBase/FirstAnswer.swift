/// The first of several answers: the others come too late and are dropped.
///
/// One caller waits for it.
package final class FirstAnswer<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case given(Value)
    case received
  }

  private let state = Lock(State.open)

  package init() {}

  /// Gives the answer, unless there is one.
  package func give(_ value: Value) {
    let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
      switch state {
      case .open: state = .given(value)
      case .awaited(let continuation):
        state = .received
        return continuation
      case .given, .received: break
      }
      return nil
    }
    waiting?.resume(returning: value)
  }

  /// Waits for the first answer; called once.
  package var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        let given = state.withLock { state -> Value? in
          if case .given(let value) = state {
            state = .received
            return value
          }
          state = .awaited(continuation)
          return nil
        }
        if let given { continuation.resume(returning: given) }
      }
    }
  }
}

/// Runs something that may not hear of a cancellation; a caller that is cancelled waits for it no longer.
///
/// What the operation does then goes on, and its result is dropped.
package func untilCancelled<R: Sendable>(
  _ operation: @escaping @Sendable () async throws -> R
) async throws -> R {
  let answer = FirstAnswer<Result<R, any Error>>()
  let work = Task {
    do { answer.give(.success(try await operation())) } catch { answer.give(.failure(error)) }
  }
  return try await withTaskCancellationHandler {
    try await answer.value.get()
  } onCancel: {
    work.cancel()
    answer.give(.failure(CancellationError()))
  }
}
