import StrataBase

extension Store {
  /// Runs one commit: the edit, middleware and hooks, the new version, and its delivery.
  ///
  /// The `commit` of ``DispatcherType`` calls it, in each of its forms.
  ///
  /// If any of them throws, everything stays as it was. An edit that leaves every byte of the state
  /// unchanged ends early: it makes no version and is delivered to no subscriber. A stage's error that
  /// is not an `E` cannot be thrown: the ``refusedCommitHandler`` receives it.
  ///
  /// While the store shows another state than its own, a commit can go to the own state; then it passes
  /// every hook, but is delivered when the store returns.
  func commit<Scope, R, E: Error>(
    _ trace: CommitTrace,
    causes: [ActionMetadata] = [],
    by dispatcher: ObjectIdentifier? = nil,
    scope: WritableKeyPath<State, Scope>,
    _ mutation: (inout Scope) throws(E) -> R
  ) throws(E) -> R {
    try commit(trace, causes: causes, by: dispatcher, scope: scope) { (part, _) throws(E) in
      try mutation(&part)
    }
  }

  /// The same with a closure that may attach values to the commit, and for several dispatchers.
  package func commit<Scope, R, E: Error>(
    _ trace: CommitTrace,
    causes: [ActionMetadata] = [],
    by dispatcher: ObjectIdentifier? = nil,
    and others: [ObjectIdentifier] = [],
    scope: WritableKeyPath<State, Scope>,
    attaching mutation: (inout Scope, inout CommitAttachments) throws(E) -> R
  ) throws(E) -> R {
    var version: UInt64?
    return try commit(
      trace,
      causes: causes,
      by: dispatcher,
      and: others,
      scope: scope,
      version: &version,
      attaching: mutation
    )
  }

  /// The same; sets `version` to the version that the commit makes, and leaves it as it is when the
  /// commit changes nothing or is refused.
  func commit<Scope, R, E: Error>(
    _ trace: CommitTrace,
    causes: [ActionMetadata],
    by dispatcher: ObjectIdentifier?,
    and others: [ObjectIdentifier] = [],
    scope: WritableKeyPath<State, Scope>,
    version: inout UInt64?,
    attaching mutation: (inout Scope, inout CommitAttachments) throws(E) -> R
  ) throws(E) -> R {
    for hook in stages.withLock({ $0.hooks }) { hook.commitWillBegin() }
    // Freed after the lock: what is freed with them may commit or read in its turn.
    var replaced: Version<State>?
    var dropped: Edit<State>?
    var left: State?
    var refusal: (any Error)?
    let start = logger?.now()
    let result = try editLock.withLock { (_: inout EditTurn) throws(E) -> R in
      // Read under the lock: a stage may have been installed while this commit waited.
      var stages = stages.withLock { $0 }
      let destination = stages.destination?() ?? .shown
      var edit = delivery.beginEdit(trace: trace, causes: causes, by: dispatcher, and: others)
      let present = destination == .shown ? nil : stages.present
      if let present {
        edit = Edit(of: present.state, like: edit)
        stages.hooks = present.hooks(with: stages.hooks)
      }
      do throws(E) {
        var attachments = CommitAttachments()
        var effect = EditEffect.nothing
        let result = try EditEffect.observe(editing: &edit.state, reporting: &effect) {
          (state) throws(E) in try mutation(&state[keyPath: scope], &attachments)
        }
        guard case .something = effect, destination != .dropped else {
          dropped = edit
          return result
        }
        edit.attachments = attachments
        do {
          try stages.complete(&edit)
        } catch {
          if let error = error as? E { throw error }
          refusal = error
          dropped = edit
          return result
        }
        if let present {
          left = present.replace(with: edit.state)
          return result
        }
        let log = logger.map { logEntry(of: edit, since: start, for: $0) }
        replaced = delivery.publish(Version(Changes(edit)), log: log)
        version = edit.version
        return result
      } catch {
        dropped = edit
        throw error
      }
    }
    _ = consume replaced
    _ = consume dropped
    _ = consume left
    if let refusal {
      refusedCommitHandler(RefusedCommit(store: name, trace: trace, error: refusal))
    }
    delivery.drain()
    return result
  }
}
