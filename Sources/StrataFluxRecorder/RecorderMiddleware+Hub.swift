import StrataBase
import StrataFlux

extension RecorderMiddleware: HubMiddleware {
  package func join(_ hub: Dispatcher.Identity, _ stores: [any HubStore]) {
    state.withLock { state in
      if state.hub != nil {
        preconditionFailure(
          "A RecorderMiddleware records one dispatcher. Create another one for another dispatcher."
        )
      }
      state.hub = hub
    }
    for store in stores { add(store) }
  }

  package func leave() {
    do {
      try returnToPresent()
    } catch _ {
      // The remaining previews return to the present when they are deallocated.
    }
    // Releasing the state can run code that commits or calls the recorder, so it happens unlocked.
    let released = travelLock.withLock { _ in
      let released = state.withLock { state in
        defer { state = RecorderState() }
        return state
      }
      for store in released.stores { store.stopObservingCommits() }
      return released
    }
    withExtendedLifetime(released) {}
  }

  package func add(_ store: any HubStore) {
    travelLock.withLock { _ in
      if state.withLock({ state in state.stores.contains { $0 === store } }) { return }
      store.observeCommits(by: self) { current in state.withLock { $0.add(store, current) } }
      // After the observer, because a preview suspends the hooks that are installed when it starts.
      guard state.withLock({ $0.travel != nil }) else { return }
      let preview = store.beginPreview()
      state.withLock { $0.travel?.previews[store.identifier] = preview }
    }
  }

  package func remove(_ store: any HubStore) {
    let preview = travelLock.withLock { _ in
      store.stopObservingCommits()
      return state.withLock { state in
        defer { state.remove(store) }
        return state.travel?.previews[store.identifier]
      }
    }
    // Releasing the preview restores the hooks of the store and its state.
    withExtendedLifetime(preview) {}
  }

  package func admit(
    _ dispatch: DispatchTransaction,
    _ stores: [(store: String, waitsFor: [String])]
  ) throws(DispatchError) {
    while true {
      let isTravelling = try state.withLock { state throws(DispatchError) in
        if state.isLocked { throw .locked }
        if state.travel == nil { state.begin(dispatch, stores, at: moment()) }
        return state.travel != nil
      }
      if !isTravelling { return }
      guard travelPolicy == .branch else { throw .travelling }
      do {
        try branch()
      } catch {
        throw .branchFailed(error)
      }
    }
  }

  package func didEnd(_ dispatch: DispatchTransaction) {
    state.withLock { $0.end(dispatch, at: moment(), limit: limit) }
  }

  /// Records a commit; called under the edit lock of its store.
  func record(
    _ change: RecordedChange,
    _ edit: (store: String, state: any StateType, trace: CommitTrace, revision: Int64?)
  ) {
    state.withLock { $0.record(change, edit, at: moment(), limit: limit) }
  }

  /// Records that a store responded to the action of the running code by `reduce`.
  func didReduce(in store: String) {
    state.withLock { state in
      guard let id = DispatchID.current, id.hub === state.hub else { return }
      state.update(id.transaction) { $0.entry[store].isReduced = true }
    }
  }
}
