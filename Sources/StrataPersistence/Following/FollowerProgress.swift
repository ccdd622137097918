import Foundation
import StrataArchive
import StrataBase
import StrataJournal

/// How far a follower is, and those who wait for it.
final class FollowerProgress: Sendable {
  struct Current: Sendable {
    var mark: HistoryMark
    var status = FollowerStatus.current
  }

  private struct State {
    var current: Current
    var waiters: [Int: (revision: Revision, continuation: CheckedContinuation<Bool, Never>)] = [:]
    var listeners: [Int: AsyncStream<FollowerEvent>.Continuation] = [:]
    var nextID = 0
    var isFinished = false

    mutating func newID() -> Int {
      nextID += 1
      return nextID
    }
  }

  private let state: Lock<State>

  init(_ mark: HistoryMark) { state = Lock(State(current: Current(mark: mark))) }

  var current: Current { state.withLock { $0.current } }

  func stream() -> AsyncStream<FollowerEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: FollowerEvent.self,
      bufferingPolicy: .bufferingNewest(1_000)
    )
    let id = state.withLock { state -> Int? in
      if state.isFinished { return nil }
      let id = state.newID()
      state.listeners[id] = continuation
      return id
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[id] = nil }
    }
    return stream
  }

  /// Notes how far the store is.
  func note(_ mark: HistoryMark, _ event: FollowerEvent) {
    let served = state.withLock { state in
      state.current.mark = mark
      let served = state.waiters.filter { $0.value.revision <= mark.revision }
      for id in served.keys { state.waiters[id] = nil }
      return served.values.map(\.continuation)
    }
    for continuation in served { continuation.resume(returning: true) }
    send(event)
  }

  /// Notes how it is.
  func note(_ status: FollowerStatus) {
    let before = state.withLock { state in
      let before = state.current.status
      if case .away = before, case .away = status { return before }
      state.current.status = status
      return before
    }
    switch (before, status) {
    case (.away, .away): break
    case (_, .away(let detail, _)): send(.away(detail))
    case (.away, .current), (.away, .behind): send(.back)
    case (_, .leading): send(.leading)
    default: break
    }
  }

  func send(_ event: FollowerEvent) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(event) }
  }

  func reach(
    _ revision: Revision,
    within limit: Duration?,
    path: String
  ) async throws(PersistenceError) {
    let isThere = await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> (id: Int?, isThere: Bool) in
        if state.current.mark.revision >= revision { return (nil, true) }
        if state.isFinished { return (nil, false) }
        let id = state.newID()
        state.waiters[id] = (revision, continuation)
        return (id, false)
      }
      guard let id = answer.id else {
        continuation.resume(returning: answer.isThere)
        return
      }
      if let limit {
        Task {
          try await Task.sleep(for: limit)
          let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
          waiter?.continuation.resume(returning: false)
        }
      }
    }
    if isThere { return }
    if state.withLock(\.isFinished) { throw PersistenceError(.inspecting, path: path, .closed) }
    let last = current.mark.revision
    throw PersistenceError(.inspecting, path: path, .notReached(revision, last: last))
  }

  /// Ends all streams and waiting.
  func finish() {
    let (waiters, listeners) = state.withLock { state in
      state.isFinished = true
      defer {
        state.waiters = [:]
        state.listeners = [:]
      }
      return (state.waiters.values.map(\.continuation), Array(state.listeners.values))
    }
    for continuation in waiters { continuation.resume(returning: false) }
    for listener in listeners { listener.finish() }
  }
}
