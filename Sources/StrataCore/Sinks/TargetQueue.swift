public import Dispatch

/// Where the closures of subscribers run.
public struct TargetQueue: Sendable {
  @usableFromInline
  enum Place: Sendable {
    case passthrough
    case dispatch(DispatchQueue)
    case mainImmediate(MainTurns)
  }

  @usableFromInline let place: Place

  fileprivate init(_ place: Place) { self.place = place }

  /// On the thread that delivers: the committing one, before `commit` returns, or a queue of the store
  /// where several threads commit at once.
  public static let passthrough = TargetQueue(.passthrough)

  /// On a dispatch queue, one after another if the queue is serial.
  public static func dispatch(_ queue: DispatchQueue) -> TargetQueue {
    TargetQueue(.dispatch(queue))
  }

  package var isPassthrough: Bool { if case .passthrough = place { true } else { false } }

  /// The turns of a subscriber whose first action can run now, because the caller is on the main actor.
  var turnsOnMain: MainTurns? {
    if case .mainImmediate(let turns) = place, MainTurns.isOnMain { turns } else { nil }
  }

  package func run(_ action: @escaping @Sendable () -> Void) {
    switch place {
    case .passthrough: action()
    case .dispatch(let queue): queue.async(execute: action)
    case .mainImmediate(let turns): turns.run(action)
    }
  }
}

/// The main queue, for closures that belong to the main actor.
public struct MainTargetQueue: Sendable {
  private let make: @Sendable () -> TargetQueue

  /// Behind the work that is on the main queue already.
  ///
  /// The program must run its main loop.
  public static let main = MainTargetQueue { .dispatch(.main) }

  /// At once where the delivery starts on the main actor already, otherwise on the main queue.
  ///
  /// ```swift
  /// subscription = store.sinkState(queue: .mainImmediate) { [weak self] changes in
  ///   self?.update(changes: changes)      // the first call comes before sinkState returns
  /// }
  /// ```
  ///
  /// So a view that subscribes on the main actor has its first value before the subscription returns,
  /// even while another thread delivers. A commit on the main actor is delivered before it returns,
  /// unless another thread is delivering or an older delivery to this subscriber waits on the main
  /// queue: then it waits behind that, so versions stay in order. From any other thread it is the same
  /// as ``main``.
  public static let mainImmediate = MainTargetQueue { TargetQueue(.mainImmediate(MainTurns())) }

  /// The queue of one subscriber.
  package var queue: TargetQueue { make() }
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
/// hold the subscription. If the actor is released before the subscription, the subscription ends with its next
/// element, and a line on standard error says so.
public struct ActorTargetQueue<Target: Actor>: Sendable {
  let target: Target

  /// The queue of this actor.
  public static func actor(_ target: Target) -> ActorTargetQueue {
    ActorTargetQueue(target: target)
  }
}
