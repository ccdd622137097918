import StrataBase

/// Callers of `flush()` that wait for the writer; one call of the writer serves all of them.
final class FlushWaiters: Sendable {
  /// A caller that waits until a revision is on disk.
  struct Waiter: Sendable {
    let target: Revision
    let continuation: CheckedContinuation<Result<Void, PersistenceError>, Never>
  }

  private struct Waiting {
    var waiters: [Waiter] = []
    var isWriterCalled = false
  }

  private let waiting = Lock(Waiting())

  /// Adds a waiter; returns true when the writer has to be called.
  func add(_ waiter: Waiter) -> Bool {
    waiting.withLock { waiting in
      waiting.waiters.append(waiter)
      defer { waiting.isWriterCalled = true }
      return !waiting.isWriterCalled
    }
  }

  /// Takes all waiters for the writer; the next `add` calls it again.
  func take() -> [Waiter] {
    waiting.withLock { waiting in
      defer { waiting = Waiting() }
      return waiting.waiters
    }
  }
}
