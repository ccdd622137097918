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

  /// Passes the versions of the scope to a closure, such as another store's `assignee`.
  ///
  /// A version that is no longer the value of the scope when it is delivered is left out, because a later
  /// one follows. So two stores that are assigned to each other come to rest, also if several threads commit.
  public func assign(
    to binder: @escaping @Sendable (Changes<Scope>) -> Void
  ) -> StoreSubscription {
    let scope = scope
    return sinkState { [weak store = targetStore] changes in
      if let current = store?.changes, current.version != changes.storedVersion,
        !BitwiseEquality.areEqual(current.storedValue[keyPath: scope], changes.storedValue)
      {
        return
      }
      binder(changes)
    }
  }
}

extension DerivedType {
  /// Passes every new value to a closure, such as a store's `assignee`:
  /// `count.assign(to: other.assignee(\.count))`.
  ///
  /// A value that is no longer that of the source when it is delivered is left out: the closure receives
  /// what the source has now. So two stores that are assigned to each other come to rest, also if several
  /// threads commit. A value that is assigned to the store it is derived from, and changes each time, never
  /// ends.
  public func assign(
    to binder: @escaping @Sendable (Changes<Value>) -> Void
  ) -> StoreSubscription {
    sinkValue { [weak derived] changes in
      guard let latest = derived?.source.latest, latest.number > changes.storedVersion,
        !BitwiseEquality.areEqual(latest.value, changes.storedValue)
      else { return binder(changes) }
      binder(latest.changes)
    }
  }
}
