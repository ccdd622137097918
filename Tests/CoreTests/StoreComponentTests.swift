import StrataCore
import TestSupport
import Testing

/// An object that has a `store` is a dispatcher.
@Suite struct StoreComponentTests {
  private let store = LibraryStore()

  @Test func `it commits, reads and follows without forwarding`() {
    let model = ShelfModel(store)
    let counts = Recorder<Int>()
    let subscription = model.sinkState { counts.record($0.count) }
    model.increment()
    #expect(model.accept { $0.adding(2) } == 3)
    #expect(model.dispatch { $0.addTwice() } == 5)
    #expect(model.state.count == 5)
    #expect(model.changes.version == 4)
    #expect(model.derived(.map(\.count)).value == 5)
    #expect(model.targetStore === store)
    #expect(counts.elements == [0, 1, 3, 4, 5])
    subscription.cancel()
  }

  @MainActor @Test func `it may live on the main actor`() {
    let model = MainModel(store: store)
    model.fill()
    #expect(model.title == "1")
    #expect(store.state.count == 1)
  }

  @Test func `one that has a dispatcher has its scope`() {
    let model = ProfileModel(store: store.detached(from: \.loggedIn))
    model.commit { $0.visits = 3 }
    model.detached(by: \.myInfo).commit { $0.name = "Ada" }
    #expect(model.state.visits == 3)
    #expect(model.rootState.loggedIn.myInfo.name == "Ada")
    #expect(model.changes.value.myInfo.name == "Ada")
    #expect(model.changes.previous?.myInfo.name == "")
  }

  @Test func `one with a path works on that part`() {
    let model = VisitModel(store: store)
    store.commit { $0.count = 7 }
    model.visit()
    model.accept { $0.visiting(2) }
    #expect(model.state.visits == 3)
    #expect(model.rootState.count == 7)
    #expect(store.state.loggedIn.visits == 3)
    #expect(model.changes.value.visits == 3)
    #expect(model.derived(.map(\.visits)).value == 3)
  }

  @MainActor @Test func `its path starts at the scope of its dispatcher`() {
    let model = NameModel(store: store.detached(from: \.loggedIn))
    model.rename(to: "Ada")
    #expect(model.state.name == "Ada")
    #expect(store.state.loggedIn.myInfo.name == "Ada")
  }

  @Test func `it can be passed as a dispatcher`() {
    func visit(_ profile: some DispatcherType<LibraryState, LibraryActivity, LibraryState.LoggedIn>)
    {
      profile.commit { $0.visits += 1 }
    }
    func visitAny(
      _ profile: any DispatcherType<LibraryState, LibraryActivity, LibraryState.LoggedIn>
    ) -> Int {
      profile.commit { $0.visits += 1 }
      return profile.state.visits
    }
    visit(ProfileModel(store: store.detached(from: \.loggedIn)))
    visit(store.detached(from: \.loggedIn))
    #expect(visitAny(ProfileModel(store: store.detached(from: \.loggedIn))) == 3)
  }

  @Test func `a function over any dispatcher reads its state and changes`() {
    func read<D: DispatcherType>(_ dispatcher: D) -> (D.Scope, UInt64, D.State) {
      (dispatcher.state, dispatcher.changes.version, dispatcher.rootState)
    }
    store.commit { $0.loggedIn.visits = 2 }
    let (whole, version, _) = read(store)
    #expect(whole == store.state)
    #expect(version == 1)
    let (part, _, root) = read(store.detached(from: \.loggedIn))
    #expect(part.visits == 2)
    #expect(root == store.state)
  }

  @Test func `a scoped dispatcher has the changes of its part`() {
    let part = store.detached(from: \.loggedIn)
    #expect(part.changes.previous == nil)
    store.commit("visit") { $0.loggedIn.visits = 2 }
    let changes = part.changes
    #expect(changes.hasChanges(\.visits))
    #expect(!changes.hasChanges(\.myInfo))
    #expect(changes.version == 1)
    #expect(changes.traces.first?.name == "visit")
    store.commit { $0.count = 1 }
    #expect(part.changes.version == 2)
    #expect(!part.changes.hasChanges)
  }

  @Test func `a context of a part has the whole state`() {
    let service = VisitService(targetStore: store, scope: \.loggedIn)
    store.commit { $0.count = 7 }
    #expect(service.dispatch { $0.visitAsOftenAsCounted() } == 7)
    #expect(store.state.loggedIn.visits == 7)
  }
}

private final class ShelfModel: StoreComponentType {
  let store: LibraryStore

  init(_ store: LibraryStore) { self.store = store }

  func increment() { commit("increment") { $0.count += 1 } }

  func adding(_ number: Int) -> Mutation<Int> {
    .mutation {
      $0.count += number
      return $0.count
    }
  }

  func addTwice() -> Action<Int> {
    .action { context in
      context.commit { $0.adding(1) }
      return context.commit { $0.adding(1) }
    }
  }
}

@MainActor private final class MainModel: StoreComponentType {
  let store: LibraryStore
  var title = ""

  init(store: LibraryStore) { self.store = store }

  func fill() {
    commit { $0.count = 1 }
    title = "\(state.count)"
  }
}

private final class ProfileModel: StoreComponentType {
  let store: LibraryStore.ScopedDispatcher<LibraryState.LoggedIn>

  init(store: LibraryStore.ScopedDispatcher<LibraryState.LoggedIn>) { self.store = store }
}

private final class VisitModel: StoreComponentType {
  static let scope = \LibraryState.loggedIn
  let store: LibraryStore

  init(store: LibraryStore) { self.store = store }

  func visit() { commit("visit") { $0.visits += 1 } }

  func visiting(_ times: Int) -> Mutation<Void> { .mutation { $0.visits += times } }
}

@MainActor private final class NameModel: StoreComponentType {
  nonisolated static let scope = \LibraryState.LoggedIn.myInfo
  let store: LibraryStore.ScopedDispatcher<LibraryState.LoggedIn>

  init(store: LibraryStore.ScopedDispatcher<LibraryState.LoggedIn>) { self.store = store }

  func rename(to name: String) { commit("rename") { $0.name = name } }
}

private final class VisitService:
  LibraryStore.ScopedDispatcher<LibraryState.LoggedIn>, @unchecked Sendable
{
  func visitAsOftenAsCounted() -> Action<Int> {
    .action { context in
      let count = context.rootState.count
      return context.commit { (state: inout LibraryState.LoggedIn) in
        state.visits = count
        return state.visits
      }
    }
  }
}
