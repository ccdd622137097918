extension Store {
  /// Runs one edit of the state: the edit, the hooks, the new version, and its delivery.
  ///
  /// A throw from the edit or from a hook leaves everything as it was. What a hook throws is
  /// rethrown when it fits `E`; otherwise the program stops with the remedy.
  func commit<Scope, R, E: Error>(
    _ trace: CommitTrace,
    scope: WritableKeyPath<State, Scope>,
    _ mutation: (inout Scope) throws(E) -> R
  ) throws(E) -> R {
    for hook in hooks.withLock({ $0 }) { hook.commitWillBegin() }
    // Freed after the lock, where what goes with it may commit or read in its turn.
    var replaced: Changes<State>?
    let result = try editLock.withLock { (_: inout EditTurn) throws(E) -> R in
      // Not the hooks of before: one may have been installed while this commit waited.
      let hooks = hooks.withLock { $0 }
      var edit = Edit(after: delivery.current, trace: trace)
      let result = try mutation(&edit.state[keyPath: scope])
      for hook in hooks { try Self.end(&edit, with: hook, throwing: E.self) }
      for hook in hooks { hook.commitDidHappen(edit) }
      replaced = delivery.publish(Changes(edit))
      return result
    }
    _ = consume replaced
    delivery.drain()
    return result
  }

  private static func end<E: Error>(
    _ edit: inout Edit<State>,
    with hook: any CommitHook<State>,
    throwing: E.Type
  ) throws(E) {
    do {
      try hook.editDidEnd(&edit)
    } catch {
      guard let error = error as? E else {
        fatalError(
          """
          The commit "\(edit.trace.name)" at \(edit.trace.place) was refused: \(error). \
          Write the closure as one that throws (with `throws` in its type or a `try` inside) \
          and call it with `try commit`.
          """
        )
      }
      throw error
    }
  }
}
