import Dispatch
import StrataBase
import TestSupport
import Testing

@Suite struct FileExecutorTests {
  /// A queue that runs work at once, and notes its priorities.
  private final class Priorities: WorkQueue {
    let noted = Lock<[TaskPriority?]>([])
    private let queue = DispatchQueue(label: "priorities")

    var isCurrent: Bool { true }
    func enqueue(at priority: TaskPriority?, _ work: @escaping @Sendable () -> Void) {
      noted.withLock { $0.append(priority) }
      queue.async(execute: work)
    }
    func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) { enqueue(work) }
    func runNow<R>(_ action: () -> R) -> R { queue.sync(execute: action) }
  }

  private actor File {
    nonisolated let executor: FileExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
      executor.asUnownedSerialExecutor()
    }

    init(_ queue: any WorkQueue) { executor = FileExecutor(on: queue) }

    func touch() {}
  }

  @Test(arguments: [TaskPriority.high, .medium, .low, .background])
  func `a call runs with the priority of its caller, and what nobody waits for with its queue's`(
    priority: TaskPriority
  ) async {
    let queue = Priorities()
    let file = File(queue)
    // A task that is awaited would have the priority of this one.
    await withCheckedContinuation { continuation in
      Task.detached(priority: priority) {
        await file.touch()
        continuation.resume()
      }
    }
    file.executor.schedule {}
    #expect(queue.noted.withLock { $0 } == [priority, nil])
  }

  @Test func `a priority has the class of the same name, and never one below the queue's`() {
    let classes = [TaskPriority.high, .medium, .low, .background, nil].map {
      DispatchQoS(above: .low, $0)?.qosClass
    }
    #expect(classes == [.userInitiated, .default, nil, nil, nil])
  }

  @Test func `work after a delay runs`() async {
    let executor = FileExecutor(label: "delays")
    await withCheckedContinuation { continuation in
      executor.schedule(after: .milliseconds(1)) { continuation.resume() }
    }
  }
}
