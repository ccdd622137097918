import StrataCore
import TestSupport
import Testing

/// A server that answers when the test releases it.
private actor Server {
  private var waiting: [CheckedContinuation<Int, any Error>] = []
  private var asked: [CheckedContinuation<Void, Never>] = []
  private var questions = 0

  func ask() async throws -> Int {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.append(continuation)
        questions += 1
        for one in asked { one.resume() }
        asked = []
      }
    } onCancel: {
      Task { await self.refuse() }
    }
  }

  /// Waits for the first request.
  func wasAsked() async {
    if questions > 0 { return }
    await withCheckedContinuation { asked.append($0) }
  }

  func answer(_ number: Int) {
    for one in waiting { one.resume(returning: number) }
    waiting = []
  }

  private func refuse() {
    for one in waiting { one.resume(throwing: CancellationError()) }
    waiting = []
  }
}

private final class Fetcher: LibraryStore.Dispatcher, @unchecked Sendable {
  struct Unreachable: Error, Equatable {}

  let server = Server()

  func fetch() -> AsyncThrowingAction<Int> {
    .action("fetch") { [server] context in
      context.commit { state in state.loggedIn.visits += 1 }
      let number = try await server.ask()
      context.commit { state in state.count = number }
      return number
    }
  }

  func fetchOrZero() -> AsyncAction<Int> {
    .dispatch { context in
      do { return try await context.dispatch { $0.fetch() } } catch { return 0 }
    }
  }

  func fail() -> AsyncThrowingAction<Void> { .action { _ in throw Unreachable() } }

  func fetchStubbornly() -> AsyncAction<Int> {
    .action { context in
      let number = await context.dispatch { $0.fetchOrZero() }
      context.commit { state in state.count = 100 + number }
      return context.state.count
    }
  }

  func fetchPolitely() -> AsyncThrowingAction<Void> {
    .action { context in
      _ = await context.dispatch { $0.fetchOrZero() }
      try context.commit { state in
        state.count = 100
        try Task.checkCancellation()
      }
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct AsyncActionTests {
  let store = LibraryStore()
  private let fetcher: Fetcher

  init() { fetcher = Fetcher(targetStore: store) }

  @Test func `await dispatch returns what the action returns`() async throws {
    async let number = fetcher.dispatch { $0.fetch() }
    await fetcher.server.wasAsked()
    await fetcher.server.answer(7)
    #expect(try await number == 7)
    #expect(store.state.count == 7)
  }

  @Test func `await accept does the same`() async {
    async let number = fetcher.accept { $0.fetchOrZero() }
    await fetcher.server.wasAsked()
    await fetcher.server.answer(7)
    #expect(await number == 7)
  }

  @Test func `what an action throws is thrown by dispatch`() async {
    await #expect(throws: Fetcher.Unreachable()) { try await fetcher.dispatch { $0.fail() } }
  }

  @Test func `an action commits before it waits`() async throws {
    async let number = fetcher.dispatch { $0.fetch() }
    await fetcher.server.wasAsked()
    #expect(store.state.loggedIn.visits == 1)
    await fetcher.server.answer(7)
    _ = try await number
  }

  @Test func `cancelling the task cancels the action`() async {
    let task = Task { [fetcher] in try await fetcher.dispatch { $0.fetch() } }
    await fetcher.server.wasAsked()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(store.state.count == 0)
  }

  @Test func `what was committed before the cancellation stays`() async {
    let task = Task { [fetcher] in try await fetcher.dispatch { $0.fetch() } }
    await fetcher.server.wasAsked()
    task.cancel()
    _ = await task.result
    #expect(store.state.loggedIn.visits == 1)
  }

  @Test func `a commit after the cancellation happens`() async {
    let task = Task { [fetcher] in await fetcher.dispatch { $0.fetchStubbornly() } }
    await fetcher.server.wasAsked()
    task.cancel()
    #expect(await task.value == 100)
  }

  @Test func `a commit that checks for cancellation is rolled back`() async {
    let task = Task { [fetcher] in try await fetcher.dispatch { $0.fetchPolitely() } }
    await fetcher.server.wasAsked()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(store.state.count == 0)
  }

  @Test func `an action runs on the actor of its caller`() async {
    @MainActor func dispatch() async -> Bool {
      let action = AnyAsyncAction<LibraryStore, Bool> { _ in
        MainActor.assertIsolated()
        return true
      }
      return await store.dispatch { _ in action }
    }
    #expect(await dispatch())
  }

  @Test func `a commit in an action that waited carries the action`() async throws {
    async let number = fetcher.dispatch { $0.fetchOrZero() }
    await fetcher.server.wasAsked()
    await fetcher.server.answer(7)
    _ = await number
    #expect(store.changes.traces.map(\.name) == ["", "fetch", ""])
  }

  @Test func `many actions at once commit each on its own`() async {
    let counts = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<100 {
        group.addTask { [store] in
          await store.dispatch { _ in
            AnyAsyncAction<LibraryStore, Int> { context in
              await Task.yield()
              return context.commit { state in
                state.count += 1
                return state.count
              }
            }
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts.sorted() == Array(1...100))
  }
}
