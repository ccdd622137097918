import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Values on failing disks, in damaged files, and after their type changed.
struct ValueFaultTests {
  let file: SettingsFile

  init() throws { file = try SettingsFile() }

  @Test(arguments: [0, 1, 5])
  func `values catch up with memory when the disk is back`(skipping: Int) async throws {
    let vfs = try FaultVFS(name: "values-\(skipping)")
    var configuration = PersistenceConfiguration(
      durability: .grouped(maxDelay: .milliseconds(1)),
      snapshots: SettingsFile.often,
      recoveryInterval: .milliseconds(5)
    )
    configuration.vfs = vfs.name
    let persistence = try await file.open(SettingsState(), configuration)
    let store = SettingsStore(persistence)
    var events = persistence.events.makeAsyncIterator()
    vfs.failNext(.write, in: .wal, code: .ioerrWrite, after: skipping, times: .sticky)
    var refusals = 0
    for number in 1...40 {
      store.commit {
        $0.volume = Double(number)
        $0.db.books.insert(Book(id: EntityID(number % 5), title: "\(number)"))
      }
      do { try await persistence.flush() } catch { refusals += 1 }
    }
    #expect(refusals > 0)
    store.commit { $0.session.account = .init(name: "Ada") }
    vfs.heal()
    while let event = await events.next() {
      if case .recovered = event { break }
    }
    try await persistence.flush()
    store.commit { $0.recent["after"] = 1 }
    try await persistence.close()
    try await file.run { again, persistence throws in
      #expect(again.state.kept == store.state.kept)
      #expect(persistence.revision == 42)
    }
  }

  @Test
  func `after any power cut values and database are those of one revision`() async throws {
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let vfs = try FaultVFS(name: "cut-values-\(UUID().uuidString)")
    var configuration = PersistenceConfiguration(
      durability: .everyCommit,
      snapshots: SettingsFile.often
    )
    configuration.vfs = vfs.name
    let persistence = try await file.open(SettingsState(), configuration)
    let store = SettingsStore(persistence)
    var models = [store.state.kept]
    var acknowledged: Revision = 0
    for cut in 0..<40 {
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let number = models.count
        store.commit { state in
          state.volume = Double(number)
          if number % 2 == 0 { state.db.books.insert(Book(id: EntityID(number % 9))) }
          state.session.account = number % 3 == 0 ? nil : .init(name: "\(number)")
        }
        models.append(store.state.kept)
      }
      if Bool.random(using: &random) {
        try await persistence.flush()
        acknowledged = persistence.revision
      }
      let after = try TemporaryDirectory()
      try vfs.cutPower(seed: random.next(), into: after.url)
      var rebooted = PersistenceConfiguration()
      rebooted.bootID = UUID()
      let restored = try await Persistence.open(
        at: after.path("app.strata"),
        initialState: SettingsState(),
        database: \.db,
        values: SettingsState.values,
        configuration: rebooted
      )
      #expect(restored.revision >= acknowledged, "seed \(seed), cut \(cut)")
      let model = models[Int(restored.revision.number)]
      #expect(restored.initialState.kept == model, "seed \(seed), cut \(cut)")
      try await restored.close()
    }
    try await persistence.close()
  }

  @Test
  func `best effort saves the values of a damaged file`() async throws {
    try await file.run { store, persistence throws in
      for number in 1...20 { store.commit { $0.volume = Double(number) } }
      try await persistence.snapshot(named: "sound")
      store.commit { $0.volume = 21 }
      store.commit { $0.volume = 22 }
    }
    let connection = try Connection(path: file.path, mode: .readWrite)
    try connection.run("UPDATE delta SET name = 'forged' WHERE revision = 22", [])
    try connection.close()
    await #expect(throws: PersistenceError.self) { try await file.open() }
    let configuration = PersistenceConfiguration(restore: .bestEffort)
    try await file.run(SettingsState(), configuration) { store, persistence throws in
      #expect(persistence.report.outcome == .restoredWithLoss)
      #expect(store.state.volume == 21)
    }
  }

  @Test
  func `fields of a value come and go, and new ones are taken from the initial state`()
    async throws
  {
    try await run(Holder(value: OldInfo())) { store in
      store.commit { $0.value = OldInfo(name: "Ada", gone: 2) }
    }
    try await run(Holder(value: NewInfo(name: "initial", size: 7, note: "initial"))) { store in
      #expect(store.state.value == NewInfo(name: "Ada", size: 7, note: nil))
      store.commit { $0.value.size = 8 }
    }
    try await run(Holder(value: NewInfo())) { store in
      #expect(store.state.value == NewInfo(name: "Ada", size: 8, note: nil))
    }
  }

  @Test
  func `a value that became optional is read, and one of another type is refused by name`()
    async throws
  {
    try await run(Holder(value: 5)) { store in store.commit { $0.value = 6 } }
    try await run(Holder<Int?>(value: nil)) { store in #expect(store.state.value == 6) }
    let before = try StoreBytes(file.path)
    let error = await #expect(throws: PersistenceError.self) {
      try await run(Holder(value: OldInfo())) { _ in }
    }
    guard case .undecodable("value:it", "value", _) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(
      error?.description.contains("the value it cannot be decoded as this build's type") == true
    )
    #expect(try StoreBytes(file.path) == before)
  }

  @Test
  func `under best effort a value of another type starts from the initial state, and is kept`()
    async throws
  {
    try await run(Holder(value: 5)) { store in store.commit { $0.value = 6 } }
    let persistence = try await open(
      Holder(value: OldInfo(name: "initial")),
      PersistenceConfiguration(restore: .bestEffort)
    )
    #expect(persistence.initialState.value == OldInfo(name: "initial"))
    #expect(persistence.report.outcome == .restoredWithLoss)
    #expect(persistence.report.loss?.undecodable.map(\.table) == ["value:it"])
    try await persistence.snapshot(named: "carried")
    try await persistence.close()
    try await run(Holder(value: 0)) { store in #expect(store.state.value == 6) }
  }

  @Test
  func `a value that refuses to be encoded is named, and the file keeps the one before`()
    async throws
  {
    let persistence = try await open(Holder(value: Shy(number: 1)))
    let store = Store<Holder<Shy>, Never>(persistence)
    store.commit { $0.value = Shy(number: -1) }
    let error = await #expect(throws: PersistenceError.self) { try await persistence.flush() }
    guard case .notPersisted(let refused) = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(refused.map(\.table) == ["value:it"])
    #expect(error?.description.contains("(value it: ") == true)
    await #expect(throws: PersistenceError.self) { try await persistence.close() }
    try await run(Holder(value: Shy(number: 3))) { store in
      #expect(store.state.value == Shy(number: 1))
    }
  }

  @Test
  func `an initial value that refuses to be encoded is refused, and no file is made`()
    async throws
  {
    let error = await #expect(throws: PersistenceError.self) {
      try await open(Holder(value: Shy(number: -1)))
    }
    guard case .notPersisted = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test
  func `a new value that refuses to be encoded is refused, and the file stays as it was`()
    async throws
  {
    let before = try await Persistence.open(
      at: file.path,
      initialState: Holder(value: Shy(number: 1)),
      database: \.db
    )
    try await before.close()
    await #expect(throws: PersistenceError.self) { try await open(Holder(value: Shy(number: -1))) }
    let after = try await open(Holder(value: Shy(number: 4)))
    #expect(after.report.newValues == ["it"])
    try await after.close()
  }

  private func open<Value>(
    _ initial: Holder<Value>,
    _ configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) async throws -> Persistence<Holder<Value>, LibraryDatabase> {
    try await Persistence.open(
      at: file.path,
      initialState: initial,
      database: \.db,
      values: [PersistedValue("it", \.value)],
      configuration: configuration
    )
  }

  private func run<Value>(
    _ initial: Holder<Value>,
    _ body: (Store<Holder<Value>, Never>) throws -> Void
  ) async throws {
    let persistence = try await open(initial)
    try body(Store(persistence))
    try await persistence.close()
  }
}

private struct Holder<Value: Codable & Equatable & Sendable>: StateType {
  var db = LibraryDatabase()
  var value: Value
}

private struct OldInfo: Codable, Equatable, Sendable {
  var name = ""
  var gone = 1
}

private struct NewInfo: Codable, Equatable, Sendable {
  var name = ""
  var size = 0
  var note: String?
}

/// Cannot be encoded below zero.
private struct Shy: Codable, Equatable, Sendable {
  struct Unencodable: Error {}

  var number: Int

  private enum CodingKeys: CodingKey { case number }

  init(number: Int) { self.number = number }

  func encode(to encoder: any Encoder) throws {
    if number < 0 { throw Unencodable() }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(number, forKey: .number)
  }

  init(from decoder: any Decoder) throws {
    number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
  }
}
