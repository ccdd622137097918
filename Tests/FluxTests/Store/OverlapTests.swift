import StrataBase
import StrataCore
import StrataFlux
import TestSupport
import Testing

/// Observers of actions that overlap: each action is notified of what it has changed itself.
struct OverlapTests {
  struct Two: InitialStateType {
    var left = 0
    var right = 0
  }

  enum TwoAction: FluxAction {
    /// Changes the left side, or nothing, when it is told to; the right side belongs to others.
    case slow(change: Bool)
    case right
    /// Changes the right side twice, back to what it was.
    case rightAndBack
  }

  typealias TwoStore = FluxStore<Two, TwoAction>

  final class TwoReducer: Reducer<Two, TwoAction>, @unchecked Sendable {
    let held = Held()

    override func operation(
      for action: TwoAction,
      in store: TwoStore
    ) throws -> ActionOperation<Two, TwoAction> {
      ActionOperation(action: action, store: store) { [held] operation, action, store in
        switch action {
        case .slow: held.add(operation)
        case .right:
          store.updateState { $0.right += 1 }
          operation.finish()
        case .rightAndBack:
          store.updateState { $0.right += 1 }
          store.updateState { $0.right -= 1 }
          operation.finish()
        }
      }
    }
  }

  /// The operations that have started and not ended.
  final class Held: Sendable {
    private let operations = Lock<[ActionOperation<Two, TwoAction>]>([])
    private let arrived = Latch()

    func add(_ operation: ActionOperation<Two, TwoAction>) {
      operations.withLock { $0.append(operation) }
      arrived.open()
    }

    func waitForNext() -> Bool { arrived.wait() }

    /// Ends the last one, as a callback of the network would: in no dispatch.
    func finishLast() {
      let operation = operations.withLock { $0.removeLast() }
      if case .slow(change: true) = operation.action {
        operation.store.updateState { $0.left += 1 }
      }
      operation.finish()
    }
  }

  let hub = StrataFlux.Dispatcher(name: "overlap")
  let reducer = TwoReducer()
  let store: TwoStore
  let log = Recorder<String>()
  let observer = Observer()

  init() throws {
    store = TwoStore(identifier: "two", reducer: reducer)
    try hub.register(store: store)
    store.register(observer: observer) { [log] _, action in log.record("any \(Self.name(action))") }
    store.register(observer: observer, of: \.left) { [log] value, action in
      log.record("left \(value) \(Self.name(action))")
    }
    store.register(observer: observer, of: \.right) { [log] value, action in
      log.record("right \(value) \(Self.name(action))")
    }
  }

  private static func name(_ action: TwoAction?) -> String {
    switch action {
    case .slow: "slow"
    case .right: "right"
    case .rightAndBack: "back"
    case nil: "none"
    }
  }

  /// Starts an action that waits, runs others, and returns when the action has ended.
  private func during(change: Bool, _ others: () -> Void) {
    let isOver = Latch()
    hub.dispatch(TwoAction.slow(change: change), mode: .async) { isOver.open() }
    #expect(reducer.held.waitForNext())
    others()
    reducer.held.finishLast()
    #expect(isOver.wait())
  }

  @Test func `an action is notified of what it has changed, not of what others have meanwhile`() {
    during(change: true) {
      hub.dispatch(TwoAction.right, mode: .sync)
      #expect(log.elements == ["any right", "right 1 right"])
    }
    #expect(log.elements.dropFirst(2) == ["any slow", "left 1 slow"])
  }

  @Test func `an action that changes nothing is not notified of what others have changed`() {
    during(change: false) { hub.dispatch(TwoAction.right, mode: .sync) }
    #expect(log.elements == ["any right", "right 1 right"])
  }

  @Test
  func `what was changed before another action counts, and so does what no action has changed`() {
    during(change: false) {
      // The second of two actions at once has the store note who commits.
      during(change: false) {
        store.commit { $0.left = 5 }
        hub.dispatch(TwoAction.right, mode: .sync)
        hub.dispatch(TwoAction.rightAndBack, mode: .sync)
      }
    }
    let ofOthers = ["any right", "right 1 right", "any back"]
    #expect(log.elements == ofOthers + ["any slow", "left 5 slow", "any slow", "left 5 slow"])
  }

  @Test func `an action in an operation of another is notified by itself`() throws {
    let outer = CounterStore("outer") { [weak hub] operation, _, _ in
      hub?.dispatch(TwoAction.right, to: "two", mode: .sync)
      operation.finish()
    }
    try hub.register(store: outer)
    during(change: true) { hub.dispatch(CounterAction.look, to: "outer", mode: .sync) }
    #expect(log.elements == ["any right", "right 1 right", "any slow", "left 1 slow"])
  }

  @Test func `an action that is cancelled leaves nothing behind`() {
    for _ in 0..<20 {
      let isOver = Latch()
      let slow = hub.dispatch(TwoAction.slow(change: false), mode: .async) { isOver.open() }
      #expect(reducer.held.waitForNext())
      hub.dispatch(TwoAction.right, mode: .sync)
      slow.cancel()
      #expect(isOver.wait())
      reducer.held.finishLast()
    }
    #expect(store.activeActionCount == 0)
  }
}
