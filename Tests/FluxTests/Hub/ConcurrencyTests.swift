import Dispatch
import StrataBase
import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

struct ConcurrencyTests {
  @Test(arguments: DispatchMode.allCases)
  func `dispatches from many threads each reach both stores once`(mode: DispatchMode) async throws {
    let hub = StrataFlux.Dispatcher(name: "many", mainThread: .queue(.global()))
    let stores = ["a", "b"].map { CounterStore(identifier: $0, reducer: CounterReducer()) }
    for store in stores { try hub.register(store: store) }
    let recorder = RecorderMiddleware(limit: 1000)
    hub.register(middleware: recorder)

    await withTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          for _ in 0..<10 { try? await hub.dispatch(CounterAction.increase, mode: mode) }
        }
      }
    }

    #expect(stores.map(\.state.count) == [200, 200])
    #expect(recorder.entries.count == 200)
    #expect(recorder.entries.allSatisfy { Set($0.stores) == ["a", "b"] })
    #expect(hub.activeDispatches.isEmpty)
    try recorder.jump(to: 0)
    #expect(stores.map(\.state.count) == [0, 0])
  }

  @Test func `sync dispatches from many threads each return with their work done`() {
    let hub = StrataFlux.Dispatcher(name: "sync")
    let store = CounterStore(identifier: "a", reducer: CounterReducer())
    #expect(throws: Never.self) { try hub.register(store: store) }

    DispatchQueue.concurrentPerform(iterations: 100) { _ in
      let before = store.state.count
      hub.dispatch(CounterAction.increase, mode: .sync)
      #expect(store.state.count > before)
    }

    #expect(store.state.count == 100)
  }

  @Test func `stores come and go while actions are dispatched`() throws {
    let hub = StrataFlux.Dispatcher(name: "coming and going")
    let steady = CounterStore(identifier: "steady", reducer: CounterReducer())
    try hub.register(store: steady)

    DispatchQueue.concurrentPerform(iterations: 50) { number in
      let store = CounterStore(identifier: "\(number)", reducer: CounterReducer())
      #expect(throws: Never.self) { try hub.register(store: store, waitingFor: ["steady"]) }
      let observer = Observer()
      store.register(observer: observer) { _, _ in }
      hub.dispatch(CounterAction.increase, mode: .sync)
      #expect(store.state.count >= 1)
      #expect(throws: Never.self) { try hub.unregister(store: store) }
    }

    #expect(steady.state.count == 50)
    #expect(hub.identifiers == ["steady"])
  }

  @Test func `travelling while other threads dispatch loses nothing that was accepted`() throws {
    let recorded = try RecordedHub(limit: 1000)
    let accepted = Lock(0)

    DispatchQueue.concurrentPerform(iterations: 100) { number in
      if number.isMultiple(of: 10) {
        #expect(throws: Never.self) {
          try recorded.recorder.back()
          try recorded.recorder.returnToPresent()
        }
      } else {
        let transaction = recorded.hub.dispatch(CounterAction.increase, to: "a", mode: .sync)
        if transaction.error == nil { accepted.withLock { $0 += 1 } }
      }
    }

    try recorded.recorder.returnToPresent()
    #expect(recorded.recorder.entries.count == accepted.withLock { $0 })
    #expect(recorded.a.state.count <= accepted.withLock { $0 })
  }
}
