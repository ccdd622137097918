import StrataBase
import StrataCore

/// The observers of a store, and the actions that it is responding to.
///
/// Operations overlap: while one waits for the network, others change the state. What the others have changed is no change of
/// the one that waits, and is notified at their own ends. So once two actions overlap, this hook notes, at each commit of one
/// action, what the other ones have changed by then. A commit that no action of the store has made counts for all of them.
final class ActiveActions<State: StateType, Action: FluxAction>: CommitHook {
  /// One action, from its start to the notification of observers.
  final class Response: Sendable {
    fileprivate let number: UInt64
    private let actions: ActiveActions

    fileprivate init(_ number: UInt64, of actions: ActiveActions) {
      (self.number, self.actions) = (number, actions)
    }

    /// A cancelled dispatch calls no observers.
    deinit { actions.forget(self) }
  }

  /// What is known of a response.
  private struct Progress: Sendable {
    let dispatch: DispatchID?
    /// The version since which no other action has committed.
    var since: Version
    /// The parts of the state that the action has changed before.
    var changed: Set<ObserverList<State, Action>.Part> = []
  }

  private typealias Version = (number: UInt64, state: State)

  private struct Status: Sendable {
    var responses: [UInt64: Progress] = [:]
    /// How many actions are active, also those that have not noted where they start.
    var count = 0
    var lastNumber: UInt64 = 0
    var isInstalled = false
    /// Earlier states, which are released outside the edit lock.
    var passed: [State] = []

    mutating func remove(_ number: UInt64) -> Progress? {
      let progress = responses.removeValue(forKey: number)
      if progress != nil { count -= 1 }
      return progress
    }

    /// The responses of other dispatches, if this one has a response too.
    mutating func others(than dispatch: DispatchID) -> [UInt64: Progress] {
      guard responses.values.contains(where: { $0.dispatch == dispatch }) else { return [:] }
      let others = responses.filter { $0.value.dispatch != dispatch }
      passed += others.values.map(\.since.state)
      return others
    }
  }

  let observers = Lock(ObserverList<State, Action>())
  private let status = Lock(Status())

  /// How many actions are active.
  var count: Int { status.withLock { $0.count } }

  /// Starts a response to an action of the current dispatch.
  func start(in store: FluxStore<State, Action>) -> Response {
    let (number, overlaps) = status.withLock { status in
      status.count += 1
      status.lastNumber += 1
      return (status.lastNumber, status.count > 1 && !status.isInstalled)
    }
    if overlaps {
      store.hook(where: { $0 === self }, orInstall: { self })
      status.withLock { $0.isInstalled = true }
    }
    let response = Response(number, of: self)
    status.withLock { status in
      let changes = store.changes
      status.responses[number] = Progress(
        dispatch: DispatchID.current,
        since: (changes.version, changes.value)
      )
    }
    return response
  }

  /// Ends a response; returns the parts of the state that its action has changed.
  func end(
    _ response: Response,
    in store: FluxStore<State, Action>
  ) -> Set<ObserverList<State, Action>.Part> {
    // A commit is noted before its version is published: so it is later than both, or earlier than both.
    let (progress, changes) = status.withLock { ($0.remove(response.number), store.changes) }
    releasePassed()
    guard let progress else { return [] }
    guard changes.version > progress.since.number else { return progress.changed }
    return observers.withLock { $0 }.changes(from: progress.since.state, to: changes.value)
      .union(progress.changed)
  }

  private func forget(_ response: Response) {
    let progress = status.withLock { $0.remove(response.number) }
    withExtendedLifetime(progress) {}
    releasePassed()
  }

  private func releasePassed() {
    let passed = status.withLock { status in
      defer { status.passed = [] }
      return status.passed
    }
    withExtendedLifetime(passed) {}
  }

  func commitWillBegin() { releasePassed() }

  func commitDidHappen(_ edit: Edit<State>) {
    guard let dispatch = DispatchID.current else { return }
    let others = status.withLock { $0.others(than: dispatch) }
    if others.isEmpty { return }
    let observers = observers.withLock { $0 }
    for (number, progress) in others {
      let hasChanged = edit.version > progress.since.number + 1
      let changed =
        hasChanged ? observers.changes(from: progress.since.state, to: edit.previous) : []
      status.withLock { status in
        status.responses[number]?.changed.formUnion(changed)
        status.responses[number]?.since = (edit.version, edit.state)
      }
    }
  }
}

/// Identifies one dispatch of one hub.
///
/// Two hubs can have the same name, so the transaction alone is not unique.
package struct DispatchID: Sendable, Equatable {
  /// The identity of a hub, for values that can outlive it.
  package final class Hub: Sendable {}

  package let hub: Hub
  package let transaction: String

  /// The dispatch that the running code belongs to.
  ///
  /// Tasks created by an operation inherit it; blocks on a dispatch queue do not.
  @TaskLocal package static var current: DispatchID?

  /// Whether both are one dispatch.
  package static func == (a: DispatchID, b: DispatchID) -> Bool {
    a.hub === b.hub && a.transaction == b.transaction
  }
}
