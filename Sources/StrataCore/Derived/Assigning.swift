extension DispatcherType {
  /// A closure that puts the value of each change into a part of the scope: what `assign(to:)` takes.
  ///
  /// It does not keep the store; once that is gone it does nothing.
  public func assignee<Value: Sendable>(
    _ part: StatePath<Scope, Value>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) -> @Sendable (Changes<Value>) -> Void {
    let whole = appending(part, to: scope)
    return { [weak store = targetStore] changes in
      let trace = CommitTrace(name: "assign", fileID: fileID, function: function, line: line)
      store?.commit(trace, scope: whole) { $0 = changes.value }
    }
  }

  /// A closure that puts the value of each change into an optional part of the scope.
  public func assignee<Value: Sendable>(
    _ part: StatePath<Scope, Value?>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) -> @Sendable (Changes<Value>) -> Void {
    let whole = appending(part, to: scope)
    return { [weak store = targetStore] changes in
      let trace = CommitTrace(name: "assign", fileID: fileID, function: function, line: line)
      store?.commit(trace, scope: whole) { $0 = changes.value }
    }
  }

  /// A closure that puts each change, with its previous value and version, into a part of the scope.
  public func assignee<Value: Sendable>(
    _ part: StatePath<Scope, Changes<Value>>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) -> @Sendable (Changes<Value>) -> Void {
    let whole = appending(part, to: scope)
    return { [weak store = targetStore] changes in
      let trace = CommitTrace(name: "assign", fileID: fileID, function: function, line: line)
      store?.commit(trace, scope: whole) { $0 = changes }
    }
  }

  /// Hands every version of the scope to a closure, such as another store's `assignee`.
  public func assign(
    to binder: @escaping @Sendable (Changes<Scope>) -> Void
  ) -> StoreSubscription {
    sinkState(receive: binder)
  }
}

extension Derived {
  /// Hands every new value to a closure, such as a store's `assignee`:
  /// `count.assign(to: other.assignee(\.count))`.
  ///
  /// Assigned to the store it is derived from, a value that keeps changing goes on for ever.
  public func assign(
    to binder: @escaping @Sendable (Changes<Value>) -> Void
  ) -> StoreSubscription {
    sinkValue(receive: binder)
  }
}
