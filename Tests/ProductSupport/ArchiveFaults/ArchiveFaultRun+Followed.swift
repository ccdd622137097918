import Strata
import StrataArchive
import StrataBase
import StrataPersistence
import TestSupport

extension ArchiveFaultRun {
  /// What a follower showed.
  final class Followed: Sendable {
    private struct Shown: Sendable {
      var database: LibraryDatabase
      var observations: [CommitTrail.End] = []
      var hasEnded = false
    }

    /// What it started with.
    let start: CommitTrail
    private let shown: Lock<Shown>
    private let subscription: StoreSubscription
    private let listening: Task<[FollowerEvent], Never>

    init(_ store: LibraryStore, _ follower: Follower<LibraryState, LibraryDatabase>) {
      start = CommitTrail(store.state.db) ?? CommitTrail()
      let shown = Lock(Shown(database: store.state.db))
      self.shown = shown
      let stream = follower.events
      listening = Task { await stream.reduce(into: []) { $0.append($1) } }
      subscription = store.sinkState(queue: .passthrough) { changes in
        let database = changes.value.db
        let traces = changes.traces
        shown.withLock { shown in
          // From there on it shows what it leads.
          if traces.contains(where: { $0.name == "leads from here on" }) { shown.hasEnded = true }
          if shown.hasEnded { return }
          shown.database = database
          shown.observations.append(
            CommitTrail.End(count: database.books.count, last: CommitTrail.last(of: database))
          )
        }
      }
    }

    var observations: [CommitTrail.End] { shown.withLock { $0.observations } }

    /// What it showed before it led.
    func lastShown() -> LibraryDatabase { shown.withLock { $0.database } }

    /// Its events, once it was closed or leads.
    func end() async -> [FollowerEvent] {
      shown.withLock { $0.hasEnded = true }
      return await listening.value
    }
  }
}
