import StrataBase

/// Callers of `flush()` on their way to the writer: one call of it serves all who came by then.
final class FlushWaiters: Sendable {
  /// Someone who waits until a revision is on disk.
  struct Waiter: Sendable {
    let target: Revision
    let continuation: CheckedContinuation<Result<Void, PersistenceError>, Never>
  }

  private struct Waiting {
    var waiters: [Waiter] = []
    var isWriterCalled = false
  }

  private let waiting = Lock(Waiting())

  /// Lets someone wait; true when the writer has to be called.
  func add(_ waiter: Waiter) -> Bool {
    waiting.withLock { waiting in
      waiting.waiters.append(waiter)
      defer { waiting.isWriterCalled = true }
      return !waiting.isWriterCalled
    }
  }

  /// Hands everyone who waits to the writer; whoever comes later calls it again.
  func take() -> [Waiter] {
    waiting.withLock { waiting in
      defer { waiting = Waiting() }
      return waiting.waiters
    }
  }
}
