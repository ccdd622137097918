import Dispatch
import StrataBase
import StrataFlux

/// Shows states in a store that are not persisted, until the preview is discarded or kept.
///
/// It is a `Preview` of StrataCore, independent of the types of the store, and notifies the observers
/// of a `FluxStore` as well. When it is deallocated, the store returns to the state it left.
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

extension HubStore {
  func beginPreview() -> any StorePreview { FluxStorePreview(of: typed) }
}

private final class FluxStorePreview<State: StateType, Action: FluxAction>: StorePreview {
  private let store: FluxStore<State, Action>
  private let preview: Preview<State, Never>
  /// The version shown last, and the changes that observers were notified of last; nil at the end.
  private let status: Lock<(version: UInt64, notified: Changes<State>, isOver: Bool)>

  init(of store: FluxStore<State, Action>) {
    self.store = store
    preview = Preview(of: store)
    let changes = store.changes
    status = Lock((changes.version, changes, false))
  }

  /// The store returns without calling subscribers, who can do anything: they are notified later, on a
  /// background thread.
  deinit {
    if status.withLock({ $0.isOver }) { return }
    do {
      try preview.discard(trace("return"))
    } catch _ {
      // A hook refuses its own state. The preview keeps what is shown when it is deallocated.
      return
    }
    let (changes, notified) = (store.changes, status.withLock { $0.notified })
    DispatchQueue.global().async { [store, preview] in
      preview.notify()
      store.notifyObservers(of: changes, after: notified)
    }
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
    store.notifyObservers(of: changes, after: notified)
  }

  func discard() throws {
    try preview.discard(trace("return"))
    status.withLock { $0.isOver = true }
  }

  func keep() throws -> (any StateType)? {
    let version = try RecorderState.$storeBeingKept.withValue(ObjectIdentifier(store)) {
      try preview.keep(trace("keep"))
    }
    return status.withLock { status in
      status.isOver = true
      return version == nil || version == status.version + 1 ? nil : store.state
    }
  }

  private func trace(_ name: String) -> CommitTrace {
    CommitTrace(ofCommit: "recorder: \(name)", nil, at: CommitPlace())
  }
}

extension FluxStore {
  fileprivate func notifyObservers(of new: Changes<State>, after old: Changes<State>) {
    if new.version != old.version { notifyObservers(from: old.value, to: new.value, after: nil) }
  }
}
