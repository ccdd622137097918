import Foundation
package import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataMigrations
import StrataStorage
import TestSupport

/// What is done to a store around migrations, each of which is done as a whole or not at all.
package enum MigrationAction: String, CaseIterable, Sendable {
  /// Migrations run.
  case up
  /// They are taken back.
  case down
  /// The backup from before them is restored in place of the store.
  case restore
  /// The store is copied as it was before them.
  case fork

  private static let books = 40

  /// Whether the action was done.
  package enum Outcome: Sendable {
    case before, after
  }

  /// Makes a store that the action has not been done to.
  package func prepare(at path: String) async throws {
    try await open(path, adding: Self.books)
    if self == .up { return }
    try await DataMigrator(LibraryMigrations.all, at: path).up()
  }

  /// Opens the store as a program without a list of migrations does, and adds books.
  private func open(_ path: String, adding count: Int) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      with: [.migrations(.external)]
    )
    let store = LibraryStore(persistence)
    if count > 0 {
      store.commit { state in
        for number in 1...count {
          state.db.books.insert(Book(id: EntityID(number), title: "title \(number)"))
        }
      }
    }
    try await persistence.close()
  }

  private func fork(of path: String) -> String { "\(path).fork" }

  /// Does it.
  package func run(at path: String, _ configuration: PersistenceConfiguration) async throws {
    let migrator = DataMigrator(LibraryMigrations.all, at: path, persistence: configuration)
    switch self {
    case .up: try await migrator.up()
    case .down: try await migrator.down(to: 0)
    case .restore:
      _ = try await StoreBackup.restore(
        "\(path).before-1",
        replacing: path,
        now: Date(timeIntervalSince1970: 1_800_000_000),
        on: configuration.disk
      )
    case .fork:
      _ = try await StoreBackup.fork(
        path,
        at: .revision(1),
        to: fork(of: path),
        on: configuration.disk
      )
    }
  }

  /// Opens the files of a process that was killed, which completes what it has begun to move.
  package func open(_ path: String) async throws {
    for file in [path, fork(of: path)]
    where file == path || FileManager.default.fileExists(atPath: file) {
      try await open(file, adding: 0)
    }
  }

  /// Which of its states a store is in.
  ///
  /// - Throws: `Neither` for any other state.
  package func outcome(at path: String) async throws -> Outcome {
    let store = try await State(path)
    switch self {
    case .up where store == .plain, .down where store == .migrated,
      .restore where store == .migrated:
      return .before
    case .up where store == .migrated, .down where store == .plain,
      .restore where store == .plain:
      return .after
    case .fork where store == .migrated:
      if !FileManager.default.fileExists(atPath: fork(of: path)) { return .before }
      let fork = try await State(fork(of: path))
      if fork == .plain { return .after }
      throw Neither(action: self, state: fork)
    default: throw Neither(action: self, state: store)
    }
  }

  /// A state that is none of the two.
  package struct Neither: Error, CustomStringConvertible {
    let action: MigrationAction
    let state: State

    package var description: String { "\(state) is neither before nor after \(action)" }
  }

  /// What a store shows.
  struct State: Equatable, Sendable {
    let migrations: Int
    let titles: Int
    let marked: Int
    var isSound = true

    static let plain = State(migrations: 0, titles: books, marked: 0)
    static let migrated = State(migrations: 2, titles: books, marked: books)
  }
}

extension MigrationAction.State {
  fileprivate init(_ path: String) async throws {
    let titles = try Inspector(path: path).show(table: "books").map {
      $0.value["title"]?.text ?? ""
    }
    migrations = try await DataMigrator([], at: path).history().count
    self.titles = titles.count
    marked = titles.count { $0.hasSuffix(LibraryMigrations.mark) }
    isSound = try Inspector(path: path).verify().isSound
  }
}
