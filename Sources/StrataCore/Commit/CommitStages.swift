/// What a commit passes through after its edit, in this order.
///
/// A stage may be installed while a commit waits for its turn, so a commit looks again when it has
/// got it.
@usableFromInline
struct CommitStages<State: StateType>: Sendable {
  var middleware: [any StoreMiddleware<State>] = []
  var hooks: [any CommitHook<State>] = []
  /// Whether commits are shown and not kept: see ``Detour``.
  var isOnDetour = false

  @usableFromInline
  init() {}
}

extension CommitStages {
  /// Lets middleware and then hooks complete the edit, each in the order of installation.
  ///
  /// What they throw is rethrown when it fits `E`; otherwise the program stops with the remedy.
  func complete<E: Error>(_ edit: inout Edit<State>, throwing: E.Type) throws(E) {
    for stage in middleware {
      do { try stage.modify(&edit) } catch { throw Self.refusal(error, of: edit) }
    }
    for hook in hooks {
      do { try hook.editDidEnd(&edit) } catch { throw Self.refusal(error, of: edit) }
    }
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
