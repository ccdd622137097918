import StrataBase
import StrataCore
import StrataFlux
import TestSupport
import Testing

/// What a dispatch releases when it is done.
struct ReleaseTests {
  /// Holds its dispatch, like a view that cancels it.
  private final class Screen: Sendable {
    let transaction = Lock<DispatchTransaction?>(nil)
    let isDone = Lock(false)
  }

  private final class Owner: FluxStore<Counter, CounterAction>, @unchecked Sendable {
    let transaction = Lock<DispatchTransaction?>(nil)
  }

  let hub = StrataFlux.Dispatcher(name: "letting go")

  @Test func `a dispatch that is done lets go of its then`() throws {
    weak var gone: Screen?
    do {
      let screen = Screen()
      gone = screen
      let transaction = hub.dispatch(CounterAction.look, mode: .sync) {
        screen.isDone.withLock { $0 = true }
      }
      screen.transaction.withLock { $0 = transaction }
      #expect(screen.isDone.withLock { $0 })
    }
    #expect(gone == nil)
  }

  @Test func `a dispatch that is done lets go of its stores, and still says what failed`() throws {
    weak var gone: Owner?
    do {
      let owner = Owner(identifier: "owner", initialState: Counter(), reducer: CounterReducer())
      gone = owner
      try hub.register(store: owner)
      let transaction = hub.dispatch(CounterAction.fail, mode: .sync)
      owner.transaction.withLock { $0 = transaction }
      try hub.unregister(store: owner)
      guard case .failed(let failures)? = transaction.error else {
        Issue.record("\(String(describing: transaction.error))")
        return
      }
      #expect(failures.map(\.store) == ["owner"] && failures[0].error is TestError)
      #expect(transaction.waitingFor == [] && transaction.isFinished)
    }
    #expect(gone == nil)
  }
}
