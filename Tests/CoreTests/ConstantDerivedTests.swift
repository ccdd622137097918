import StrataCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConstantDerivedTests {
  let store = LibraryStore()
  let constant = Derived.constant(7)

  @Test func `a constant has its value at version 0`() {
    #expect(constant.value == 7)
    #expect(constant.version == 0)
    #expect(constant.changes.previous == nil)
  }

  @Test func `a subscriber of a constant receives it once`() {
    let received = Recorder<Int>()
    let subscriptions = [
      constant.sinkValue { received.record($0.value) },
      constant.sinkValue(first: .nextCommit) { received.record(-$0.value) },
    ]
    #expect(received.elements == [7])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `a constant releases what its subscribers hold`() {
    final class Held: Sendable {}
    var held: Held? = Held()
    weak let weakHeld = held
    let subscription = constant.sinkValue { [held] _ in _ = held }
    held = nil
    #expect(weakHeld == nil)
    subscription.cancel()
  }

  @Test func `the values of a constant are one, and end`() async {
    var values: [Int] = []
    for await changes in constant.values() { values.append(changes.value) }
    #expect(values == [7])
  }

  @Test func `a constant is chained`() {
    let text = constant.chain(.map { "\($0)" }).chain(.map(\.count))
    #expect(text.value == 1)
  }

  @Test func `a constant is combined with a derived value, on either side`() {
    let count = store.derived(.map(\.count))
    let received = Recorder<[Int]>()
    let subscriptions = [
      Derived.combined(constant, count).sinkValue { received.record([$0.value.0, $0.value.1]) },
      Derived.combined(count, constant).sinkValue { received.record([$0.value.0, $0.value.1]) },
      Derived.combined(constant, constant).sinkValue { received.record([$0.value.0, $0.value.1]) },
    ]
    store.commit { $0.loggedIn.visits = 1 }
    store.commit { $0.count = 1 }
    #expect(received.elements == [[7, 0], [0, 7], [7, 7], [7, 1], [1, 7]])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `a derived value has the version at which it took its value`() {
    let count = store.derived(.map(\.count))
    store.commit("count") { $0.count = 1 }
    #expect(count.version == 1)
    store.commit { $0.loggedIn.visits = 1 }
    #expect(count.version == 1)
    #expect(count.changes.value == 1)
    #expect(count.changes.traces.map(\.name) == ["count"])
    #expect(count.changes.previous == nil)
  }

  @Test func `the changes of a derived value have no previous value, although it was read`() {
    let count = store.derived(.map(\.count))
    let subscription = count.sinkValue { _ in }
    #expect(count.value == 0)
    store.commit { $0.count = 1 }
    #expect(count.value == 1)
    #expect(count.changes.previous == nil)
    subscription.cancel()
  }
}
