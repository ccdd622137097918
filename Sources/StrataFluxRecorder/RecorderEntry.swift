public import Foundation

/// One step of a recording: an action with all its changes, or a commit outside of any action.
public struct RecorderEntry: Identifiable, Sendable {
  /// The cause of a step.
  public enum Origin: Sendable {
    /// A dispatched action.
    case action(any FluxAction)
    /// A commit outside of any dispatch, by its name or source location.
    case commit(String)
    /// All changes made while the recorder was paused.
    case pause
  }

  /// A store that an action reaches, and the stores it waits for.
  struct Participant: Hashable, Codable, Sendable {
    let store: String
    let waitsFor: [String]
    /// The order of the time when the store received the action; nil if it did not.
    var order: Int?
  }

  /// Increases from 1 and never changes, even when older entries are dropped.
  public internal(set) var id: Int
  /// The cause of the step.
  public let origin: Origin
  /// When the dispatch started, the commit happened, or the pause started.
  public let time: Date
  /// From then to the end of the dispatch or the pause; zero for a commit.
  public internal(set) var duration: Duration
  /// Whether the shown states leave out this entry.
  public internal(set) var isSkipped = false
  /// Why the action failed, was cancelled or was discarded, as the dispatch reported it.
  ///
  /// While an earlier entry is skipped, it is what a reducer throws without that entry. In an imported
  /// recording the errors of stores have the recorded descriptions, but not their types.
  public internal(set) var error: DispatchError?

  /// The error as recorded.
  var recordedError: DispatchError?
  /// The dispatch that made it, in this program.
  var transaction: String?
  /// The stores that the action reaches, in this order.
  var participants: [Participant] = []
  /// In the order of the commits.
  var changes: [RecordedChange]

  init(
    id: Int,
    origin: Origin,
    time: Date,
    duration: Duration,
    error: DispatchError? = nil,
    changes: [RecordedChange]
  ) {
    self.id = id
    self.origin = origin
    self.time = time
    self.duration = duration
    self.error = error
    recordedError = error
    self.changes = changes
  }

  /// The identifiers of the stores that the entry changed, each once.
  ///
  /// O(changes).
  public var stores: [String] {
    var seen: Set<String> = []
    return changes.filter(\.isCommit).map(\.store).filter { seen.insert($0).inserted }
  }

  /// The last revision that the entry's commits became in the file of each store that has one.
  ///
  /// `strata log` and `strata diff` show what the file says of a revision. Commits that changed nothing
  /// in the file have none. In an imported recording they are those of the program that exported it.
  /// O(changes).
  public var revisions: [String: Int64] {
    Dictionary(changes.compactMap { change in change.revision.map { (change.store, $0) } }) {
      max($0, $1)
    }
  }

  /// The action, if the origin is one.
  public var action: (any FluxAction)? {
    if case .action(let action) = origin { action } else { nil }
  }
}

extension RecorderEntry {
  /// The order of its first commit to a store after a given order.
  func order(of store: String, above order: Int) -> Int? {
    changes.filter { $0.store == store && $0.order > order }.map(\.order).min()
  }

  /// The stores that received the action and did not respond by `reduce`: what they did is known, what
  /// they would do on another state is not.
  var opaqueStores: [Participant] {
    let pure = Set(changes.filter(\.isReduction).map(\.store))
    return participants.filter { !pure.contains($0.store) && $0.order != nil }
  }

  /// Why a store is not reached when the changes before are as shown: a store it waits for failed.
  func waitFailure(of store: String) -> (any Error)? {
    guard let participant = participants.first(where: { $0.store == store }),
      !participant.waitsFor.isEmpty
    else { return nil }
    var entry = self
    entry.recomputeError()
    guard case .failed(let failures)? = entry.error else { return nil }
    return failures.first { participant.waitsFor.contains($0.store) }
      .map { OperationError.waiting(for: $0.error) }
  }

  /// Recomputes the error, from the shown changes of pure stores and the recorded errors of others.
  mutating func recomputeError() {
    if case .failed? = recordedError {} else if recordedError != nil { return }
    var recorded: [String: any Error] = [:]
    if case .failed(let failures)? = recordedError {
      for failure in failures { recorded[failure.store] = failure.error }
    }
    var failures: [StoreFailure] = []
    for participant in participants {
      let reduction = changes.last { $0.store == participant.store && $0.isReduction }
      let failed = failures.first { participant.waitsFor.contains($0.store) }
      let error =
        if let failed {
          OperationError.waiting(for: failed.error) as any Error
        } else if let reduction {
          reduction.shownFailure
        } else {
          recorded[participant.store]
        }
      if let error { failures.append(StoreFailure(store: participant.store, error: error)) }
    }
    error = failures.isEmpty ? nil : .failed(failures)
  }
}
