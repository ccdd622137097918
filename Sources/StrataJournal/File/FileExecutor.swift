import Dispatch

/// The executor of an actor that uses a store's file: a serial queue outside the cooperative thread pool,
/// so that a slow disk does not block other tasks.
package final class FileExecutor: SerialExecutor {
  private let queue: DispatchQueue
  /// Marks the queue.
  private let mark = DispatchSpecificKey<Bool>()

  /// - Parameter label: the name that a debugger shows.
  package init(label: String) {
    queue = DispatchQueue(label: label, qos: .utility)
    queue.setSpecific(key: mark, value: true)
  }

  /// Whether the caller runs on the executor.
  package var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  /// Runs `action` on the executor and waits for it; must not be called on the executor.
  package func runNow<R>(_ action: () -> R) -> R { queue.sync(execute: action) }

  /// Runs `action` on the executor after a delay.
  package func schedule(after delay: Duration = .zero, _ action: @escaping @Sendable () -> Void) {
    if delay == .zero {
      queue.async(execute: action)
    } else {
      let (seconds, attoseconds) = delay.components
      let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
      queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: action)
    }
  }
}
