/// What a commit passes through after its edit: middleware, then hooks.
///
/// A stage may be installed while a commit waits for the edit lock, so a commit reads the stages again
/// once it holds the lock.
@usableFromInline
struct CommitStages<State: StateType>: Sendable {
  var middleware: [any StoreMiddleware<State>] = []
  var hooks: [any CommitHook<State>] = []
  /// Whether the store shows states that are not kept: see ``Preview``.
  var isPreviewing = false

  @usableFromInline
  init() {}
}

extension CommitStages {
  /// Runs middleware and hooks over an edit, each in the order of installation; then the edit is a
  /// commit, and only its version remains to be published.
  ///
  /// An error of a stage is rethrown if it is an `E`. Otherwise the program stops with the remedy.
  func complete<E: Error>(_ edit: inout Edit<State>, throwing: E.Type) throws(E) {
    for stage in middleware {
      do { try stage.modify(&edit) } catch { throw Self.refusal(error, of: edit) }
    }
    for hook in hooks {
      do { try hook.editDidEnd(&edit) } catch { throw Self.refusal(error, of: edit) }
    }
    for hook in hooks { hook.commitDidHappen(edit) }
  }

  private static func refusal<E: Error>(_ error: any Error, of edit: Edit<State>) -> E {
    if let error = error as? E { return error }
    fatalError(
      """
      The commit "\(edit.trace.name)" at \(edit.trace.place) was refused: \(error). \
      Write the closure as one that throws (with `throws` in its type or a `try` inside) \
      and call it with `try commit`.
      """
    )
  }
}
