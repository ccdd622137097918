public import Dispatch

/// Runs jobs on the main thread, a dispatch queue, or a run loop of the program.
///
/// A ``Dispatcher`` takes one for the mode ``DispatchMode/mainThread``. The default needs a running
/// main loop (an application, or a `main` that is `async`). A program without one provides its own
/// executor. Nothing waits for a job to start, so a job that never starts blocks no thread.
public struct DispatchExecutor: Sendable {
  private let submit: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Creates an executor from a function that accepts jobs.
  ///
  /// The function must run each job once, now or later, and the jobs of one caller in order.
  public init(_ submit: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.submit = submit
  }

  /// The main queue.
  ///
  /// It runs jobs while the main loop runs.
  public static let mainQueue = DispatchExecutor.queue(.main)

  /// Runs each job on the calling thread, before the call returns.
  ///
  /// Use it in tests, and in programs whose only thread is the main thread.
  public static let callingThread = DispatchExecutor { job in job() }

  /// A dispatch queue.
  public static func queue(_ queue: DispatchQueue) -> DispatchExecutor {
    DispatchExecutor { job in queue.async(execute: job) }
  }

  func run(_ job: @escaping @Sendable () -> Void) { submit(job) }
}
