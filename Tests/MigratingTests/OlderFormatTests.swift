import Foundation
import ProductSupport
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataMigrations
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A file of an older format is refused by its number, and keeps every byte.
struct OlderFormatTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  /// What reads or writes a store.
  enum Door: String, CaseIterable, Sendable {
    case open, openWithBestEffort, openReadOnly, inspect, verify, diagnose, restore, fork
    case bundle, nameSnapshot, erase, migrate
  }

  private func pass(_ door: Door) async throws {
    let other = directory.path("other.strata")
    switch door {
    case .open: try await open(.strict)
    case .openWithBestEffort: try await open(.bestEffort)
    case .openReadOnly: try await open(.readOnly)
    case .inspect: _ = try Inspector(path: path).info()
    case .verify: _ = try Inspector(path: path).verify()
    case .diagnose: _ = try Inspector(path: path).diagnose()
    case .restore: try await StoreBackup.restore(path, to: other)
    case .fork: try await StoreBackup.fork(path, at: .revision(1), to: other)
    case .bundle: try await StoreBundle.write(of: path, last: 2, to: other)
    case .nameSnapshot: _ = try NamedSnapshots(of: path).prune(.names(["a"]))
    case .erase:
      let entities = ErasedEntities([.init(table: "books", meantBy: "1")])
      _ = try StoreErasure.run(at: path, entities, .leave)
    case .migrate: try await DataMigrator(LibraryMigrations.all, at: path).up()
    }
  }

  private func open(_ policy: RestorePolicy) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(restore: policy),
      with: [.migrations([])]
    )
    try await persistence.close()
  }

  /// Makes a store; one that its writer has not closed has a WAL.
  private func make(closed: Bool) async throws {
    let made = directory.path("made.strata")
    let persistence = try await Persistence.open(
      at: made,
      initialState: LibraryState(),
      database: \.db,
      with: [.migrations([])]
    )
    let store = LibraryStore(persistence)
    for number in 1...3 { store.commit { $0.db.books.insert(Book(id: EntityID(number))) } }
    try await persistence.flush()
    if closed { try await persistence.close() }
    for suffix in closed ? ["", ".head"] : ["", ".head", "-wal"] {
      try FileManager.default.copyItem(atPath: made + suffix, toPath: path + suffix)
    }
    if !closed { try await persistence.close() }
  }

  private func write(_ format: Int32) throws {
    var file = try Data(contentsOf: URL(fileURLWithPath: path))
    withUnsafeBytes(of: format.bigEndian) { file.replaceSubrange(60..<64, with: $0) }
    try file.write(to: URL(fileURLWithPath: path))
  }

  private func contents() throws -> [String: Data] {
    try FileManager.default.contentsOfDirectory(atPath: directory.url.path).reduce(into: [:]) {
      $0[$1] = try Data(contentsOf: URL(fileURLWithPath: directory.path($1)))
    }
  }

  @Test(arguments: Door.allCases, [true, false])
  func `every door refuses it by its number, with the way, and changes nothing`(
    door: Door,
    closed: Bool
  ) async throws {
    try await make(closed: closed)
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let others = (0..<5).map { _ in Int32.random(in: .min..<0, using: &random) }
    for format in [2, 1, 0] + others {
      try write(format)
      let before = try contents()
      let place: Comment = "format \(format), seed \(seed)"
      let error = await #expect(throws: PersistenceError.self, place) {
        try await pass(door)
      }
      #expect(
        error?.reason == .olderFormat(found: Int(format), known: StoreFormat.known),
        place
      )
      #expect(error?.path == path, place)
      #expect(error?.remedy == .useOlderBuild, place)
      let text = error?.description ?? ""
      for words in ["format \(format)", "`strata export`", "`strata import`"] {
        #expect(text.contains(words), place)
      }
      #expect(try contents() == before, place)
    }
  }
}
