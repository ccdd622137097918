import StrataBase

extension FluxStore {
  /// Calls `callback` at the end of every action that changed the state.
  ///
  /// It is given the state that is committed last when it runs and the action, or nil when the state
  /// came by travelling in time. The observer is held weakly: when it goes, so does the callback,
  /// which should capture it weakly too. An observer may register several callbacks; they run in the
  /// order of their registration, after every store that answers the action at once has done so, and
  /// may dispatch.
  ///
  /// Registering: amortised O(1). Telling: O(1) for each observer, nothing after an action that
  /// changed nothing.
  public func register(
    observer: some AnyObject & Sendable,
    queue: TargetQueue = .passthrough,
    callback: @escaping @Sendable (State, Action?) -> Void
  ) {
    let seen = observers.withLock { $0.add(observer, on: queue, call: callback) }
    withExtendedLifetime(seen) {}
  }

  /// The same on the main actor.
  public func register(
    observer: some AnyObject & Sendable,
    queue: MainTargetQueue,
    callback: @escaping @MainActor @Sendable (State, Action?) -> Void
  ) {
    register(observer: observer, queue: queue.queue) { state, action in
      MainActor.assumeIsolated { callback(state, action) }
    }
  }

  /// Calls `callback` at the end of every action that changed the property.
  ///
  /// Any number of observers of one property cost one `==` for an action that leaves it alone.
  public func register<Value: Equatable & Sendable>(
    observer: some AnyObject & Sendable,
    of keyPath: any KeyPath<State, Value> & Sendable,
    queue: TargetQueue = .passthrough,
    callback: @escaping @Sendable (Value, Action?) -> Void
  ) {
    let seen = observers.withLock { observers in
      observers.add(observer, of: keyPath, on: queue) { state, action in
        callback(state[keyPath: keyPath], action)
      }
    }
    withExtendedLifetime(seen) {}
  }

  /// The same on the main actor.
  public func register<Value: Equatable & Sendable>(
    observer: some AnyObject & Sendable,
    of keyPath: any KeyPath<State, Value> & Sendable,
    queue: MainTargetQueue,
    callback: @escaping @MainActor @Sendable (Value, Action?) -> Void
  ) {
    register(observer: observer, of: keyPath, queue: queue.queue) { value, action in
      MainActor.assumeIsolated { callback(value, action) }
    }
  }

  /// Forgets all callbacks of the observer.
  ///
  /// One that another thread has begun runs to its end, none begins after this. O(observers).
  public func unregister(observer: some AnyObject) {
    // What goes with the callbacks may register or unregister in its turn.
    let (before, seen) = observers.withLock { observers in
      let before = observers
      return (before, observers.remove(observer))
    }
    withExtendedLifetime((before, seen)) {}
  }

  /// How many callbacks are kept, also of observers that are gone.
  package var callbackCount: Int { observers.withLock { $0.callCount } }

  func tellObservers(from old: State, to new: State, after action: Action?) {
    let calls = observers.withLock { $0 }.calls(from: old, to: new)
    for observer in calls.due { observer.tell(of: self, after: action) }
    guard calls.foundGone else { return }
    let (before, seen) = observers.withLock { observers in
      let before = observers
      return (before, observers.compact())
    }
    withExtendedLifetime((before, seen)) {}
  }
}
