import Foundation
import StrataBase
import StrataCore
import TestSupport
import Testing

/// Who delivers, and how far commits run ahead.
@Suite(.timeLimit(.minutes(10))) struct DeliveryRuleTests {
  /// A large state, to see what is held.
  struct Heavy: StateType {
    final class Mark: Sendable {
      static let living = Lock(0)
      init() { Self.living.withLock { $0 += 1 } }
      deinit { Self.living.withLock { $0 -= 1 } }
    }

    var mark = Mark()
    var count = 0
  }

  /// Holds a thread, as a slow subscriber does.
  static func spend(_ duration: Duration) {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {}
  }

  let store = LibraryStore()

  @Test func `a commit delivers nothing that others have committed behind it`() {
    let store = store
    let threads = Recorder<Bool>()
    let me = Lock<pthread_t?>(nil)
    let subscription = store.sinkState(first: .nextCommit) { changes in
      threads.record(me.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } } == true)
      // While the first is delivered, another thread commits.
      if changes.count == 1 {
        #expect(inBackground { for _ in 0..<9 { store.commit { $0.count += 1 } } }.wait())
      }
    }
    me.withLock { $0 = pthread_self() }
    store.commit { $0.count = 1 }
    #expect(store.waitForDeliveries())
    #expect(threads.elements == [true] + Array(repeating: false, count: 9))
    subscription.cancel()
  }

  @Test func `a caller delivers what its sinks commit, up to what others have committed before`() {
    let store = store
    let mine = Recorder<Int>()
    let all = Recorder<Int>()
    let thread = pthread_self()
    let subscription = store.sinkState(first: .nextCommit) { changes in
      all.record(changes.count)
      if pthread_equal(thread, pthread_self()) != 0 { mine.record(changes.count) }
      switch changes.count {
      case 1, 2: store.commit { $0.count += 1 }
      case 3:
        #expect(inBackground { store.commit { $0.count = 10 } }.wait())
        store.commit { $0.count = 20 }
      default: break
      }
    }
    store.commit { $0.count = 1 }
    #expect(store.waitForDeliveries())
    #expect(mine.elements == [1, 2, 3])
    #expect(all.elements == [1, 2, 3, 10, 20])
    subscription.cancel()
  }

  @Test func `the store's queue delivers without the task-local values of another request`() async {
    let store = store
    let wrong = Counter()
    let subscription = store.sinkState(first: .nextCommit) { changes in
      // Only who committed the version may lend it its values.
      if let name = Request.name, name != changes.loggedIn.myInfo.name { wrong.add() }
    }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<400 {
        group.addTask {
          Request.$name.withValue("\(number)") {
            store.commit { $0.loggedIn.myInfo.name = "\(number)" }
          }
        }
      }
    }
    #expect(store.waitForDeliveries())
    #expect(wrong.count == 0)
    subscription.cancel()
  }

  enum Request {
    @TaskLocal static var name: String?
  }

  @Test func `a commit ends while another thread commits all the time`() {
    let store = store
    let isOver = Lock(false)
    let subscription = store.sinkState(first: .nextCommit) { _ in Self.spend(.microseconds(500)) }
    let others = inBackground {
      while !isOver.withLock({ $0 }) {
        store.commit { $0.count += 1 }
        Self.spend(.microseconds(300))
      }
    }
    let delivered = Recorder<UInt64>()
    let versions = store.sinkState(first: .nextCommit) { delivered.record($0.version) }
    for _ in 0..<20 {
      store.commit { $0.loggedIn.visits += 1 }
      Self.spend(.milliseconds(2))
    }
    // It has ended although the deliveries have not: nothing but the rule of who delivers ends it.
    isOver.withLock { $0 = true }
    #expect(others.wait())
    #expect(store.waitForDeliveries())
    #expect(delivered.elements == Array(delivered.elements[0]...store.changes.version))
    subscription.cancel()
    versions.cancel()
  }

  @Test func `committers do not run ahead of a slow subscriber without limit`() {
    let store = Store<Heavy, Never>(initialState: Heavy())
    let most = Lock(0)
    let subscription = store.sinkState(first: .nextCommit) { _ in
      Self.spend(.microseconds(100))
      let living = Heavy.Mark.living.withLock { $0 }
      most.withLock { $0 = max($0, living) }
    }
    let committers = (0..<4).map { _ in
      inBackground {
        for _ in 0..<2_000 {
          store.commit {
            $0.mark = Heavy.Mark()
            $0.count += 1
          }
        }
      }
    }
    for committer in committers { #expect(committer.wait()) }
    #expect(store.waitForDeliveries())
    #expect(store.state.count == 8_000)
    #expect(most.withLock { $0 } <= 2_000)
    subscription.cancel()
  }

  @Test func `a committer that waits in vain goes on, and status and log say it`() {
    let behind = Recorder<BehindLog>()
    let store = Store<Heavy, Never>(initialState: Heavy(), logger: BehindLogger(behind: behind))
    let (reached, goOn) = (Latch(), Latch())
    let subscription = store.sinkState(first: .nextCommit) { changes in
      guard changes.count == 1 else { return }
      reached.open()
      #expect(goOn.wait())
    }
    let first = inBackground { store.commit { $0.count = 1 } }
    #expect(reached.wait())
    #expect(!store.subscribers.isBehind)
    let committing = inBackground { for _ in 0..<1_005 { store.commit { $0.count += 1 } } }
    #expect(committing.wait())
    #expect(store.subscribers.isBehind)
    #expect(behind.elements.map(\.store) == [store.name])
    #expect(behind.elements.allSatisfy { $0.waiting > 1_000 })
    goOn.open()
    #expect(first.wait())
    #expect(store.waitForDeliveries())
    #expect(!store.subscribers.isBehind)
    subscription.cancel()
  }

  struct BehindLogger: StoreLogger {
    let behind: Recorder<BehindLog>

    func subscribersAreBehind(_ log: BehindLog) { behind.record(log) }
  }

  @Test func `a sink that commits ten thousand times ends`() {
    let store = store
    let seen = Counter()
    let subscription = store.sinkState { changes in
      seen.add()
      guard changes.version == 0 else { return }
      for _ in 0..<10_000 { store.commit { $0.count += 1 } }
    }
    #expect(seen.count == 10_001)
    subscription.cancel()
  }

  @Test func `two stores that commit from each other's sinks end`() {
    let (one, other) = (LibraryStore(), LibraryStore())
    let subscriptions = [
      one.sinkState(first: .nextCommit) { changes in
        if changes.count < 2_000 { other.commit { $0.count = max($0.count, changes.count) + 1 } }
      },
      other.sinkState(first: .nextCommit) { changes in
        if changes.count < 2_000 { one.commit { $0.count = max($0.count, changes.count) + 1 } }
      },
    ]
    let committing = [one, other].map { store in
      inBackground { for _ in 0..<500 { store.commit { $0.loggedIn.visits += 1 } } }
    }
    for thread in committing { #expect(thread.wait()) }
    // Each may have what the other has committed since.
    for _ in 0..<2_000 {
      let versions = [one, other].map(\.changes.version)
      #expect(one.waitForDeliveries() && other.waitForDeliveries())
      if versions == [one, other].map(\.changes.version) { break }
    }
    #expect(max(one.state.count, other.state.count) >= 2_000)
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `a sink that needs a lock which a committer holds ends`() {
    let store = store
    let shared = Lock(0)
    let (isHeld, reached) = (Latch(), Latch())
    let subscription = store.sinkState(first: .nextCommit) { changes in
      if changes.count == 1 {
        reached.open()
        #expect(isHeld.wait())
      }
      shared.withLock { $0 = max($0, changes.count) }
    }
    let first = inBackground { store.commit { $0.count = 1 } }
    #expect(reached.wait())
    let holder = inBackground {
      shared.withLock { _ in
        isHeld.open()
        for _ in 0..<1_003 { store.commit { $0.count += 1 } }
      }
    }
    #expect(holder.wait())
    #expect(first.wait())
    #expect(store.waitForDeliveries())
    #expect(shared.withLock { $0 } == 1_004)
    subscription.cancel()
  }

  @Test func `a subscription and an activity end while others commit`() {
    let store = store
    let (reached, goOn) = (Latch(), Latch())
    let slow = store.sinkState(first: .nextCommit) { changes in
      guard changes.count == 1 else { return }
      reached.open()
      #expect(goOn.wait())
    }
    let activities = Recorder<LibraryActivity>()
    let listening = store.sinkActivity { activities.record($0) }
    let first = inBackground { store.commit { $0.count = 1 } }
    #expect(reached.wait())
    let counts = Recorder<Int>()
    let subscription = store.sinkState { counts.record($0.count) }
    store.send(.rang(1))
    store.commit { $0.count = 2 }
    #expect(counts.elements == [])
    goOn.open()
    #expect(first.wait())
    #expect(store.waitForDeliveries())
    #expect(counts.elements == [1, 2])
    #expect(activities.elements == [.rang(1)])
    for subscription in [slow, listening, subscription] { subscription.cancel() }
  }
}
