import StrataJournal
public import StrataMigrating
import StrataRecords
import StrataSchema
import StrataStorage

extension DataMigration {
  /// A step that is a script of SQL.
  ///
  /// ```swift
  /// try DataMigration("0002_vip", sql: "ALTER TABLE users ADD COLUMN vip BOOLEAN NOT NULL DEFAULT FALSE")
  /// ```
  ///
  /// The script works on copies of the entity tables that it uses, as real tables of a private database, with
  /// the columns that queries show. It may change rows and IDs, add, rename and drop columns, create, rename,
  /// rebuild and drop tables. A field whose value in SQL it does not change keeps its stored bytes. It cannot
  /// reach beyond the tables: `ATTACH`, pragmas, extensions, virtual tables and transactions are refused, and
  /// its time, the size of a value and what it adds are limited.
  ///
  /// Its comments may be checks and permissions:
  ///
  /// ```sql
  /// -- strata:before SELECT count(*) = 0 FROM users WHERE email IS NULL
  /// -- strata:after SELECT count(*) = (SELECT count(*) FROM profiles) FROM users
  /// -- strata:allow destructive(users.bio)
  /// ```
  ///
  /// A directive has a line of its own, and only a line feed ends a line. One behind a statement or within another comment
  /// is an error; in a text or a name in quotes it is data. A byte order mark and CRLF mean nothing, in texts neither.
  ///
  /// O(entities of the tables that it uses). The checksum covers the words of the script, not its comments,
  /// line ends and how much space there is. A script without a statement and without a check is not run: a run throws
  /// `DataMigrationError.noStatement`.
  ///
  /// - Parameters:
  ///   - name: The name, with the number at its front; a `V` before the number is left out.
  ///   - sql: The script.
  ///   - down: A script that takes it back.
  ///   - timeLimit: How long one script may run.
  /// - Throws: `SQLMigrationError.directive` for a comment that starts with `-- strata:` and cannot be read, or stands in
  ///   the wrong place, or for `strata:replaces` beside anything else, which would have no effect.
  public init(
    _ name: String,
    sql: String,
    down: String? = nil,
    timeLimit: Duration = .seconds(600)
  ) throws(SQLMigrationError) {
    let name = SQLMigrationName.withoutPrefix(name)
    let sql = SQLTokens.plain(sql)
    let script = try MigrationScript(sql, of: name)
    try script.checkReplaces(as: SQLMigrationName.number(of: name), hasDown: down != nil)
    if let numbers = script.replaces {
      self.init(name, replacing: numbers)
      return
    }
    let back = try down.map { down throws(SQLMigrationError) in
      try MigrationScript(SQLTokens.plain(down), of: "\(name).down")
    }
    try back?.checkIsOne()
    let scripts: [(MigrationReport.Direction, MigrationScript?)] = [(.up, script), (.down, back)]
    let empty = scripts.filter { $0.1?.isEmpty ?? false }.map(\.0)
    func step(_ script: MigrationScript) -> Step {
      let step = SQLStep(script: script, timeLimit: timeLimit)
      return { tables in try step.run(on: tables) }
    }
    self.init(
      name: name,
      form: .sql,
      content: NormalizedSQL(sql).bytes,
      script: sql,
      emptyScripts: Set(empty),
      down: back.map(step),
      up: step(script)
    )
  }
}
