import StrataBase
import StrataJournal

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

  /// How many callers wait and are not served yet.
  var count: Int { waiting.withLock { $0.waiters.count } }

  /// Adds a waiter; returns true when the writer has to be called.
  func add(_ waiter: Waiter) -> Bool {
    waiting.withLock { waiting in
      waiting.waiters.append(waiter)
      defer { waiting.isWriterCalled = true }
      return !waiting.isWriterCalled
    }
  }

  /// Takes all waiters for the writer, which has been called and is not called again until ``end()``.
  func take() -> [Waiter] {
    waiting.withLock { waiting in
      defer { waiting.waiters = [] }
      return waiting.waiters
    }
  }

  /// Ends a call of the writer; returns true when there are waiters that it must serve in another call.
  func end() -> Bool {
    waiting.withLock { waiting in
      waiting.isWriterCalled = !waiting.waiters.isEmpty
      return waiting.isWriterCalled
    }
  }
}
