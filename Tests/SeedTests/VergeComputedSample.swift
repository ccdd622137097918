import Strata

/// The code of the page as it is printed, with what the page elides filled in.
enum VergeComputed {
  struct Item: Equatable, Sendable {
    var number: Int
  }

  enum Stored {
    struct MyState: StateType {
      var items: [Item] = []

      var itemsCount: Int {
        items.count
      }
    }
  }

  /// How often the page's computed array was computed.
  static let computations = LockedList<[Int]>()

  struct MyState: ExtendedStateType {

    var name: String = ""
    var items: [Int] = []
    var count = 0

    // The page selects `\.largeArray`, which its state does not have.
    var largeArray: [Int] { items }

    struct Extended: ExtendedType {
      let filteredArray = Field.Computed<[Int]> {
        $0.items.filter { $0 > 300 }
      }
      .ifChanged(selector: \.largeArray)

      let counted = Field.Computed<[Int]> { state in
        VergeComputed.computations.append(state.items)
        return state.items.filter { $0 > 300 }
      }
      .ifChanged(selector: \.largeArray)
    }
  }

  final class MyStore: Store<MyState, Never>, @unchecked Sendable {
    init() { super.init(initialState: MyState()) }
  }

  class MyDispatcher: MyStore.Dispatcher, @unchecked Sendable {
    func moreOperation() {
      commit {
        $0.count += 1
      }
    }
  }
}
