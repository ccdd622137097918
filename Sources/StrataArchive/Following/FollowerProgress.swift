import Foundation
import StrataArchiving
import StrataBase
import StrataJournal
import StrataStorage

/// How far a follower is, behind a lock, and those who wait for it.
final class FollowerProgress: Sendable {
  fileprivate struct State {
    /// How far the store is.
    var revision: Revision
    var machine: FollowerMachine
    /// What the archive has said last; nil for a file.
    var head: ArchiveHead?
    var waiters: [Int: (revision: Revision, continuation: CheckedContinuation<Bool, Never>)] = [:]
    var nextID = 0

    var isClosed: Bool { machine.status == .closed }
  }

  private let state: Lock<State>
  private let now: @Sendable () -> Date
  let events = EventBroadcaster<FollowerEvent>()

  init(_ revision: Revision, away: String?, now: @escaping @Sendable () -> Date) {
    state = Lock(State(revision: revision, machine: FollowerMachine(at: now(), away: away)))
    self.now = now
  }

  var revision: Revision { state.withLock { $0.revision } }

  var machine: FollowerMachine { state.withLock { $0.machine } }

  var head: ArchiveHead? { state.withLock { $0.head } }

  /// Notes what the archive has said.
  func note(head: ArchiveHead?) { state.withLock { $0.head = head } }

  /// Notes what was learned, and how far the store is by it.
  func note(_ input: FollowerMachine.Input, at revision: Revision? = nil) {
    let time = now()
    let (told, served) = state.withLock { state in
      let told = state.machine.take(input, at: time)
      if let revision { state.revision = revision }
      return (told, state.serve(through: revision ?? -1))
    }
    for continuation in served { continuation.resume(returning: true) }
    for event in told { events.send(event) }
  }

  /// Serves those who wait for a revision that this process has made by itself.
  func serve(through revision: Revision) {
    for continuation in state.withLock({ $0.serve(through: revision) }) {
      continuation.resume(returning: true)
    }
  }

  func reach(
    _ revision: Revision,
    within limit: Duration?,
    path: String
  ) async throws(PersistenceError) {
    let isThere = await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> (id: Int?, isThere: Bool) in
        if state.revision >= revision { return (nil, true) }
        if state.isClosed { return (nil, false) }
        state.nextID += 1
        state.waiters[state.nextID] = (revision, continuation)
        return (state.nextID, false)
      }
      guard let id = answer.id else {
        continuation.resume(returning: answer.isThere)
        return
      }
      if let limit {
        Task {
          try await Scheduling.sleep(for: limit)
          let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
          waiter?.continuation.resume(returning: false)
        }
      }
    }
    if isThere { return }
    if state.withLock(\.isClosed) { throw PersistenceError(.inspecting, path: path, .closed) }
    let last = self.revision
    throw PersistenceError(.inspecting, path: path, .notReached(revision, last: last))
  }

  /// Ends all streams and waiting.
  func close() {
    let waiters = state.withLock { state in
      _ = state.machine.take(.close, at: now())
      defer { state.waiters = [:] }
      return state.waiters.values.map(\.continuation)
    }
    for continuation in waiters { continuation.resume(returning: false) }
    events.finish()
  }
}

extension FollowerProgress.State {
  /// Those who wait for no more than a revision; they do not wait any longer.
  fileprivate mutating func serve(through revision: Revision) -> [CheckedContinuation<Bool, Never>]
  {
    if waiters.isEmpty { return [] }
    let served = waiters.filter { $0.value.revision <= revision }
    for id in served.keys { waiters[id] = nil }
    return served.values.map(\.continuation)
  }
}
