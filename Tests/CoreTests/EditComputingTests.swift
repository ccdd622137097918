import StrataBase
import StrataCore
import TestSupport
import Testing

/// A list with computed properties, whose middleware may refuse it.
private struct Basket: ExtendedStateType {
  struct Extended: ExtendedType {
    let total = Field.Computed<Int> { state in
      state.work.add()
      return state.items.reduce(0, +)
    }
    .ifChanged(selector: \.items)

    let shown = Field.Computed<[Int]> { state in state.items.filter { $0 > state.limit } }
      .ifChanged(selector: \.items)
      .ifChanged(selector: \.limit)

    let rough = Field.Computed<Int> { $0.items.count * 100 + $0.limit }
      .dropsInput { $0.noChanges(\.items) }
      .dropsInput { changes in abs(changes.limit - (changes.previous?.limit ?? 0)) > 5 }
  }

  let work = Counter()
  var items: [Int] = []
  var limit = 2
}

private struct MadeByGetter: ExtendedStateType {
  struct Extended: ExtendedType {
    var number: Field.Computed<Int> { Field.Computed { _ in 1 } }
    let other = Field.Computed<Int> { _ in 2 }
    var another: Field.Computed<Int> { other }
  }
}

@Suite struct EditComputingTests {
  private struct TooMuch: Error {}

  private let store = Store<Basket, Never>(initialState: Basket())

  private func refuseAboveHundred() {
    store.add(
      middleware: .modify { edit in
        if edit.changes.computed.total > 100 { throw TooMuch() }
      }
    )
    store.refusedCommitHandler = { _ in }
  }

  @Test func `what a refused edit computed is not remembered`() {
    refuseAboveHundred()
    store.commit { $0.items = [150] }
    #expect(store.changes.computed.total == 0)
    store.commit { $0.items = [50] }
    #expect(store.state.items == [50])
    #expect(store.changes.computed.total == 50)
  }

  @Test func `what must be refused is refused after an edit that was not`() {
    refuseAboveHundred()
    store.commit { $0.items = [150] }
    store.commit { $0.items = [160] }
    #expect(store.state.items == [])
    #expect(store.changes.version == 0)
  }

  @Test func `what an edit computed before it was changed is not remembered`() {
    let read = Recorder<Int>()
    store.add(middleware: .modify { edit in read.record(edit.changes.computed.total) })
    store.add(middleware: .modify { edit in edit.state.items.append(1_000) })
    store.add(middleware: .modify { edit in read.record(edit.changes.computed.total) })
    store.commit { $0.items = [1] }
    #expect(read.elements == [1, 1_001])
    #expect(store.changes.computed.total == 1_001)
  }

  @Test func `a result of the edit is used for its version`() {
    store.add(middleware: .modify { edit in _ = edit.changes.computed.total })
    store.commit { $0.items = [1, 2] }
    #expect(store.changes.computed.total == 3)
    #expect(store.state.work.count == 1)
  }

  @Test func `an edit uses the result of the state before it`() {
    store.commit { $0.items = [1, 2] }
    #expect(store.changes.computed.total == 3)
    store.add(
      middleware: .modify { edit in
        if edit.changes.computed.hasChanges(\.total) { throw TooMuch() }
      }
    )
    store.commit { $0.limit = 9 }
    #expect(store.state.limit == 9)
    #expect(store.state.work.count == 1)
  }

  @Test func `changes that outlive a refused edit keep their value and leave the store's alone`() {
    let kept = Lock<Changes<Basket>?>(nil)
    store.add(
      middleware: .modify { edit in
        guard edit.state.items.first == 150 else { return }
        kept.withLock { $0 = edit.changes }
        throw TooMuch()
      }
    )
    store.refusedCommitHandler = { _ in }
    store.commit { $0.items = [150] }
    store.commit { $0.items = [7] }
    #expect(kept.withLock { $0?.computed.total } == 150)
    #expect(store.changes.computed.total == 7)
    #expect(kept.withLock { $0?.computed.total } == 150)
  }

  @Test func `several ifChanged hold a result while all that they select is equal`() {
    store.commit { $0.items = [3, 4] }
    #expect(store.changes.computed.shown == [3, 4])
    store.commit { $0.limit = 3 }
    #expect(store.changes.computed.shown == [4])
    store.commit { $0.items = [5] }
    #expect(store.changes.computed.shown == [5])
  }

  @Test func `each dropsInput of a computed property keeps the result on its own`() {
    store.commit { $0.items = [1] }
    #expect(store.changes.computed.rough == 102)
    store.commit { $0.limit = 4 }
    #expect(store.changes.computed.rough == 102)
    store.commit {
      $0.items = [1, 2]
      $0.limit = 20
    }
    #expect(store.changes.computed.rough == 102)
    store.commit {
      $0.items = [1, 2, 3]
      $0.limit = 5
    }
    #expect(store.changes.computed.rough == 305)
  }

  @Test func `each dropsInput of a pipeline keeps the output on its own`() {
    let pipeline = Pipeline<Basket, Int>.map { $0.items.count * 100 + $0.limit }
      .dropsInput { $0.noChanges(\.items) }
      .dropsInput { changes in abs(changes.limit - (changes.previous?.limit ?? 0)) > 5 }
    let value = store.derived(pipeline)
    #expect(value.value == 2)
    store.commit { $0.limit = 4 }
    #expect(value.value == 2)
    store.commit {
      $0.items = [1]
      $0.limit = 20
    }
    #expect(value.value == 2)
    store.commit { $0.limit = 5 }
    #expect(value.value == 105)
  }

  @Test func `a computed property made by a getter traps and says what to do`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      _ = Store<MadeByGetter, Never>(initialState: MadeByGetter()).changes.computed.number
    }
    #expect(result?.standardErrorContent.text.contains("Declare it with let") == true)
  }

  @Test func `a getter that names another property is that property`() {
    let store = Store<MadeByGetter, Never>(initialState: MadeByGetter())
    #expect(store.changes.computed.another == 2)
  }

  @Test func `a derived value that left a version out compares with the one before it`() {
    let received = Recorder<[Int]>()
    let subscription = store.detached(from: \.self)
      .derived(.map(\.self), dropsOutput: { changes in changes.items == [2] })
      .sinkValue { changes in
        let total = changes.computed.total
        received.record([total, changes.computed.hasChanges(\.total) ? 1 : 0])
      }
    store.commit { $0.items = [1] }
    store.commit { $0.items = [2] }
    #expect(store.changes.computed.total == 2)
    store.commit { $0.items = [2, 0] }
    #expect(received.elements == [[0, 1], [1, 1], [2, 1]])
    subscription.cancel()
  }
}
