import Dispatch

/// The one thread of control that touches a store's file: a serial queue outside the cooperative
/// pool, where a slow disk keeps nobody else waiting.
final class WriterExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "strata.writer", qos: .utility)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  /// Runs `action` on the executor, now or later.
  func schedule(after delay: Duration = .zero, _ action: @escaping @Sendable () -> Void) {
    if delay == .zero {
      queue.async(execute: action)
    } else {
      let (seconds, attoseconds) = delay.components
      let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
      queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds), execute: action)
    }
  }
}
