import StrataBase

extension Dispatcher {
  /// Adds a store, which gets every action of its type from now on.
  ///
  /// It is held until it is unregistered. It may wait for stores that are registered later:
  /// ``unmetWaits`` tells which names nobody bears yet. O(n²) in the number of stores.
  ///
  /// - Parameters:
  ///   - store: The store. Registered twice, or beside another of the same identifier, it is
  ///     refused.
  ///   - others: The identifiers of stores that are to be done with an action before this one gets
  ///     it; those that do not answer the action do not count.
  /// - Throws: ``RegistrationError``; then nothing has changed.
  public func register<State, Action>(
    store: FluxStore<State, Action>,
    waitingFor others: [String] = []
  ) throws(RegistrationError) {
    let middleware = try registry.withLock { registry throws(RegistrationError) in
      try registry.add(store, waitingFor: others)
      return registry.middleware
    }
    for case let companion as any HubCompanion in middleware { companion.add(store) }
  }

  /// Removes a store, which gets no action any more, also none that was dispatched before and whose
  /// turn has not come.
  ///
  /// An operation under way goes on to its end. O(n²) in the number of stores.
  ///
  /// - Throws: ``RegistrationError/notRegistered(_:)``, also for another store of the same
  ///   identifier.
  public func unregister<State, Action>(
    store: FluxStore<State, Action>
  ) throws(RegistrationError) {
    try unregister(store.identifier) { $0.isSame(as: store) }
  }

  /// Removes the store with this identifier.
  ///
  /// The same otherwise.
  ///
  /// - Throws: ``RegistrationError/notRegistered(_:)``.
  public func unregister(identifier: String) throws(RegistrationError) {
    try unregister(identifier) { _ in true }
  }

  private func unregister(
    _ identifier: String,
    where isWanted: (any HubStore) -> Bool
  ) throws(RegistrationError) {
    let (removed, middleware) = try registry.withLock { registry throws(RegistrationError) in
      guard let store = registry.store(with: identifier), isWanted(store) else {
        throw .notRegistered(identifier)
      }
      return (try registry.remove(identifier), registry.middleware)
    }
    guard let removed else { return }
    for case let companion as any HubCompanion in middleware { companion.remove(removed) }
  }

  /// The store with this identifier, or nil.
  ///
  /// O(1).
  public func store(with identifier: String) -> (any FluxStoreType)? {
    registry.withLock { $0.store(with: identifier) }
  }

  /// The store with this identifier, or nil when there is none of this type.
  ///
  /// Made for one place that names all stores:
  ///
  /// ```swift
  /// extension Dispatcher {
  ///   var counter: CounterStore? { store(with: "counter", as: CounterStore.self) }
  /// }
  /// ```
  ///
  /// O(1).
  public func store<S: FluxStoreType>(with identifier: String, as type: S.Type) -> S? {
    store(with: identifier) as? S
  }

  /// The identifiers of all stores, in the order of their registration.
  ///
  /// O(n).
  public var identifiers: [String] { registry.withLock { $0.allStores }.map(\.identifier) }

  /// What stores wait for and nobody is called: perhaps not registered yet, perhaps misspelt.
  ///
  /// O(waits).
  public var unmetWaits: [String: [String]] { registry.withLock { $0.unmetWaits } }

  /// Adds middleware, after what is there.
  ///
  /// Dispatches whose turn has come already go on without it. Registered again, nothing happens. A
  /// second ``RecorderMiddleware``, or one of another hub, traps: two cannot both decide what the
  /// stores show. O(middleware), for a recorder O(stores) as well.
  public func register(middleware: any Middleware) {
    let companion = middleware as? any HubCompanion
    let stores = registry.withLock { registry -> [any HubStore]? in
      if companion != nil,
        registry.middleware.contains(where: { other in
          other is any HubCompanion && other !== middleware
        })
      {
        fatalError(
          """
          A dispatcher has one RecorderMiddleware: unregister the first before registering \
          another.
          """
        )
      }
      return registry.add(middleware) ? registry.allStores : nil
    }
    if let stores { companion?.join(identity, stores) }
  }

  /// Removes middleware; nothing happens when it is not registered.
  ///
  /// Dispatches whose turn has come already go on with it. A recorder that travels returns to the
  /// present first. O(middleware), for a recorder O(stores) as well.
  public func unregister(middleware: any Middleware) {
    let removed = registry.withLock { $0.remove(middleware) }
    (removed as? any HubCompanion)?.leave()
  }
}
