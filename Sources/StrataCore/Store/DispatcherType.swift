public import StrataBase

/// What commits to a store: the store itself, and every dispatcher created for it.
///
/// A dispatcher is an object without state of its own. It works on a part of the store's state, its
/// ``Scope``, and may hold what its commits need. A store may have any number of dispatchers.
///
/// ```swift
/// func rename(_ profile: some DispatcherType<AppState, Never, Profile>) {
///   profile.commit { $0.name = "Ada" }
/// }
/// ```
public protocol DispatcherType<State, Activity, Scope>: AnyObject, Sendable {
  /// The whole state of the store.
  associatedtype State: StateType
  /// What the store announces besides its state.
  associatedtype Activity: Sendable
  /// The part of the state this dispatcher works on.
  associatedtype Scope: Sendable = State

  /// The store that is committed to.
  ///
  /// Held strongly.
  var targetStore: Store<State, Activity> { get }
  /// The path from the state to the scope.
  var scope: StatePath<State, Scope> { get }
}

extension DispatcherType {
  /// The last committed value of the scope.
  ///
  /// Never waits for an edit. O(1).
  public var state: Scope { targetStore.state[keyPath: scope] }

  /// The last committed value of the scope with its version, its traces and the value before it.
  ///
  /// The version is that of the store: it also counts commits that do not change the scope. O(1).
  public var changes: Changes<Scope> { targetStore.changes.map(scope) }

  /// The last committed value of the whole state.
  ///
  /// O(1).
  public var rootState: State { targetStore.state }
}

extension DispatcherType {
  /// Changes the scope in one atomic step and returns the result of the closure.
  ///
  /// If the closure throws, the commit is rolled back. Waits for other commits of the store, and for
  /// subscribers or a disk only while they fall behind. Committing inside the closure traps;
  /// reading `state` there returns the last committed value. The name and the place are carried with
  /// the commit as its ``CommitTrace``, and so is its ``CommitContext``, completed by that of the task. Costs
  /// about a microsecond plus the edit itself.
  ///
  /// A commit that leaves every byte of the state unchanged returns its result, but makes no version
  /// and reaches neither middleware, hooks nor subscribers. Only the state's own bytes are compared,
  /// not what they refer to. A closure that writes nothing, or sets a number or a flag to the value it
  /// has, changes nothing. Assigning an equal array with other storage, or writing to a table, makes a
  /// version in which `hasChanges` is false. Changes inside an object in the state are never seen.
  ///
  /// Middleware, the rules of a database or a closed file may refuse the commit; then it is rolled
  /// back. A closure that throws any error throws that one. Otherwise the store's
  /// ``Store/refusedCommitHandler`` receives it, and the result of the closure is returned although
  /// what it names is not there. Make the state a ``RuledStateType`` to have every commit throw: see
  /// <doc:RefusedCommits>.
  @inlinable
  @discardableResult
  public func commit<R, E: Error>(
    _ name: String = "",
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Scope) throws(E) -> R
  ) throws(E) -> R {
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
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
  @inlinable
  @discardableResult
  public func commit<Part, R, E: Error>(
    _ name: String = "",
    scope part: StatePath<Scope, Part>,
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Part) throws(E) -> R
  ) throws(E) -> R {
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    return try targetStore.commit(
      trace,
      by: ObjectIdentifier(self),
      scope: scope
    ) { (whole) throws(E) in try mutation(&whole[keyPath: part]) }
  }

  /// Changes the scope in one atomic step and attaches values that are carried with the commit.
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
  /// Subscribers find them in ``Changes/attachments``. If the commit changes nothing, they are lost.
  @inlinable
  @discardableResult
  public func commit<R, E: Error>(
    _ name: String = "",
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutation: (inout Scope, inout CommitAttachments) throws(E) -> R
  ) throws(E) -> R {
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    return try targetStore.commit(
      trace,
      by: ObjectIdentifier(self),
      scope: scope,
      attaching: mutation
    )
  }

  /// Delivers an activity to the subscribers of `sinkActivity`.
  ///
  /// Later subscribers do not receive it. Send after a commit, not inside it: there the activity is
  /// delivered at once, even if the commit is then rolled back, and a sink that commits traps.
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
