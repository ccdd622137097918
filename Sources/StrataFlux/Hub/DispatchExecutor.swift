public import Dispatch

/// Runs jobs in some place: the main thread, a queue, a loop of the program's own.
///
/// A ``Dispatcher`` takes one for the mode ``DispatchMode/mainThread``. The usual one needs a
/// running main loop (an application, or a `main` that is `async`). A program without one brings
/// its own; nothing ever waits for a job to begin, so nothing hangs when none does.
public struct DispatchExecutor: Sendable {
  private let take: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Creates an executor from what takes a job.
  ///
  /// It is to run each job once, now or later, the jobs of one caller in order.
  public init(_ take: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    self.take = take
  }

  /// The main queue.
  ///
  /// Jobs run when the main loop does.
  public static let mainQueue = DispatchExecutor.queue(.main)

  /// The thread that calls, before the call returns.
  ///
  /// For tests, and for programs whose only thread is the main one.
  public static let callingThread = DispatchExecutor { job in job() }

  /// A dispatch queue.
  public static func queue(_ queue: DispatchQueue) -> DispatchExecutor {
    DispatchExecutor { job in queue.async(execute: job) }
  }

  func run(_ job: @escaping @Sendable () -> Void) { take(job) }
}
