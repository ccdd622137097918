import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport

/// A library with values beside its books.
struct SettingsState: StateType, Equatable {
  struct Account: Codable, Equatable, Sendable {
    var name = ""
    var tags: [String] = []
    var born: Date?
  }

  struct Session: Equatable, Sendable {
    var account: Account?
    /// Not persisted.
    var clicks = 0
  }

  var db = LibraryDatabase()
  var session = Session()
  var volume = 0.5
  var recent: [String: Int] = [:]

  /// The persisted part, for comparing.
  var kept: Kept { Kept(db: db, account: session.account, volume: volume, recent: recent) }

  struct Kept: Equatable {
    var db = LibraryDatabase()
    var account: Account?
    var volume = 0.5
    var recent: [String: Int] = [:]
  }

  static let values: [PersistedValue<SettingsState>] = [
    PersistedValue("account", \.session.account),
    PersistedValue("volume", \.volume),
    PersistedValue("recent", \.recent),
  ]
}

typealias SettingsStore = Store<SettingsState, Never>
typealias SettingsPersistence = Persistence<SettingsState, LibraryDatabase>

/// A path for a store in a separate directory, and ways to open it.
struct SettingsFile {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  func open(
    _ initialState: SettingsState = SettingsState(),
    values: [PersistedValue<SettingsState>] = SettingsState.values,
    _ configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) async throws -> SettingsPersistence {
    try await Persistence.open(
      at: path,
      initialState: initialState,
      database: \.db,
      values: values,
      configuration: configuration
    )
  }

  /// Opens it, runs `body` with a store, and closes it.
  func run(
    _ initialState: SettingsState = SettingsState(),
    values: [PersistedValue<SettingsState>] = SettingsState.values,
    _ configuration: PersistenceConfiguration = PersistenceConfiguration(),
    _ body: (SettingsStore, SettingsPersistence) async throws -> Void
  ) async throws {
    let persistence = try await open(initialState, values: values, configuration)
    try await body(SettingsStore(persistence), persistence)
    try await persistence.close()
  }

  /// Takes snapshots and trims all the time.
  static let often = SnapshotPolicy(minimumJournalBytes: 2_000, minimumHistoryBytes: 6_000)
}
