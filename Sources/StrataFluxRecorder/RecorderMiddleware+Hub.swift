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
    let released = traveller.lock.withLock { _ in
      let released = state.withLock { state in
        defer { state = RecorderState(limit: state.limit, now: state.now) }
        return state
      }
      for store in released.stores { store.stopObservingCommits() }
      return released
    }
    withExtendedLifetime(released) {}
  }

  package func add(_ store: any HubStore) {
    traveller.lock.withLock { _ in
      if state.withLock({ state in state.stores.contains { $0 === store } }) { return }
      store.observeCommits(by: self) { current in state.withLock { $0.add(store, current) } }
      // After the observer, because a preview suspends the hooks that are installed when it starts.
      traveller.begin(store)
    }
  }

  package func remove(_ store: any HubStore) {
    let preview = traveller.lock.withLock { _ in
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
    while try state.withLock({ state throws(DispatchError) in
      if state.isLocked { throw .locked }
      if state.travel == nil { state.begin(dispatch, stores) }
      return state.travel != nil
    }) {
      guard travelPolicy == .branch else { throw .travelling }
      do {
        try branch()
      } catch {
        throw .branchFailed(error)
      }
    }
  }

  package func didEnd(_ dispatch: DispatchTransaction) { state.withLock { $0.end(dispatch) } }
}
