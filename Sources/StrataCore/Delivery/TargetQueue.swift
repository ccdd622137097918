public import Dispatch

/// Where the closures of subscribers run.
public enum TargetQueue: Sendable {
  /// On the thread that delivers, before `commit` returns there.
  case passthrough
  /// On a dispatch queue, one after another if the queue is serial.
  case dispatch(DispatchQueue)

  package func run(_ action: @escaping @Sendable () -> Void) {
    switch self {
    case .passthrough: action()
    case .dispatch(let queue): queue.async(execute: action)
    }
  }
}

/// The main queue, for closures that belong to the main actor.
public struct MainTargetQueue: Sendable {
  /// Behind the work that is on the main queue already.
  ///
  /// The program must run its main loop.
  public static let main = MainTargetQueue()

  package var queue: TargetQueue { .dispatch(.main) }
}

/// An actor, for closures that belong to it.
///
/// ```swift
/// let subscription = store.sinkState(queue: .actor(cache)) { cache, changes in
///   cache.take(changes.items)
/// }
/// ```
///
/// They run one after another, in order. The subscription does not hold the actor, so the actor may
/// hold the subscription.
public struct ActorTargetQueue<Target: Actor>: Sendable {
  let target: Target

  /// The queue of this actor.
  public static func actor(_ target: Target) -> ActorTargetQueue {
    ActorTargetQueue(target: target)
  }
}
