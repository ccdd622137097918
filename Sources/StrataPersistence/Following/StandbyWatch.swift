import StrataArchive
import StrataBase
import StrataJournal

/// Watches the lease of an archive for a standby.
struct StandbyWatch: Sendable {
  /// How an attempt to lead ended.
  enum Attempt {
    /// There is nothing more to watch.
    case leads
    /// Another process was faster, or the archive is away.
    case mayLater
    /// It will hardly succeed at the next look.
    case failed
  }

  let archive: any Archive
  let lease: Duration

  /// Attempts to lead whenever the lease has ended, until it leads or the task is cancelled.
  ///
  /// A look is one call for the head, at least four times in a lease; the follower goes on meanwhile.
  func run(_ attempt: () async -> Attempt) async {
    while !Task.isCancelled {
      var pause = min(lease / 4, .seconds(1))
      do {
        let head = try await untilCancelled { [archive] in try await archive.head() }
        switch head?.lease {
        case nil: break
        case .some(.zero):
          switch await attempt() {
          case .leads: return
          case .mayLater: break
          case .failed: pause = lease
          }
        case .some(let rest): pause = min(pause, rest + .milliseconds(1))
        }
      } catch {
        // The follower asks the same archive, and reports why it is away.
        if error is CancellationError { return }
      }
      do { try await Scheduling.sleep(for: pause) } catch _ { return }
    }
  }
}
