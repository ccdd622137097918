import StrataBase

/// One task that waits for one event, which may come before it.
final class DispatchWaiter: Sendable {
  private enum Standing: Sendable {
    case nobodyWaits
    case waiting(CheckedContinuation<Void, Never>)
    case over
  }

  private let standing = Lock(Standing.nobodyWaits)

  func wait(_ continuation: CheckedContinuation<Void, Never>) {
    let isOver = standing.withLock { standing in
      if case .over = standing { return true }
      standing = .waiting(continuation)
      return false
    }
    if isOver { continuation.resume() }
  }

  /// Lets the task go on; only the first call counts.
  func goOn() {
    let before = standing.withLock { standing in
      defer { standing = .over }
      return standing
    }
    if case .waiting(let continuation) = before { continuation.resume() }
  }
}
