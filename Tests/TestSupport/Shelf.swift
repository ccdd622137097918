package import Strata

/// A state whose computed properties count their work in tallies that the state carries.
package struct ShelfState: ExtendedStateType {
  package struct Work: Sendable {
    package let computed = Tally()
    package let selected = Tally()
    package let nested = Tally()
    package let asked = Tally()
    package let everything = Tally()
  }

  package struct Shelf: ExtendedStateType, Equatable {
    package var books: [String] = []

    package struct Extended: ExtendedType {
      package let sorted = Field.Computed<[String]> { $0.books.sorted() }
        .ifChanged(selector: \.books)

      package init() {}
    }
  }

  package let work = Work()
  package var name = ""
  package var items: [Int] = []
  package var left = Shelf()
  package var right = Shelf()

  package struct Extended: ExtendedType {
    package let filteredArray = Field.Computed<[Int]> { state in
      state.work.computed.add()
      return state.items.filter { $0 > 300 }
    }
    .ifChanged(selector: { state in
      state.work.selected.add()
      return state.items
    })

    package let sum = Field.Computed<Int> { state, computed in
      state.work.nested.add()
      return computed.filteredArray.reduce(0, +)
    }
    .ifChanged(selector: \.items)

    package let count = Field.Computed<Int> { state in
      state.work.computed.add()
      return state.items.count
    }
    .dropsInput { changes in
      changes.value.work.asked.add()
      return changes.noChanges(\.items)
    }

    package let length = Field.Computed<Int>(derive: \.name) { $0.count }

    package let nameAndCount = Field.Computed<String> { state in
      state.work.everything.add()
      return "\(state.name) \(state.items.count)"
    }

    package init() {}
  }

  package init() {}
}

/// The store of shelves.
package final class ShelfStore: Store<ShelfState, Never>, @unchecked Sendable {
  package init() { super.init(initialState: ShelfState()) }
}
