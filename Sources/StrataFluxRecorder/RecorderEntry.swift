public import Foundation

/// One step of a recording: a finished dispatch, or a commit outside of any dispatch.
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

  /// Increases from 1 and never changes, even when older entries are dropped.
  public internal(set) var id = 0
  /// The cause of the step.
  public let origin: Origin
  /// When the dispatch started, the commit happened, or the pause started.
  public let time: Date
  /// From then to the end of the dispatch or the pause; zero for a commit.
  public internal(set) var duration = Duration.zero
  /// The place in the source that dispatched the action or made the commit; empty for a pause.
  public internal(set) var place = ""
  /// Whether the shown states leave out this entry.
  public internal(set) var isSkipped = false
  /// The stores whose reducer, run again by an import, made another state of the action than the one
  /// recorded, which is shown.
  public internal(set) var decidedOtherwise: [String] = []

  /// The stores that the action reaches, each after those that it waits for, then the others that it
  /// changed.
  var parts: [Part] = []
  /// Why the dispatch ended, if not because stores failed.
  var refusal: DispatchError?

  /// Why the action failed or was cancelled, as the dispatch reported it.
  ///
  /// While an earlier entry is skipped, it is what the reducers throw without that entry. In an imported
  /// recording an error is ``RecorderError/recorded(_:)``, its description. O(stores).
  public var error: DispatchError? {
    let failures = parts.compactMap { part in
      part.shown.failure.map { StoreFailure(store: part.store, error: $0) }
    }
    return failures.isEmpty ? refusal : .failed(failures)
  }

  /// The identifiers of the stores that the entry changed, each once.
  ///
  /// O(stores).
  public var stores: [String] { parts.filter { $0.recorded.state != nil }.map(\.store) }

  /// The last revision that the entry's commits became in the file of each store that has one.
  ///
  /// `strata log` and `strata diff` show what the file says of a revision. Commits that changed nothing
  /// in the file have none. In an imported recording they are those of the program that exported it.
  /// O(stores).
  public var revisions: [String: Int64] {
    Dictionary(parts.compactMap { part in part.revision.map { (part.store, $0) } }) { max($0, $1) }
  }

  /// The action, if the origin is one.
  public var action: (any FluxAction)? {
    if case .action(let action) = origin { action } else { nil }
  }
}

extension RecorderEntry {
  /// What a step did to one store.
  struct Part: Codable, Sendable {
    /// What a file has of it; the outcomes are beside it there.
    private enum CodingKeys: CodingKey {
      case store, waitsFor, isReached, isReduced, isWhole, revision
    }

    let store: String
    var waitsFor: [String] = []
    /// Whether it received the action.
    var isReached = false
    /// Whether it responded by `reduce`, and by nothing else.
    var isReduced = false
    /// Its commits, in their order; a reducer that changed nothing made none.
    var changes: [RecordedChange] = []
    var recorded = Outcome()
    /// The same as it is shown: another one where an earlier entry is skipped.
    var shown = Outcome()
    /// Whether the recorded state has the commits of the entries up to this one alone, and not one of a
    /// dispatch that ended later.
    var isWhole = true
    var revision: Int64?

    /// Whether the store did not receive the action because one that it waits for failed.
    var isBlocked: Bool { !isReached && recorded.isOfDependency }

    /// Takes what is shown as what was recorded: the store received the action then, or did not.
    mutating func settle() {
      if shown.state !== recorded.state { (revision, isWhole) = (nil, true) }
      if isBlocked, !shown.isOfDependency {
        (isReached, isReduced) = (true, true)
      } else if shown.isOfDependency, !recorded.isOfDependency {
        (isReached, isReduced, changes) = (false, false, [])
      }
      recorded = shown
    }
  }

  /// How a step ended in one store.
  struct Outcome: Sendable {
    /// The state at the end, if the step changed the store.
    var state: RecordedState?
    /// Why the store failed.
    var failure: (any Error)?

    /// Whether it failed because what it waits for did.
    var isOfDependency: Bool {
      if case .dependencyFailed? = failure as? OperationError { true } else { false }
    }
  }

  /// The part of a store, which is added if there is none.
  subscript(store: String) -> Part {
    get { parts.first { $0.store == store } ?? Part(store: store) }
    set {
      if let index = parts.firstIndex(where: { $0.store == store }) {
        parts[index] = newValue
      } else {
        parts.append(newValue)
      }
    }
  }
}

/// A state of a store in a recording; two are the same state when they are one object.
final class RecordedState: Sendable {
  let value: any StateType

  init(_ value: any StateType) { self.value = value }
}

/// How a commit was made, as far as it is known.
enum RecordedChange: Sendable {
  /// The attachment of a commit that says so.
  static let key = CommitAttachmentKey<RecordedChange>()

  /// By the reducer's `reduce`.
  case reduction
  /// By `updateState`, with this closure.
  case update(@Sendable (any StateType) throws -> any StateType)
  /// Only the state after it is known.
  case unknown

  var isReduction: Bool { if case .reduction = self { true } else { false } }
}
