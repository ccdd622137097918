import StrataBase
import StrataFlux

/// An executor in place of a main loop, whose jobs run when a test calls `run`.
final class ManualExecutor: Sendable {
  private let jobs = Lock<[@Sendable () -> Void]>([])

  var executor: DispatchExecutor {
    DispatchExecutor { [self] job in jobs.withLock { $0.append(job) } }
  }

  /// Runs the jobs and releases them: they hold the dispatcher, which holds this.
  func run() {
    let jobs = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in jobs { job() }
  }
}
