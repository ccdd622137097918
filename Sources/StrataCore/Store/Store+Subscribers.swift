package import StrataBase

extension Store {
  /// Runs `call` when what waits for subscribers now is delivered.
  ///
  /// What was handed to a subscriber's own queue counts as delivered.
  package func afterDeliveries(_ call: @escaping @Sendable () -> Void) {
    delivery.afterWaiting(call)
  }

  /// Lets subscribers catch up, where the caller may wait, and logs if they do not.
  @usableFromInline
  func waitForRoom() {
    guard ThreadWork.mayWait else { return }
    if let waiting = delivery.waitForRoom() {
      logger?.subscribersAreBehind(BehindLog(store: name, waiting: waiting))
    } else if delivery.queue.withLock({ !$0.isCrowded }) {
      stages.withLock { $0.isCrowded = false }
    }
  }

  /// Who follows the store now.
  ///
  /// O(subscribers). Counted when it is asked for, so that a commit costs the same. A derived value without
  /// subscribers is not listed, because the store does not hold it.
  package var subscribers: StoreSubscribers {
    let (version, waiting, isBehind, state, activity) = delivery.queue.withLock { queue in
      (
        queue.current.number, queue.count, queue.isBehind, queue.stateSinks, queue.activitySinks
      )
    }
    var groups = [
      StoreSubscribers.Group(
        .state,
        source: "every commit",
        type: "\(State.self)",
        subscribers: state.count
      )
    ]
    if Activity.self != Never.self {
      groups.append(
        .init(
          .activity,
          source: "every activity",
          type: "\(Activity.self)",
          subscribers: activity.count
        )
      )
    }
    return StoreSubscribers(
      store: name,
      version: version,
      waiting: waiting,
      isBehind: isBehind,
      groups: groups + delivery.graph.followed
    )
  }
}
