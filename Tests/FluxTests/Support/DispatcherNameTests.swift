import Strata
import StrataFlux
import TestSupport
import Testing

/// `Dispatcher` is the hub, and a member type of stores.
struct DispatcherNameTests {
  /// For a program that imports both products.
  private final class Service: LibraryStore.Dispatcher, @unchecked Sendable {
    func rename() { commit { $0.loggedIn.myInfo.name = "Ada" } }
  }

  private final class Mixed: Store<LibraryState, Never>, @unchecked Sendable {
    /// Inside a store the plain name is the store's dispatcher type.
    func dispatcher() -> Dispatcher { Dispatcher(targetStore: self) }
    func hub() -> StrataFlux.Dispatcher { StrataFlux.Dispatcher.default }
  }

  @Test func `outside of stores the plain name is the hub`() throws {
    let hub: Dispatcher = Dispatcher.default
    #expect(hub === StrataFlux.Dispatcher.default)
  }

  @Test func `inside of a store it is the store's dispatcher, and the hub is named in full`() {
    let store = Mixed(initialState: LibraryState())
    store.dispatcher().commit { $0.count = 1 }
    #expect(store.state.count == 1)
    #expect(store.hub() === StrataFlux.Dispatcher.default)
    let library = LibraryStore()
    Service(targetStore: library).rename()
    #expect(library.state.loggedIn.myInfo.name == "Ada")
  }
}
