import StrataBase

extension DispatcherType {
  /// A closure that writes the value of each change to a part of the scope, for `assign(to:)`.
  ///
  /// The commit has the context of the change. It does not hold the store; after the store is released it does nothing. A refused commit goes to
  /// the store's ``Store/refusedCommitHandler``.
  public func assignee<Value: Sendable>(
    _ part: StatePath<Scope, Value>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) -> @Sendable (Changes<Value>) -> Void {
    let whole = appending(part, to: scope)
    return { [weak store = targetStore] changes in
      let trace = CommitTrace(
        ofCommit: "assign",
        changes.context,
        at: CommitPlace(fileID, function, line)
      )
      store?.commit(trace, scope: whole) { $0 = changes.value }
    }
  }

  /// A closure that writes the value of each change to an optional part of the scope.
  public func assignee<Value: Sendable>(
    _ part: StatePath<Scope, Value?>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) -> @Sendable (Changes<Value>) -> Void {
    let whole = appending(part, to: scope)
    return { [weak store = targetStore] changes in
      let trace = CommitTrace(
        ofCommit: "assign",
        changes.context,
        at: CommitPlace(fileID, function, line)
      )
      store?.commit(trace, scope: whole) { $0 = changes.value }
    }
  }

  /// A closure that writes each change, with its previous value and version, to a part of the scope.
  public func assignee<Value: Sendable>(
    _ part: StatePath<Scope, Changes<Value>>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) -> @Sendable (Changes<Value>) -> Void {
    let whole = appending(part, to: scope)
    return { [weak store = targetStore] changes in
      let trace = CommitTrace(
        ofCommit: "assign",
        changes.context,
        at: CommitPlace(fileID, function, line)
      )
      store?.commit(trace, scope: whole) { $0 = changes }
    }
  }

  /// Passes every version of the scope to a closure, such as another store's `assignee`.
  public func assign(
    to binder: @escaping @Sendable (Changes<Scope>) -> Void
  ) -> StoreSubscription {
    sinkState(receive: binder)
  }
}

extension DerivedType {
  /// Passes every new value to a closure, such as a store's `assignee`:
  /// `count.assign(to: other.assignee(\.count))`.
  ///
  /// A value that is assigned to the store it is derived from, and changes each time, never ends.
  public func assign(
    to binder: @escaping @Sendable (Changes<Value>) -> Void
  ) -> StoreSubscription {
    sinkValue(receive: binder)
  }
}
