import Dispatch
package import Foundation

/// Decides when work runs and what time it is, and makes random numbers.
///
/// A program has the system's. A simulation has one that runs everything in one thread, in an order that a seed chooses,
/// and whose time passes as fast as there is nothing to do. Waiting, time and chance go through it in everything that
/// uses a store's file or an archive, so that a seed determines a whole run.
package protocol Scheduler: Sendable {
  /// A queue that runs one work item at a time, in order.
  func makeQueue(label: String) -> any WorkQueue
  /// A queue for the deliveries of a store: there may be many, and each may be released in its own work.
  func makeDeliveryQueue() -> any WorkQueue
  /// The time that passes, for measuring.
  var now: ContinuousClock.Instant { get }
  /// The time of day.
  var date: Date { get }
  /// A UUID that no other call returns.
  func uuid() -> UUID
  /// Returns after a time; throws `CancellationError` as soon as the task is cancelled.
  func sleep(for duration: Duration) async throws
  /// Lets other work go first.
  func yield() async
  /// Blocks the thread for a time.
  func block(for duration: Duration)
  /// Blocks the thread until a condition is true; `wait` is how a thread of the system waits for it.
  func park(until isReady: () -> Bool, wait: () -> Void)
  /// How many threads a computation may use at once.
  var parallelism: Int { get }
}

extension Scheduler {
  package func makeDeliveryQueue() -> any WorkQueue { makeQueue(label: "Strata, deliveries") }
}

/// Runs one work item at a time, in order.
package protocol WorkQueue: Sendable {
  /// Whether the caller runs on the queue.
  var isCurrent: Bool { get }
  /// Runs `work` after what waits. What comes before it has at least its priority from here on; nil is that of the queue.
  func enqueue(at priority: TaskPriority?, _ work: @escaping @Sendable () -> Void)
  func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void)
  /// Runs `action` after what waits, and returns then; must not be called on the queue.
  func runNow<R>(_ action: () -> R) -> R
}

extension WorkQueue {
  package func enqueue(_ work: @escaping @Sendable () -> Void) { enqueue(at: nil, work) }
}

/// The scheduler of the process.
package enum Scheduling {
  private static let scheduler = Lock<any Scheduler>(SystemScheduler())

  /// Replaced only by a simulation, before anything else runs.
  package static var current: any Scheduler {
    get { scheduler.withLock { $0 } }
    set { scheduler.withLock { $0 = newValue } }
  }

  package static var now: ContinuousClock.Instant { current.now }
  package static var date: Date { current.date }
  package static func uuid() -> UUID { current.uuid() }
  package static func sleep(for duration: Duration) async throws {
    try await current.sleep(for: duration)
  }
}

/// The executor of an actor that uses a store's file: a serial queue outside the cooperative thread pool,
/// so that a slow disk does not block other tasks.
package final class FileExecutor: SerialExecutor {
  private let queue: any WorkQueue

  /// - Parameter label: the name that a debugger shows.
  package convenience init(label: String) {
    self.init(on: Scheduling.current.makeQueue(label: label))
  }

  package init(on queue: any WorkQueue) { self.queue = queue }

  /// Whether the caller runs on the executor.
  package var isCurrent: Bool { queue.isCurrent }

  package func enqueue(_ job: consuming ExecutorJob) {
    // A call that somebody waits for runs as urgently as the caller does.
    let priority = TaskPriority(job.priority)
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.enqueue(at: priority) { job.runSynchronously(on: executor) }
  }

  package func checkIsolated() { precondition(isCurrent, "Not called on the executor") }

  /// Runs `action` on the executor and waits for it; must not be called on the executor.
  package func runNow<R>(_ action: () -> R) -> R { queue.runNow(action) }

  /// Runs `action` on the executor after a delay.
  package func schedule(after delay: Duration = .zero, _ action: @escaping @Sendable () -> Void) {
    if delay == .zero { queue.enqueue(action) } else { queue.enqueue(after: delay, action) }
  }

  /// Runs `action` on the executor for a caller of a priority who waits for it.
  package func schedule(at priority: TaskPriority, _ action: @escaping @Sendable () -> Void) {
    queue.enqueue(at: priority, action)
  }
}

/// Runs work on an executor of its own: it takes long, and Swift's thread pool should not wait for it.
package actor FileWorker {
  private let executor: FileExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// - Parameter label: the name that a debugger shows.
  package init(label: String) { executor = FileExecutor(label: label) }

  package func run<R: Sendable>(_ work: @Sendable () throws -> R) throws -> R { try work() }
}

/// Dispatch, and the clocks of the system.
private struct SystemScheduler: Scheduler {
  func makeQueue(label: String) -> any WorkQueue { DispatchWorkQueue(label: label) }

  func makeDeliveryQueue() -> any WorkQueue { ReusedWorkQueue() }

  var now: ContinuousClock.Instant { .now }

  var date: Date { Date() }

  func uuid() -> UUID { UUID() }

  func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }

  func yield() async { await Task.yield() }

  func block(for duration: Duration) { Thread.sleep(forTimeInterval: duration / .seconds(1)) }

  func park(until isReady: () -> Bool, wait: () -> Void) { wait() }

  var parallelism: Int { ProcessInfo.processInfo.activeProcessorCount }
}

private final class DispatchWorkQueue: WorkQueue {
  private let queue: DispatchQueue
  /// Marks the queue.
  private let mark = DispatchSpecificKey<Bool>()

  init(label: String, qos: DispatchQoS = .utility) {
    queue = DispatchQueue(label: label, qos: qos)
    queue.setSpecific(key: mark, value: true)
  }

  var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

  func enqueue(at priority: TaskPriority?, _ work: @escaping @Sendable () -> Void) {
    if let qos = DispatchQoS(above: .utility, priority) {
      queue.async(qos: qos, flags: .enforceQoS, execute: work)
    } else {
      queue.async(execute: work)
    }
  }

  func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    // Not in nanoseconds: `Int` has 32 bits on watches.
    queue.asyncAfter(deadline: .now() + delay / .seconds(1), execute: work)
  }

  func runNow<R>(_ action: () -> R) -> R { queue.sync(execute: action) }
}

/// A queue that another one goes on with when this is released.
///
/// With a dispatch queue for each store, released inside its own work, processes on Linux ended with a
/// damaged heap now and then. With queues that are never released, they did not; the cause is not known.
private final class ReusedWorkQueue: WorkQueue {
  private static let idle = Lock<[DispatchWorkQueue]>([])

  private let queue: DispatchWorkQueue

  init() {
    queue =
      Self.idle.withLock { $0.popLast() }
      ?? DispatchWorkQueue(label: "Strata, deliveries", qos: .userInitiated)
  }

  deinit { Self.idle.withLock { $0.append(queue) } }

  var isCurrent: Bool { queue.isCurrent }

  func enqueue(at priority: TaskPriority?, _ work: @escaping @Sendable () -> Void) {
    queue.enqueue(at: priority, work)
  }

  func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    queue.enqueue(after: delay, work)
  }

  func runNow<R>(_ action: () -> R) -> R { queue.runNow(action) }
}

extension DispatchQoS {
  /// The class of a priority; nil unless it is above another priority.
  package init?(above lowest: TaskPriority, _ priority: TaskPriority?) {
    guard let priority, priority > lowest else { return nil }
    switch priority {
    case .high...: self = .userInitiated
    case .medium...: self = .default
    case .low...: self = .utility
    default: self = .background
    }
  }
}
