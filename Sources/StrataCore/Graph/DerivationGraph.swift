public import StrataBase

/// The derivations of one store that have followers.
///
/// Its root steps are listed under the bytes of the state they read. For each version, bytes that many
/// steps share are compared once, and only where they differ the steps are computed. A closure is listed
/// under what it has read when it was computed last. Steps whose bytes are unknown are computed for each
/// version. From a step whose value is new, the steps computed from
/// it are visited in turn. All values are computed before any subscriber is notified.
///
/// Only the thread that delivers advances the graph and starts subscribers. They may end at any time.
@usableFromInline
final class DerivationGraph<Root: Sendable>: Sendable {
  /// The derived values that can be requested again.
  let cache = DerivedCache()
  /// Guards the connections between steps; never held while a closure of the user runs.
  @usableFromInline let rootSteps = Lock(RootSteps<Root>())

  /// Computes what this version changes, then notifies the subscribers concerned.
  @inlinable
  func advance(to root: Version<Root>) {
    let rootSteps = rootSteps.withLock { $0 }
    var changed = ChangedNodes()
    var moved: [any DerivationStep<Root>] = []
    rootSteps.visitConcerned(by: root.changes) { step in
      step.advance(to: root, adding: &changed)
      if step.takeMove() { moved.append(step) }
    }
    if !moved.isEmpty { move(consume rootSteps, moved) }
    changed.notify()
  }

  /// Lists steps under what they have read now.
  ///
  /// The copy of the lists is released first, so that they are changed in place.
  @usableFromInline
  func move(_ copy: consuming RootSteps<Root>, _ steps: [any DerivationStep<Root>]) {
    _ = consume copy
    rootSteps.withLock { rootSteps in
      for step in steps { rootSteps.move(step) }
    }
  }

  /// Starts a subscriber at this version; after the end of the store it only receives the first value.
  func begin<Value: Sendable>(
    _ sink: Sink<Changes<Value>>,
    following node: any DerivationNode<Root, Value>,
    at root: Version<Root>,
    first: FirstDelivery
  ) {
    let current = node.version(at: root, for: .subscribers)
    rootSteps.withLock { rootSteps in
      // A subscriber that is cancelled already was cancelled before it could be removed.
      guard !sink.isCancelled, !rootSteps.isClosed else {
        if node.followers.isIdle { node.forget() }
        return
      }
      let wasIdle = node.followers.isIdle
      node.followers.begin(sink, with: current)
      if wasIdle { rootSteps.connect(node) }
    }
    if first == .current { sink.deliver(current.changes.droppedPrevious()) }
  }

  /// Removes a cancelled subscriber; amortised O(1).
  func end<Value: Sendable>(following node: any DerivationNode<Root, Value>) {
    rootSteps.withLock { rootSteps in
      guard !node.followers.isIdle else { return }
      node.followers.noteCancelled()
      if node.followers.isIdle { rootSteps.disconnect(node) }
    }
  }

  /// Releases every subscriber, because the store has ended and commits no more.
  @usableFromInline
  func close() {
    let steps = rootSteps.withLock { $0.close() }
    for step in steps { Self.release(step) }
  }

  private static func release(_ step: any DerivationStep<Root>) {
    for next in step.stepFollowers.removeAll() { release(next) }
  }
}
