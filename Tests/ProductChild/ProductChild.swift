import Foundation
import ProductSupport
import Strata
import StrataMigrations
import TestSupport

/// What `CrashChild` is to a store, for migrations and archives: a program for tests to kill.
///
/// `ProductChild PATH SEED MODE`:
///
/// - `migrate` runs the migrations of the sample domain and prints the number of I/O operations. With a number as a
///   further argument it is killed at the operation with that number.
/// - `act` with an action on a migrated store does it and prints the number of I/O operations: ``MigrationAction``. With a
///   number as a further argument it is killed at the operation with that number.
/// - `migrated` with `closure`, `rows` or `IDs` changes every book of a store by one migration, and prints the memory
///   that this used.
/// - `lead` and `follow` with the folder of an archive lead it or follow it at PATH: ``ArchiveChild``.
@main
struct ProductChild {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4, let seed = UInt64(arguments[2]) else { exit(64) }
    if ["lead", "follow"].contains(arguments[3]), arguments.count == 5 {
      let child = ArchiveChild(path: arguments[1], seed: seed, folder: arguments[4])
      return try await arguments[3] == "lead"
        ? child.lead { printLine($0) } : child.follow { printLine($0) }
    }
    if arguments[3] == "migrate" {
      return try await migrate(
        arguments[1],
        killedAt: arguments.count == 5 ? Int(arguments[4]) : nil
      )
    }
    if arguments[3] == "act", arguments.count >= 5,
      let action = MigrationAction(rawValue: arguments[4])
    {
      return try await act(
        action,
        arguments[1],
        killedAt: arguments.dropFirst(5).first.flatMap { Int($0) }
      )
    }
    if arguments[3] == "migrated", arguments.count == 5 {
      return try await measureMigration(arguments[4], of: arguments[1])
    }
    exit(64)
  }

  private static func migrate(_ path: String, killedAt number: Int?) async throws {
    let vfs = try FaultVFS(name: "migrate", follows: false)
    if let number { vfs.killProcess(at: number) }
    var configuration = Self.configuration()
    configuration.vfs = vfs.name
    do {
      let report = try await DataMigrator(
        LibraryMigrations.all,
        at: path,
        persistence: configuration
      ).up()
      printLine("ran \(report.steps.count)")
    } catch {
      guard case .alreadyOpen = error.reason else { return printLine("failed: \(error)") }
      printLine("refused")
    }
    printLine("\(vfs.operationCount(for: .failedIO))")
  }

  private static func act(
    _ action: MigrationAction,
    _ path: String,
    killedAt number: Int?
  ) async throws {
    let vfs = try FaultVFS(name: "act", follows: false)
    if let number { vfs.killProcess(at: number) }
    var configuration = Self.configuration()
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    try await action.run(at: path, configuration)
    printLine("\(vfs.operationCount(for: .failedIO))")
  }

  private static func measureMigration(_ kind: String, of path: String) async throws {
    let migration: DataMigration
    switch kind {
    case "closure":
      migration = DataMigration("0001_title", table: "books") { book in
        book["title"] = book["title"]?.text.map { .string($0 + "!") }
      }
    case "rows":
      // SQLite gives the numbers of removed rows to others, so they are noted.
      migration = try DataMigration(
        "0001_rows",
        sql: """
          -- strata:allow deletes(books)
          DELETE FROM books WHERE id % 4 <> 0;
          INSERT INTO books(id, title, author) VALUES (1, 'one', 'author-1');
          """
      )
    case "IDs":
      migration = DataMigration("0001_ids", table: "books") { book in
        book.id = .integer(Int(book.id.integer ?? 0) + 10_000_000)
      }
    default: exit(64)
    }
    let migrator = DataMigrator([migration.allowing(.dangling("loans"))], at: path)
    let peak = try await MemoryPeak.beyondNow { _ = try await migrator.up() }
    printLine(peak.map { "\($0)" } ?? "unknown")
  }

  private static func configuration() -> PersistenceConfiguration {
    // Nothing is written before the flush.
    var configuration = PersistenceConfiguration(
      durability: .grouped(maxDelay: .seconds(600), maxCommits: .max),
      snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40)
    )
    configuration.queueCapacity = .max
    return configuration
  }

  private static func printLine(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
