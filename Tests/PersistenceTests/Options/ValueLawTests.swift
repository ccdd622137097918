import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Restoring returns the values that were committed, whatever they are.
struct ValueLawTests {
  @Test(arguments: [Durability.everyCommit, .grouped(maxDelay: .milliseconds(1)), .onFlush])
  func `restoring after random commits gives the state as it was kept`(
    durability: Durability
  ) async throws {
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let file = try SettingsFile()
    let script = LibraryScript(seed: seed)
    let configuration = PersistenceConfiguration(
      durability: durability,
      snapshots: SnapshotPolicy(minimumJournalBytes: 2_000, minimumHistoryBytes: 1 << 30)
    )
    var model = SettingsState().kept
    var models = [model]
    for _ in 0..<12 {
      try await file.run(SettingsState(), configuration) { store, persistence throws in
        #expect(store.state.kept == model, "seed \(seed), revision \(models.count - 1)")
        for _ in 0..<Int.random(in: 1...30, using: &random) {
          let before = store.state.kept
          store.commit { Self.edit(&$0, script, Int64(models.count), &random) }
          model = store.state.kept
          if model != before || persistence.revision.number == models.count {
            models.append(model)
          }
        }
        #expect(persistence.revision.number == Int64(models.count - 1), "seed \(seed)")
      }
    }
    try await file.run(SettingsState(), configuration) { store, persistence throws in
      var revision = Int64(models.count - 1)
      while revision >= 0 {
        let point = HistoryPoint.revision(Revision(revision))
        let then = models[Int(revision)]
        #expect(try await persistence.state(at: point) == then.db, "seed \(seed)")
        #expect(try await persistence.value(at: point, \.recent) == then.recent, "seed \(seed)")
        #expect(
          try await persistence.value(at: point, \.session.account) == .some(then.account),
          "seed \(seed)"
        )
        revision -= 9
      }
    }
    let verification = try Inspector(path: file.path).verify()
    #expect(verification.isSound, "\(verification), seed \(seed)")
    printStatistics("\(models.count - 1) revisions with values under \(durability); seed \(seed)")
  }

  private static func edit(
    _ state: inout SettingsState,
    _ script: LibraryScript,
    _ number: Int64,
    _ random: inout SeededGenerator
  ) {
    if Bool.random(using: &random) { script.commit(number, to: &state.db) }
    switch Int.random(in: 0..<6, using: &random) {
    case 0: state.volume = Double.random(in: 0...1, using: &random)
    case 1: state.session.account = nil
    case 2:
      state.session.account = .init(
        name: "\(random.next())",
        tags: (0..<Int.random(in: 0...3, using: &random)).map { "tag \($0)" },
        born: Bool.random(using: &random) ? Date(timeIntervalSince1970: 5) : nil
      )
    case 3: state.recent["\(random.next() % 5)"] = Int(random.next() % 7)
    case 4: state.recent = [:]
    default: state.session.clicks += 1
    }
  }
}

extension SettingsFile {
  func run(
    _ initialState: SettingsState,
    _ configuration: PersistenceConfiguration,
    _ body: (SettingsStore, SettingsPersistence) async throws -> Void
  ) async throws {
    try await run(initialState, values: SettingsState.values, configuration, body)
  }
}
