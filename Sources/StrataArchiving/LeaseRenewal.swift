import StrataBase
import StrataJournal

/// Renews the lease of a process that leads and sends nothing yet: while it pulls, and until its file is restored.
///
/// It ends with ``end()``, and once nothing holds it.
final class LeaseRenewal: Sendable {
  let term: ArchiveTerm
  private let newest: Lock<ContinuousClock.Instant>
  private let task: Task<Void, Never>

  /// - Parameter start: When the lease began.
  init(of term: ArchiveTerm, in archive: any Archive, since start: ContinuousClock.Instant) {
    self.term = term
    let newest = Lock(start)
    self.newest = newest
    task = Task {
      while !Task.isCancelled {
        do {
          try await Scheduling.sleep(for: term.lease / 4)
          let began = Scheduling.now
          try await archive.renew(term)
          newest.withLock { $0 = began }
        } catch let error as ArchiveError where error.reason != .refused {
          // The lease may still run when the archive can be reached again.
        } catch {
          // Another process leads: the first call of the leadership finds out. Or it was cancelled.
          return
        }
      }
    }
  }

  deinit { task.cancel() }

  /// When the lease began that the archive has last confirmed.
  var start: ContinuousClock.Instant { newest.withLock { $0 } }

  /// Returns once no further call extends the lease.
  func end() async {
    task.cancel()
    await task.value
  }
}
