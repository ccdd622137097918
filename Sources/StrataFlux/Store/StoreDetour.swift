import StrataBase

/// A store that shows states which are not kept, whatever its types.
protocol StoreDetour: Sendable {
  /// Whether the store was committed to since the last `show`.
  var isDisturbed: Bool { get }

  /// Makes a state the store's next version; nobody is told yet.
  func show(_ state: any StateType) throws

  /// Tells subscribers and observers what was shown or kept since they were last told.
  func tell()

  /// Ends where it began.
  func returning() throws

  /// Ends with one commit from where it began to what is shown, which the recorder does not note.
  ///
  /// Gives the state kept when it is not the one shown last, as the store was committed to since.
  func keeping() throws -> (any StateType)?
}

final class FluxDetour<State: StateType, Action: FluxAction>: StoreDetour {
  private struct Known: Sendable {
    /// The version shown last.
    var version: UInt64
    /// What observers were told last.
    var told: Changes<State>
  }

  private let store: FluxStore<State, Action>
  private let detour: Preview<State, Never>
  private let known: Lock<Known>

  init(_ store: FluxStore<State, Action>) {
    self.store = store
    detour = Preview(of: store)
    let changes = store.changes
    known = Lock(Known(version: changes.version, told: changes))
  }

  var isDisturbed: Bool { store.changes.version != known.withLock { $0.version } }

  func show(_ state: any StateType) throws {
    guard let state = state as? State else {
      fatalError("The store \(store.identifier) was shown a \(type(of: state)).")
    }
    let version = try detour.show(state, trace("travel"))
    known.withLock { $0.version = version }
  }

  func tell() {
    detour.notify()
    let changes = store.changes
    let told = known.withLock { known in
      defer { known.told = changes }
      return known.told
    }
    guard changes.version != told.version else { return }
    store.tellObservers(from: told.value, to: changes.value, after: nil)
  }

  func returning() throws { try detour.discard(trace("return")) }

  func keeping() throws -> (any StateType)? {
    let version = try TapeContext.$muted.withValue(ObjectIdentifier(store.tape)) {
      try detour.keep(trace("keep"))
    }
    let isAsShown = known.withLock { version == nil || version == $0.version + 1 }
    return isAsShown ? nil : store.state
  }

  private func trace(_ name: String) -> CommitTrace {
    CommitTrace(name: "recorder: \(name)", fileID: #fileID, function: #function, line: #line)
  }
}
