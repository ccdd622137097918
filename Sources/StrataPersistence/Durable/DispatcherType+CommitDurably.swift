import StrataBase
public import StrataCore
import StrataStorage

extension DispatcherType {
  /// Changes the scope in one atomic step and returns when the change is on disk, with what the
  /// closure returns.
  ///
  /// ```swift
  /// let order = try await orders.commitDurably("place order") { try $0.place(cart) }
  /// await answer(.accepted(order))      // survives a power cut from here on
  /// ```
  ///
  /// The rules of `commit` apply to the edit, and subscribers are notified before the sync. Then
  /// the call waits for one sync, a few milliseconds, under every `Durability`. Concurrent callers
  /// share it. A commit that changes nothing in the database waits for the commits before it, as it
  /// may have relied on them.
  ///
  /// Throws what the closure throws, or a `PersistenceError` when the persistence was closed or the
  /// store shows another time: then the commit is rolled back. Throws ``DurabilityError`` when the
  /// commit happened and the disk fails; it says whether the outcome is unknown. Cancelling the
  /// task changes none of this. Traps on a store that was not created from a ``Persistence``.
  ///
  /// With `until: .replicated` of `StrataArchive` it also waits for the archive.
  @discardableResult
  public func commitDurably<R>(
    _ name: String = "",
    until mark: CommitMark = .durable,
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ mutation: (inout Scope) throws -> R
  ) async throws -> R {
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    let commit = DurableCommit(of: targetStore, trace, until: mark)
    let result = try targetStore.commit(trace, by: ObjectIdentifier(self), scope: scope) {
      (part: inout Scope, attachments: inout CommitAttachments) throws in
      try commit.begin(on: targetStore, &attachments)
      return try mutation(&part)
    }
    try await commit.wait()
    return result
  }

  /// The same for a part of the scope; the key path starts at the dispatcher's scope.
  @discardableResult
  public func commitDurably<Part, R>(
    _ name: String = "",
    until mark: CommitMark = .durable,
    scope part: StatePath<Scope, Part>,
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ mutation: (inout Part) throws -> R
  ) async throws -> R {
    try await commitDurably(
      name,
      until: mark,
      context: context,
      fileID: fileID,
      function: function,
      line: line
    ) {
      try mutation(&$0[keyPath: part])
    }
  }
}

extension DispatcherContext {
  /// Changes the scope in one atomic step and returns when the change is on disk, with what the
  /// closure returns.
  ///
  /// The rules are those of a dispatcher's `commitDurably`.
  @discardableResult
  public func commitDurably<R>(
    _ name: String = "",
    until mark: CommitMark = .durable,
    context: CommitContext? = nil,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    isolation: isolated (any Actor)? = #isolation,
    _ mutation: (inout Dispatcher.Scope) throws -> R
  ) async throws -> R {
    let store = dispatcher.targetStore
    let trace = CommitTrace(ofCommit: name, context, at: CommitPlace(fileID, function, line))
    let commit = DurableCommit(of: store, trace, until: mark)
    let result = try store.commit(
      trace,
      causes: actions,
      by: ObjectIdentifier(dispatcher),
      scope: dispatcher.scope
    ) { (part: inout Dispatcher.Scope, attachments: inout CommitAttachments) throws in
      try commit.begin(on: store, &attachments)
      return try mutation(&part)
    }
    try await commit.wait()
    return result
  }
}
