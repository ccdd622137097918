/// What commits to a store: the store itself, and every dispatcher made for it.
///
/// A dispatcher is an object without state of its own. It looks at a part of the store's state,
/// its ``Scope``, and may hold whatever its commits need. There may be as many as one likes.
public protocol DispatcherType: AnyObject, Sendable {
  /// The whole state of the store.
  associatedtype State: StateType
  /// What the store announces besides its state.
  associatedtype Activity: Sendable
  /// The part of the state this dispatcher looks at.
  associatedtype Scope: Sendable = State

  /// The store that is committed to.
  ///
  /// Held strongly.
  var targetStore: Store<State, Activity> { get }
  /// Where the scope is in the state.
  var scope: StatePath<State, Scope> { get }
}

extension DispatcherType {
  /// Changes the scope in one atomic step and returns what the closure returns.
  ///
  /// If the closure throws, nothing has happened. Waits for other commits of the store, never for
  /// subscribers or a disk that keeps up. Committing inside the closure traps; reading `state`
  /// there gives the last committed value. The name and the place travel with the commit as its
  /// ``CommitTrace``. Costs about a microsecond beside the edit itself.
  ///
  /// A commit that leaves the state byte for byte as it was returns its result, but makes no version
  /// and reaches neither middleware, hooks nor subscribers. Only the state's own bytes are compared,
  /// not what they refer to: an unused closure, or a number or a flag set to what it is, changes
  /// nothing; assigning an equal array of other storage, or a write to a table, makes a version, in
  /// which `hasChanges` is false. What an object inside the state does to itself is never seen.
  @discardableResult
  public func commit<R, E: Error>(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Scope) throws(E) -> R
  ) throws(E) -> R {
    let trace = CommitTrace(name: name, fileID: fileID, function: function, line: line)
    return try targetStore.commit(
      trace,
      by: ObjectIdentifier(self),
      scope: scope,
      mutation
    )
  }

  /// Changes a part of the scope in one atomic step; the key path starts at the own scope.
  ///
  /// An optional part is given as an optional.
  @discardableResult
  public func commit<Part, R, E: Error>(
    _ name: String = "",
    scope part: StatePath<Scope, Part>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Part) throws(E) -> R
  ) throws(E) -> R {
    let trace = CommitTrace(name: name, fileID: fileID, function: function, line: line)
    return try targetStore.commit(
      trace,
      by: ObjectIdentifier(self),
      scope: (scope as WritableKeyPath).appending(path: part as WritableKeyPath),
      mutation
    )
  }

  /// Changes the scope in one atomic step and attaches values that travel with the commit.
  ///
  /// ```swift
  /// let isAnimated = CommitAttachmentKey<Bool>()
  ///
  /// store.commit { state, attachments in
  ///   state.count += 1
  ///   attachments[isAnimated] = true
  /// }
  /// ```
  ///
  /// Subscribers find them in ``Changes/attachments``. A commit that changes nothing takes them with
  /// it.
  @discardableResult
  public func commit<R, E: Error>(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Scope, inout CommitAttachments) throws(E) -> R
  ) throws(E) -> R {
    let trace = CommitTrace(name: name, fileID: fileID, function: function, line: line)
    return try targetStore.commit(
      trace,
      by: ObjectIdentifier(self),
      scope: scope,
      attaching: mutation
    )
  }

  /// Tells everyone who listens by `sinkActivity`.
  ///
  /// Nothing is kept for later listeners. Send after a commit, not inside it: there the activity
  /// goes out at once, whether or not the commit happens, and a sink that commits traps.
  public func send(_ activity: Activity) {
    targetStore.delivery.send(activity, log: targetStore.logEntry(of: activity))
  }

  /// A dispatcher of another part of the state; the key path starts at the root.
  public func detached<Other: Sendable>(
    from other: StatePath<State, Other>
  ) -> ScopedDispatcherBase<State, Activity, Other> {
    ScopedDispatcherBase(targetStore: targetStore, scope: other)
  }

  /// A dispatcher of a part of the scope; the key path starts at the own scope.
  public func detached<Part: Sendable>(
    by part: StatePath<Scope, Part>
  ) -> ScopedDispatcherBase<State, Activity, Part> {
    ScopedDispatcherBase(targetStore: targetStore, scope: appending(part, to: scope))
  }
}
