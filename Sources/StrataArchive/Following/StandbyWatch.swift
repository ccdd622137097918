package import StrataArchiving
import StrataBase
import StrataJournal

/// Watches the lease of an archive for a standby.
package struct StandbyWatch: Sendable {
  /// How an attempt to lead ended.
  package enum Attempt {
    /// There is nothing more to watch.
    case leads
    /// Another process was faster, or the archive is away.
    case mayLater
    /// It will hardly succeed at the next look.
    case failed
    /// A newer build has migrated what the archive has: each attempt would only raise its epoch.
    case isOlderBuild
  }

  private let archive: any Archive
  private let lease: Duration

  package init(archive: any Archive, lease: Duration) {
    (self.archive, self.lease) = (archive, lease)
  }

  /// Attempts to lead whenever the lease has ended, until it leads or the task is cancelled.
  ///
  /// A look is one call for the head, at least four times in a lease; the follower goes on meanwhile.
  ///
  /// - Parameter tooLong: Called once for a lease that runs for longer than a lease is, without a sign of its leader.
  package func run(
    tooLong: (ArchiveError) -> Void = { _ in },
    _ attempt: () async -> Attempt
  ) async {
    var unreadable: HistoryMark?
    // Nil while no lease is too long.
    var wait: LeaseWait?
    var isTold = false
    while !Task.isCancelled {
      var pause = min(lease / 4, .seconds(1))
      do {
        let head = try await untilCancelled { [archive] in try await archive.head() }
        if let head, head.lease > .zero {
          pause = min(pause, head.lease + .milliseconds(1))
          if head.lease <= lease {
            (wait, isTold) = (nil, false)
          } else {
            var long = wait ?? LeaseWait(lease: lease)
            if case .isTooLong = long.look(at: head, Scheduling.now), !isTold {
              isTold = true
              tooLong(ArchiveError(long.reason(head.leader, head.lease), archive: archive.name))
            }
            wait = long
          }
        } else if let head, head.mark != unreadable {
          switch await attempt() {
          case .leads: return
          case .mayLater: break
          case .failed: pause = lease
          case .isOlderBuild: unreadable = head.mark
          }
        }
      } catch {
        // The follower asks the same archive, and reports why it is away.
        if error is CancellationError { return }
      }
      do { try await Scheduling.sleep(for: pause) } catch _ { return }
    }
  }
}
