public import Dispatch

/// Where and when a dispatched action runs.
///
/// | mode | when dispatched inside an operation, an observer or a `then` |
/// | --- | --- |
/// | `.sync` | runs now, nested; the outer dispatch continues afterwards |
/// | `.async`, `.mainThread` | runs independently, in no order with the outer dispatch |
/// | `.serial` | runs after every serial dispatch called before it |
public enum DispatchMode: Sendable, CaseIterable {
  /// On a background thread, concurrently with other dispatches.
  case async
  /// On the calling thread, which blocks until all stores are done; a task that awaits the dispatch
  /// suspends instead of blocking.
  ///
  /// Do not use it on the main thread when an operation needs the main thread to finish. A nested
  /// dispatch uses the stack, like a call.
  case sync
  /// On a background thread, one at a time in the order of the calls.
  ///
  /// The next dispatch starts when every store has finished this one, observers were notified and
  /// `then` has returned. So a dispatch that never finishes blocks all that follow. Awaiting a serial dispatch
  /// in the task of a serial dispatch that has not ended throws ``DispatchError/insideSerial``. In a detached
  /// task, or over a dispatch of another mode, the hub cannot know of it, and both would wait for ever.
  case serial
  /// On the main thread, or on the executor that the dispatcher was given for it.
  case mainThread
}

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
