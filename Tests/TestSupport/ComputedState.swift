package import Strata

/// A state whose computed properties count their calls in counters of the state.
package struct ComputedState: ExtendedStateType {
  package struct Work: Sendable {
    package let computed = Counter()
    package let selected = Counter()
    package let nested = Counter()
    package let asked = Counter()
    package let everything = Counter()
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
