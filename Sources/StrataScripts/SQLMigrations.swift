public import StrataMigrating
import StrataStorage

/// The migrations of a folder of SQL scripts.
///
/// ```swift
/// let migrations = try SQLMigrations.folder("Migrations")
/// ```
///
/// `0003_split_name.sql` is a migration, and `0003_split_name.down.sql` takes it back. `0003_split_name.swift` says
/// that this migration is written in Swift; the program passes it, and the `strata` command stops before it.
/// What starts with a number and may be meant as a script, as `0003_b.SQL`, is an error. Other files, and folders in it,
/// are ignored.
///
/// Scripts that a program embeds are passed one by one: see `DataMigration(_:sql:down:timeLimit:)`.
public enum SQLMigrations {
  /// The migrations of a folder, in the order of their numbers.
  ///
  /// O(bytes of the files). A folder without migrations is an error. Numbers that are missing are found when the list is used.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - steps: The migrations in Swift for which the folder has a file of that name.
  ///   - timeLimit: How long one script may run.
  /// - Throws: `SQLMigrationError`.
  public static func folder(
    _ path: String,
    with steps: [DataMigration],
    timeLimit: Duration = .seconds(600)
  ) throws(SQLMigrationError) -> [DataMigration] {
    var migrations = try read(path, timeLimit: timeLimit)
    for step in steps {
      let index = migrations.firstIndex { $0.isMarker && $0.name == step.name }
      guard let index else { throw .missingFile(migration: step.name) }
      migrations[index] = step
    }
    if let marker = migrations.first(where: \.isMarker) {
      throw .missingSwift(migration: marker.name)
    }
    return migrations
  }

  /// The migrations of a folder without Swift, in the order of their numbers.
  public static func folder(_ path: String) throws(SQLMigrationError) -> [DataMigration] {
    try folder(path, with: [])
  }

  /// The migrations of a folder, with those in Swift as markers that cannot run.
  ///
  /// - Parameter applied: The names of those that ran on the store at hand.
  package static func read(
    _ path: String,
    timeLimit: Duration = .seconds(600),
    applied: [String] = []
  ) throws(SQLMigrationError) -> [DataMigration] {
    let folder = try MigrationFolder(path, applied: applied)
    if folder.steps.isEmpty { throw .empty(path: path) }
    return try folder.steps.map { step throws(SQLMigrationError) in
      guard let sql = step.up else {
        return DataMigration(name: step.name, form: .swift, content: nil, up: nil)
      }
      return try DataMigration(step.name, sql: sql, down: step.down, timeLimit: timeLimit)
    }
  }
}

extension DataMigration {
  /// Whether it only says that the program has this migration.
  package var isMarker: Bool { form == .swift && up == nil }
}
