import StrataBase

/// Shows states in a store that are not persisted, until the preview is discarded or kept.
///
/// It is a `Preview` of StrataCore, independent of the types of the store, and notifies the observers
/// of a ``FluxStore`` as well. When it is deallocated, the store returns to the state it left.
protocol StorePreview: Sendable {
  /// Whether the store was committed to since the last `show`.
  var hasForeignCommits: Bool { get }

  /// Makes a state the next version of the store, without notifying yet.
  func show(_ state: any StateType) throws

  /// Notifies subscribers and observers of the changes since they were last notified.
  func notify()

  /// Ends with the state that the store left.
  func discard() throws

  /// Ends with one commit from the state that the store left to the state shown, which is not
  /// reported to the recorder.
  ///
  /// Returns the committed state if it is not the one shown last, because the store was committed to
  /// since.
  func keep() throws -> (any StateType)?
}

extension FluxStore {
  func beginPreview() -> any StorePreview { FluxStorePreview(of: self) }
}

private final class FluxStorePreview<State: StateType, Action: FluxAction>: StorePreview {
  private struct Status: Sendable {
    /// The version shown last.
    var version: UInt64
    /// The changes that observers were notified of last.
    var notified: Changes<State>
  }

  private let store: FluxStore<State, Action>
  private let preview: Preview<State, Never>
  private let status: Lock<Status>

  init(of store: FluxStore<State, Action>) {
    self.store = store
    preview = Preview(of: store)
    let changes = store.changes
    status = Lock(Status(version: changes.version, notified: changes))
  }

  var hasForeignCommits: Bool { store.changes.version != status.withLock { $0.version } }

  func show(_ state: any StateType) throws {
    guard let state = state as? State else {
      fatalError("The store \(store.identifier) cannot show a \(type(of: state)).")
    }
    let version = try preview.show(state, trace("travel"))
    status.withLock { $0.version = version }
  }

  func notify() {
    preview.notify()
    let changes = store.changes
    let notified = status.withLock { status in
      defer { status.notified = changes }
      return status.notified
    }
    guard changes.version != notified.version else { return }
    store.notifyObservers(from: notified.value, to: changes.value, after: nil)
  }

  func discard() throws { try preview.discard(trace("return")) }

  func keep() throws -> (any StateType)? {
    let version = try store.commitObserver.withoutReports { try preview.keep(trace("keep")) }
    let isAsShown = status.withLock { version == nil || version == $0.version + 1 }
    return isAsShown ? nil : store.state
  }

  private func trace(_ name: String) -> CommitTrace {
    CommitTrace(name: "recorder: \(name)", fileID: #fileID, function: #function, line: #line)
  }
}
