import StrataBase
import StrataCore
import TestSupport
import Testing

@Suite struct LifetimeTests {
  @Test func `a subscription does not keep its store`() {
    var store: LibraryStore? = LibraryStore()
    weak let weakStore = store
    let subscription = store?.sinkState { _ in }
    store = nil
    #expect(weakStore == nil)
    subscription?.cancel()
  }

  @Test func `the sink of a dispatcher does not keep its store`() {
    var store: LibraryStore? = LibraryStore()
    weak let weakStore = store
    let subscription = store?.detached(from: \.loggedIn).sinkState { _ in }
    store = nil
    #expect(weakStore == nil)
    subscription?.cancel()
  }

  @Test func `a store does not keep a subscription`() {
    let store = LibraryStore()
    var subscription: StoreSubscription? = store.sinkState { _ in }
    weak let weakSubscription = subscription
    subscription = nil
    #expect(weakSubscription == nil)
  }

  @Test func `a dispatcher keeps its store`() {
    var store: LibraryStore? = LibraryStore()
    weak let weakStore = store
    let dispatcher = store?.detached(from: \.loggedIn)
    store = nil
    #expect(weakStore === dispatcher?.targetStore)
    #expect(weakStore != nil)
  }

  @Test func `a cancelled subscription lets go of what its sink held`() {
    final class Held: Sendable {}
    let store = LibraryStore()
    var held: Held? = Held()
    weak let weakHeld = held
    let subscription = store.sinkState { [held] _ in _ = held }
    held = nil
    subscription.cancel()
    #expect(weakHeld == nil)
  }

  @Test func `a store that goes lets go of what its sinks held, while a derived value of it lives`()
  {
    final class Held: Sendable {}
    var store: LibraryStore? = LibraryStore()
    let count = store?.derived(.map(\.count))
    var held: Held? = Held()
    weak let weakHeld = held
    let subscriptions = [
      store?.sinkState { [held] _ in _ = held }, store?.sinkActivity { [held] _ in _ = held },
      count?.sinkValue { [held] _ in _ = held },
    ]
    held = nil
    #expect(weakHeld != nil)
    store = nil
    #expect(weakHeld == nil)
    #expect(count?.value == 0)
    for subscription in subscriptions { subscription?.cancel() }
  }

  @Test func `a store that goes inside a delivery delivers what waits, then lets go of its sinks`()
  {
    final class Owner: Sendable {
      let store = Lock<LibraryStore?>(LibraryStore())
      let seen = Lock<[Int]>([])
    }
    let owner = Owner()
    let count = owner.store.withLock { $0 }?.derived(.map(\.count))
    let subscription = count?.sinkValue(first: .nextCommit) { changes in
      let store = owner.store.withLock { store in
        defer { store = nil }
        return store
      }
      store?.commit { $0.count = 2 }
      owner.seen.withLock { $0.append(changes.value) }
    }
    owner.store.withLock { $0 }?.commit { $0.count = 1 }
    #expect(owner.seen.withLock { $0 } == [1, 2])
    subscription?.cancel()
  }

  @Test func `a store lets go of a delivered value`() {
    final class Held: Sendable {}
    struct HeldState: StateType {
      var held: Held?
      var count = 0
    }
    let store = Store<HeldState, Never>(initialState: HeldState())
    let subscription = store.sinkState { _ in }
    var held: Held? = Held()
    weak let weakHeld = held
    store.commit { [held] in $0.held = held }
    held = nil
    store.commit { $0.held = nil }
    store.commit { $0.count = 1 }
    #expect(weakHeld == nil)
    subscription.cancel()
  }

  @Test func `a subscription may outlive its store`() {
    var store: LibraryStore? = LibraryStore()
    let subscription = store?.sinkState { _ in }
    store = nil
    subscription?.cancel()
  }
}
