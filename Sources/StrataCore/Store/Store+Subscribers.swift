package import StrataBase

extension Store {
  /// Who follows the store now.
  ///
  /// O(subscribers). Counted when it is asked for, so that a commit costs the same. A derived value without
  /// subscribers is not listed, because the store does not hold it.
  package var subscribers: StoreSubscribers {
    let (version, waiting, state, activity) = delivery.queue.withLock { queue in
      (queue.current.number, queue.waiting.count, queue.stateSinks, queue.activitySinks)
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
      groups: groups + delivery.graph.followed
    )
  }
}
