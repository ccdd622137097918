import Foundation
import StrataBase

/// Gives the tasks of the whole process to a simulated scheduler.
///
/// Swift's runtime calls a function, where one is set, instead of enqueueing a job on its pool of threads. The variables
/// are exported by libswift_Concurrency and are no public API: without them, nothing can be simulated.
enum TaskHooks {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// Who gets the jobs.
  static let scheduler = Lock<SimulatedScheduler?>(nil)

  /// False if this runtime has no such variables.
  static func install() -> Bool {
    let names = ["swift_task_enqueueGlobal_hook", "swift_task_enqueueMainExecutor_hook"]
    for name in names {
      guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), name) else { return false }
      symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, _ in TaskHooks.enqueue(job) }
    }
    return true
  }

  private static func enqueue(_ job: UnownedJob) {
    guard let scheduler = scheduler.withLock({ $0 }) else {
      fatalError("A task runs beside a simulation.")
    }
    scheduler.ready("task") { job.runSynchronously(on: generic) }
  }

  /// The executor of what is isolated to no actor: its identity is null.
  private static let generic = unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)
}
