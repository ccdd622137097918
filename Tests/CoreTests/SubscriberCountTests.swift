import StrataBase
import StrataCore
import Testing

/// A store lists who follows it when it is asked.
@Suite struct SubscriberCountTests {
  struct Desk: StateType {
    var count = 0
    var name = ""
    var doubled: Int { count * 2 }
  }

  final class DeskStore: Store<Desk, String>, @unchecked Sendable {}

  private func group(_ source: String, of store: DeskStore) -> StoreSubscribers.Group? {
    store.subscribers.groups.first { $0.source == source }
  }

  @Test func `a store without followers lists its state and its activities`() {
    let store = DeskStore(initialState: Desk())
    store.commit { $0.count = 1 }
    #expect(
      store.subscribers
        == StoreSubscribers(
          store: "DeskStore",
          version: 1,
          waiting: 0,
          groups: [
            .init(.state, source: "every commit", type: "Desk", subscribers: 0),
            .init(.activity, source: "every activity", type: "String", subscribers: 0),
          ]
        )
    )
  }

  @Test func `subscribers count from their subscription to their cancel`() {
    let store = DeskStore(initialState: Desk())
    var subscriptions = (0..<5).map { _ in store.sinkState { _ in } }
    let activity = store.sinkActivity { _ in }
    #expect(store.subscribers.groups.map(\.subscribers) == [5, 1])
    subscriptions[2].cancel()
    subscriptions[2].cancel()
    #expect(store.subscribers.groups.map(\.subscribers) == [4, 1])
    subscriptions = []
    activity.cancel()
    #expect(store.subscribers.groups.map(\.subscribers) == [0, 0])
  }

  @Test func `a derived value is listed with its key path while it is followed`() {
    let store = DeskStore(initialState: Desk())
    let count = store.derived(.map(\.count))
    #expect(group(#"\Desk.count"#, of: store) == nil)
    let subscriptions = [count.sinkValue { _ in }, count.sinkValue { _ in }]
    #expect(
      group(#"\Desk.count"#, of: store)
        == .init(.derived, source: #"\Desk.count"#, type: "Int", subscribers: 2)
    )
    for subscription in subscriptions { subscription.cancel() }
    #expect(group(#"\Desk.count"#, of: store) == nil)
    withExtendedLifetime(count) {}
  }

  @Test func `what a derived value is computed from is listed too, once`() {
    let store = DeskStore(initialState: Desk())
    let count = store.derived(.map(\.count))
    let name = store.derived(.map { $0.name })
    let both = Derived<(Int, String)>.combined(count, name)
    let texts = (0..<3).map { number in count.chain(.map { "\($0) \(number)" }) }
    let subscriptions = texts.map { $0.sinkValue { _ in } } + [both.sinkValue { _ in }]
    #expect(
      Array(store.subscribers.groups.dropFirst(2)) == [
        .init(.derived, source: "closure over Int", type: "String", values: 3, subscribers: 3),
        .init(.derived, source: "combined", type: "(Int, String)", subscribers: 1),
        .init(
          .derived,
          source: #"\Desk.count"#,
          type: "Int",
          subscribers: 0,
          dependents: 4
        ),
        .init(
          .derived,
          source: "closure over Desk",
          type: "String",
          subscribers: 0,
          dependents: 1
        ),
      ]
    )
    for subscription in subscriptions { subscription.cancel() }
    #expect(store.subscribers.groups.count == 2)
  }

  @Test func `deliveries behind a subscriber that has not returned are counted`() {
    let store = DeskStore(initialState: Desk())
    let waiting = Lock<[Int]>([])
    let subscription = store.sinkState(first: .nextCommit) { [unowned store] changes in
      guard changes.version == 1 else { return }
      for count in 2...4 { store.commit { $0.count = count } }
      waiting.withLock { $0.append(store.subscribers.waiting) }
    }
    store.commit { $0.count = 1 }
    #expect(waiting.withLock { $0 } == [3])
    #expect(store.subscribers.waiting == 0)
    subscription.cancel()
  }
}
