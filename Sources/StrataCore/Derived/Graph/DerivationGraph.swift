public import StrataBase

/// The derivations of one store that someone follows.
///
/// Its first steps stand under the bytes of the state they read. For each version the bytes that
/// many steps share are compared once, and only where they differ the steps are computed; steps
/// whose bytes are unknown are computed for each version. From a step whose value is new, the steps
/// computed from it are visited in turn. All values are computed before anyone is told any.
///
/// Only the thread that delivers advances it and lets subscribers begin; they may end whenever they
/// like.
@usableFromInline
final class DerivationGraph<Root: Sendable>: Sendable {
  /// The derived values that were asked for by key path.
  let cache = DerivedCache()
  /// Guards who is connected with whom; never held while a closure of the user runs.
  @usableFromInline let firstSteps = Lock(FirstSteps<Root>())

  /// Computes what this version changes, then tells everyone whom that concerns.
  @inlinable
  func advance(to root: Version<Root>) {
    let firstSteps = firstSteps.withLock { $0 }
    var changed = DerivationNews()
    firstSteps.visitConcerned(by: root.changes) { $0.advance(to: root, noting: &changed) }
    changed.tell()
  }

  /// Lets a subscriber begin at this version; after the end of the store it is told once.
  func begin<Value: Sendable>(
    _ sink: Sink<Changes<Value>>,
    following node: any DerivationNode<Root, Value>,
    at root: Version<Root>,
    first: FirstDelivery
  ) {
    let current = node.version(at: root, in: .delivering)
    firstSteps.withLock { firstSteps in
      // A subscriber that ended already did so before it could be taken out.
      guard !sink.isCancelled, !firstSteps.isClosed else { return }
      let wasIdle = node.told.isIdle
      node.told.begin(sink, with: current)
      if wasIdle { firstSteps.connect(node) }
    }
    if first == .current { sink.deliver(current.changes.droppedPrevious()) }
  }

  /// Takes a cancelled subscriber out; amortised O(1).
  func end<Value: Sendable>(following node: any DerivationNode<Root, Value>) {
    firstSteps.withLock { firstSteps in
      guard !node.told.isIdle else { return }
      node.told.noteCancelled()
      if node.told.isIdle { firstSteps.disconnect(node) }
    }
  }

  /// Lets go of every subscriber, as the store has come to its end and commits no more.
  func close() {
    let steps = firstSteps.withLock { $0.close() }
    for step in steps { Self.letGo(of: step) }
  }

  private static func letGo(of step: any DerivationStep<Root>) {
    for next in step.followers.removeAll() { letGo(of: next) }
  }
}
