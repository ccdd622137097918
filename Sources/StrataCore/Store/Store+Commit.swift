public import StrataBase

extension Store {
  /// Runs one commit: the edit, middleware and hooks, the new version, and its delivery.
  ///
  /// The `commit` of ``DispatcherType`` calls it, in each of its forms.
  ///
  /// If any of them throws, everything stays as it was. An edit that leaves every byte of the state
  /// unchanged ends early: it makes no version and is delivered to no subscriber. A stage's error that
  /// is not an `E` cannot be thrown: the ``refusedCommitHandler`` receives it.
  @inlinable
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
  @inlinable
  package func commit<Scope, R, E: Error>(
    _ trace: CommitTrace,
    causes: [ActionMetadata] = [],
    by dispatcher: ObjectIdentifier? = nil,
    and others: [ObjectIdentifier] = [],
    scope: WritableKeyPath<State, Scope>,
    attaching mutation: (inout Scope, inout CommitAttachments) throws(E) -> R
  ) throws(E) -> R {
    // A key path costs a tenth of a small commit, also the one to the whole.
    let isWhole = ObjectIdentifier(scope) == ObjectIdentifier(self.scope)
    var edited: Result<R, E>?
    let refusal = specialized.commit(
      self,
      CommitOrigin(trace, causes: causes, by: dispatcher, and: others)
    ) { state, attachments in
      do throws(E) {
        edited = .success(
          isWhole
            ? try withUnsafeMutablePointer(to: &state) { state throws(E) in
              let whole = UnsafeMutableRawPointer(state).assumingMemoryBound(to: Scope.self)
              return try mutation(&whole.pointee, &attachments)
            }
            : try mutation(&state[keyPath: scope], &attachments)
        )
        return .completed
      } catch {
        edited = .failure(error)
        return .failed
      }
    }
    guard let edited else { fatalError("A commit of \(name) did not run its closure.") }
    let result = try edited.get()
    if let refusal {
      if let error = refusal as? E { throw error }
      report(refusal, of: trace)
    }
    delivery.drain()
    return result
  }

  /// Passes an error that the caller of a commit cannot receive to the handler.
  @usableFromInline
  func report(_ error: any Error, of trace: CommitTrace) {
    refusedCommitHandler(RefusedCommit(store: name, trace: trace, error: error))
  }
}

/// How the closure of a commit ended.
@usableFromInline
enum EditResult {
  case completed
  /// It has thrown: the edit is rolled back.
  case failed
}

/// The part of a commit that depends on the types of the store alone, specialized for them.
///
/// The closure is created in the module that creates the store, where the types are known, so the
/// compiler specializes it: several times as fast as generic code.
@usableFromInline
struct SpecializedCommit<State: StateType, Activity: Sendable>: Sendable {
  @usableFromInline typealias Mutation = (inout State, inout CommitAttachments) -> EditResult

  @usableFromInline
  let commit: @Sendable (Store<State, Activity>, CommitOrigin, Mutation) -> (any Error)?

  @inlinable
  init() {
    commit = { store, origin, mutation in store.perform(origin, mutation) }
  }

  @inlinable
  func callAsFunction(
    _ store: Store<State, Activity>,
    _ origin: CommitOrigin,
    _ mutation: Mutation
  ) -> (any Error)? {
    commit(store, origin, mutation)
  }
}

extension Store {
  /// Runs a commit up to its delivery; returns the error of a stage that refuses it.
  @inlinable
  func perform(
    _ origin: CommitOrigin,
    _ mutation: SpecializedCommit<State, Activity>.Mutation
  ) -> (any Error)? {
    let (hooks, isCrowded) = stages.withLock { ($0.hooks, $0.isCrowded) }
    if isCrowded { waitForRoom() }
    for hook in hooks { hook.commitWillBegin() }
    let start = logger?.now()
    return withUnsafeTemporaryAllocation(of: Edit<State>.self, capacity: 1) { memory in
      guard let edit = memory.baseAddress else {
        fatalError("A commit of \(name) has no memory for its edit.")
      }
      // Freed after the lock: what is freed with them may commit or read in its turn.
      var replaced: Version<State>?
      var isDropped = true
      let depth = ThreadWork.depth
      depth.pointee += 1
      assert(EditOrder.take(self, at: origin.trace.source))
      let refusal = editLock.withLock { turn -> (any Error)? in
        // Read under the lock: a stage may have been installed while this commit waited.
        let stages = stages.withLock { $0 }
        edit.initialize(to: Edit(after: delivery.current, number: turn.next(), by: origin))
        var attachments = CommitAttachments()
        var effect = EditEffect.nothing
        let result = EditEffect.observe(editing: &edit.pointee.storedState, reporting: &effect) {
          state in
          mutation(&state, &attachments)
        }
        guard case .completed = result, case .something = effect else { return nil }
        edit.pointee.attachments = attachments
        do {
          try stages.complete(&edit.pointee)
        } catch {
          return error
        }
        let log = logger.map { logEntry(of: edit.pointee, since: start, for: $0) }
        isDropped = false
        let version = Version(Changes(moving: edit))
        replaced = publish(version, log: log)
        return nil
      }
      assert(EditOrder.leave())
      depth.pointee -= 1
      if isDropped { edit.deinitialize(count: 1) }
      _ = consume replaced
      return refusal
    }
  }

  /// Makes a version the current one, and returns the one that was replaced.
  @inlinable
  func publish(_ version: Version<State>, log: LogEntry?) -> Version<State> {
    let (replaced, isCrowded) = delivery.queue.withLock { queue in
      (queue.publish(version, log: log), queue.isCrowded)
    }
    if isCrowded { stages.withLock { $0.isCrowded = true } }
    return replaced
  }
}
