import StrataBase
import StrataJournal

/// Callers that wait until an archive has a commit, and the shipper while it gathers commits for it.
struct ReplicationWaiters {
  typealias Continuation = CheckedContinuation<Result<Void, PersistenceError.Reason>, Never>

  private var waiting: [Int: (revision: Revision, continuation: Continuation)] = [:]
  private var nextID = 0
  /// Why waiting is useless from now on.
  var failure: PersistenceError.Reason?
  /// The shipper while it gathers commits.
  private var pause: (number: Int, continuation: CheckedContinuation<Void, Never>)?
  private var pauses = 0

  /// Notes that the shipper pauses, and returns the number of the pause; nil if a caller waits.
  mutating func startPause(_ continuation: CheckedContinuation<Void, Never>) -> Int? {
    guard waiting.isEmpty else { return nil }
    pauses += 1
    pause = (pauses, continuation)
    return pauses
  }

  /// Ends the pause; with a number, only the pause of that number.
  mutating func endPause(_ number: Int? = nil) -> CheckedContinuation<Void, Never>? {
    guard let ended = pause, number == nil || number == ended.number else { return nil }
    pause = nil
    return ended.continuation
  }

  mutating func add(_ revision: Revision, _ continuation: Continuation) -> Int {
    nextID += 1
    waiting[nextID] = (revision, continuation)
    return nextID
  }

  mutating func remove(_ id: Int) -> Continuation? {
    waiting.removeValue(forKey: id)?.continuation
  }

  mutating func take(through revision: Revision) -> [Continuation] {
    let served = waiting.filter { $0.value.revision <= revision }
    for id in served.keys { waiting[id] = nil }
    return served.values.map(\.continuation)
  }
}
