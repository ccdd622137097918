import StrataBase
import StrataJournal

/// Callers of `flush()` that wait for the writer; one call of the writer serves all of them.
final class FlushWaiters: Sendable {
  /// A caller that waits until a revision is on disk.
  struct Waiter: Sendable {
    let target: Revision
    let priority: TaskPriority
    let continuation: CheckedContinuation<Result<Void, PersistenceError>, Never>
  }

  private struct Waiting {
    var waiters: [Waiter] = []
    /// The highest priority of the calls of the writer that have not ended; nil if there is none.
    var called: TaskPriority?
  }

  private let waiting = Lock(Waiting())

  /// How many callers wait and are not served yet.
  var count: Int { waiting.withLock { $0.waiters.count } }

  /// Adds a waiter; returns true when the writer has to be called, at the waiter's priority.
  func add(_ waiter: Waiter) -> Bool {
    waiting.withLock { waiting in
      waiting.waiters.append(waiter)
      if let called = waiting.called, called >= waiter.priority { return false }
      waiting.called = waiter.priority
      return true
    }
  }

  /// Takes all waiters for the writer, which has been called and is not called again until ``end()``.
  func take() -> [Waiter] {
    waiting.withLock { waiting in
      defer { waiting.waiters = [] }
      return waiting.waiters
    }
  }

  /// Ends a call of the writer; returns the priority of another one if there are waiters that it must serve.
  func end() -> TaskPriority? {
    waiting.withLock { waiting in
      waiting.called = waiting.waiters.map(\.priority).max()
      return waiting.called
    }
  }
}
