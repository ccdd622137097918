import StrataCore
import TestSupport
import Testing

@Suite struct ChangesTests {
  struct Refusal: Error, Equatable {}

  let store = LibraryStore()

  @Test func `a store starts at version 0`() {
    #expect(store.changes.version == 0)
  }

  @Test func `every commit raises the version by one`() {
    let versions = (0..<3).map { _ in
      store.commit { $0.count += 1 }
      return store.changes.version
    }
    #expect(versions == [1, 2, 3])
  }

  @Test func `a version has no trace before the first commit`() {
    #expect(store.changes.traces == [])
  }

  @Test func `a version carries the name and the place of its commit`() {
    let line: UInt = #line + 1
    store.commit("count") { $0.count = 1 }
    let expected = CommitTrace(name: "count", fileID: #fileID, function: #function, line: line)
    #expect(store.changes.traces == [expected])
  }

  @Test func `a scoped commit carries its place too`() {
    let line: UInt = #line + 1
    store.commit("visit", scope: \.loggedIn) { $0.visits = 1 }
    let expected = CommitTrace(name: "visit", fileID: #fileID, function: #function, line: line)
    #expect(store.changes.traces == [expected])
  }

  @Test func `a trace without a name reads as its place`() {
    let trace = CommitTrace(name: "", fileID: "Module/File.swift", function: "run()", line: 12)
    #expect("\(trace)" == "Module/File.swift:12 run()")
  }

  @Test func `a trace with a name reads as name and place`() {
    let trace = CommitTrace(name: "add", fileID: "Module/File.swift", function: "run()", line: 12)
    #expect("\(trace)" == "add (Module/File.swift:12 run())")
  }

  @Test func `version 0 has nothing before it`() {
    #expect(store.changes.previous == nil)
  }

  @Test func `previous is the value one commit before`() {
    let previous = (1...3).map { count in
      store.commit { $0.count = count }
      return store.changes.previous?.count
    }
    #expect(previous == [0, 1, 2])
  }

  @Test func `a property is read through the changes`() {
    store.commit { $0.loggedIn.visits = 4 }
    #expect(store.changes.loggedIn.visits == 4)
  }

  @Test func `without a previous value everything counts as changed`() {
    #expect(store.changes.hasChanges(\.count))
  }

  @Test func `a property that differs has changes`() {
    store.commit { $0.count = 1 }
    #expect(store.changes.hasChanges(\.count))
  }

  @Test func `a property that was set to the same value has none`() {
    store.commit {
      $0.count = 0
      $0.loggedIn.visits = 1
    }
    #expect(!store.changes.hasChanges(\.count))
  }

  @Test func `a property that another commit changed has none any more`() {
    store.commit { $0.count = 1 }
    store.commit { $0.loggedIn.visits = 1 }
    #expect(!store.changes.hasChanges(\.count))
  }

  @Test func `noChanges is the opposite of hasChanges`() {
    store.commit { $0.count = 1 }
    #expect(
      [store.changes.noChanges(\.count), store.changes.noChanges(\.search)] == [false, true]
    )
  }

  @Test func `ifChanged calls with a property that changed`() {
    store.commit { $0.count = 2 }
    #expect(store.changes.ifChanged(\.count) { $0 * 10 } == 20)
  }

  @Test func `ifChanged does not call with a property that did not change`() {
    store.commit { $0.loggedIn.visits = 2 }
    #expect(store.changes.ifChanged(\.count) { $0 * 10 } == nil)
  }

  @Test func `ifChanged rethrows`() {
    #expect(throws: Refusal()) {
      try store.changes.ifChanged(\.count) { _ throws(Refusal) in throw Refusal() }
    }
  }

  @Test func `takeIfChanged gives a composed value that changed`() {
    store.commit { $0.count = 2 }
    #expect(store.changes.takeIfChanged { $0.count + $0.loggedIn.visits } == 2)
  }

  @Test func `takeIfChanged gives nil when the composed value is the same`() {
    store.commit {
      $0.count = 1
      $0.loggedIn.visits = -1
    }
    #expect(store.changes.takeIfChanged { $0.count + $0.loggedIn.visits } == nil)
  }

  @Test func `takeIfChanged gives the composed value when there is no previous one`() {
    #expect(store.changes.takeIfChanged { $0.count } == 0)
  }

  @Test func `an equatable value that was set to an equal one has no changes`() {
    store.commit { $0.loggedIn.myInfo.name = String(repeating: "Ada", count: 100) }
    store.commit { $0.loggedIn.myInfo.name = String(repeating: "Ada", count: 100) }
    #expect(store.changes.version == 2)
    #expect(!store.changes.hasChanges)
  }

  @Test func `an equatable value that differs has changes`() {
    store.commit { $0.count = 1 }
    #expect(store.changes.hasChanges)
  }

  @Test func `map sees both values of the same version`() {
    store.commit { $0.count = 4 }
    let mapped = store.changes.map { "\($0.count)" }
    #expect([mapped.previous, mapped.value] == ["0", "4"])
  }

  @Test func `map keeps version and traces`() {
    store.commit("four") { $0.count = 4 }
    let mapped = store.changes.map(\.count)
    #expect(mapped.version == 1)
    #expect(mapped.traces == store.changes.traces)
  }

  @Test func `map of the first version has no previous value`() {
    #expect(store.changes.map(\.count).previous == nil)
  }

  @Test func `map keeps a nil before and a value after apart from no previous value`() {
    store.commit { $0.search = LibraryState.Search(text: "Lem") }
    #expect(store.changes.map(\.search).previous == .some(nil))
  }

  @Test func `dropping the previous value makes everything count as changed`() {
    store.commit { $0.count = 0 }
    #expect(store.changes.droppedPrevious().hasChanges(\.count))
  }

  @Test func `ifChanged of two properties calls when either has changed`() {
    store.commit { $0.count = 2 }
    let both = store.changes.ifChanged(\.count, \.loggedIn.visits) { "\($0) \($1)" }
    #expect(both == "2 0")
  }

  @Test func `ifChanged of two properties does not call when neither has changed`() {
    store.commit { $0.loggedOut.attempts = 2 }
    #expect(store.changes.ifChanged(\.count, \.loggedIn.visits) { _, _ in 1 } == nil)
  }

  @Test func `ifChanged takes up to five properties`() {
    store.commit { $0.loggedOut.attempts = 2 }
    let changes = store.changes
    let three = changes.ifChanged(\.count, \.search, \.loggedOut) { $2.attempts }
    let four = changes.ifChanged(\.count, \.search, \.loggedIn, \.loggedOut) { $3.attempts }
    let five = changes.ifChanged(
      \.count,
      \.search,
      \.loggedIn,
      \.loggedIn.visits,
      \.loggedOut.attempts
    ) { $4 }
    #expect([three, four, five] == [2, 2, 2])
    #expect(
      changes.ifChanged(\.count, \.search, \.loggedIn, \.db, \.loggedIn.visits) {
        _,
        _,
        _,
        _,
        _ in 1
      } == nil
    )
  }

  @Test func `ifChanged of two properties rethrows`() {
    #expect(throws: Refusal()) {
      try store.changes.ifChanged(\.count, \.search) { _, _ throws(Refusal) in throw Refusal() }
    }
  }

  @Test func `ifChanged of an equatable value calls with the value when it has changed`() {
    store.commit { $0.count = 2 }
    #expect(store.changes.map(\.count).ifChanged { $0 } == 2)
    store.commit { $0.loggedIn.visits = 2 }
    #expect(store.changes.map(\.count).ifChanged { $0 } == nil)
  }

  @Test func `mapIfPresent is nil, then without a previous value, then with one`() {
    #expect(store.changes.mapIfPresent(\.search)?.value == nil)
    store.commit { $0.search = LibraryState.Search(text: "Lem") }
    let present = store.changes.mapIfPresent(\.search)
    #expect([present?.text, present?.previous?.text] == ["Lem", nil])
    store.commit { $0.search?.text = "Lispector" }
    let changed = store.changes.mapIfPresent(\.search)
    #expect([changed?.text, changed?.previous?.text] == ["Lispector", "Lem"])
  }

  @Test func `a commit may attach values that travel with its version`() {
    let key = CommitAttachmentKey<String>()
    let count = store.commit("attach") { state, attachments in
      state.count = 1
      attachments[key] = "by hand"
      return state.count
    }
    #expect(count == 1)
    #expect(store.changes.attachments[key] == "by hand")
    #expect(store.changes.map(\.count).attachments[key] == "by hand")
    store.commit { $0.count = 2 }
    #expect(store.changes.attachments[key] == nil)
  }
}
