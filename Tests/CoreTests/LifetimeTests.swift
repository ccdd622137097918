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
