package import Foundation
import StrataBase
package import StrataInspection
package import StrataJournal
import StrataSQLite

/// Answers SQL about a store, and changes nothing.
///
/// ```swift
/// let query = StoreQuery(path: "app.strata")
/// let result = try query.run("SELECT city, count(*) FROM users GROUP BY city")
/// try result.forEach { row in print(row) }
/// ```
///
/// The statement runs on a private database in memory, so it never touches the file. Its tables are virtual
/// ones that `Inspector` feeds. It is compiled under an authorizer that lets it read and nothing else. If it
/// goes through one table once, the rows are made as SQLite asks for them, and only those and the columns that
/// it needs; otherwise each table is copied into a private table first, with the columns that it needs.
///
/// Three things bound what a statement can take: a time limit, limits of the connection for values, texts and
/// expressions, and, in the command only, a limit of the memory of all of SQLite.
package struct StoreQuery {
  /// The file of the store.
  package var path: String
  /// The point in history of tables that name none.
  package var at = RevisionExpression.head(back: 0)
  /// How long a statement may run.
  package var timeLimit = Duration.seconds(30)
  /// After how many rows it ends; nil for none.
  package var rowLimit: Int?
  /// What relative times count from.
  package var now: Date

  /// How tables are read.
  package enum Reading: Sendable {
    /// Streamed where the statement goes through one table once, else copied.
    case automatic
    /// Always copied. The answers are the same, which tests check.
    case copied
  }

  package var reading = Reading.automatic
  /// What reads the store; nil to open it for each statement.
  package var inspector: Inspector?

  package init(path: String, now: Date = Date()) {
    self.path = path
    self.now = now
  }

  /// Answers one SELECT, WITH or VALUES.
  ///
  /// The store is closed when this returns. A damaged snapshot is skipped if the journal goes back to an
  /// older one.
  ///
  /// - Throws: `QueryError` for what is wrong with the statement or too large, and `PersistenceError` for what
  ///   is wrong with the store.
  package func run(_ sql: String) throws -> QueryResult {
    try run { _ in sql }
  }

  /// Lists entities of a table; see ``EntityListing``.
  ///
  /// - Throws: As ``run(_:)``, and `QueryError` for a table or column that the store does not have.
  package func list(_ listing: EntityListing) throws -> QueryResult {
    var query = self
    query.rowLimit = listing.limit
    return try query.run { sources in try listing.sql(over: sources) }
  }

  /// Answers a statement that is made for the tables of the store.
  private func run(_ sql: ([any TableSource]) throws -> String) throws -> QueryResult {
    try read { context, sources in
      let sql = try sql(sources)
      do {
        return try QueryDatabase(sources, context).answer(sql, reading, upTo: rowLimit)
      } catch is OrderBroken {
        context.promisesOrder = false
        return try QueryDatabase(sources, context).answer(sql, reading, upTo: rowLimit)
      }
    }
  }

  /// Reads the tables of the store; again, with an older snapshot, if it meets damage.
  ///
  /// - Throws: As ``run(_:)``.
  func read<Contents>(
    _ body: (QueryContext, [any TableSource]) throws -> Contents
  ) throws -> Contents {
    let inspector = try self.inspector ?? Inspector(path: path)
    let end = ContinuousClock.now + timeLimit
    var damage: CorruptionError?
    var (skipping, attempts) = (0, 0)
    reading: while true {
      let view = try inspector.query { $0 }
      do {
        let context = try QueryContext(
          view,
          at: at,
          now: now,
          limit: timeLimit,
          until: end,
          skipping: skipping
        )
        return try body(context, try StoreTables(view, at: context.revision).sources)
      } catch let error as CorruptionError {
        // A writer at work may trim what is being read; then all of it is read again.
        if try inspector.query({ _ in try inspector.wasTrimmed(since: view) }) {
          attempts += 1
          if attempts == Inspector.attempts { throw inspector.busy }
          continue
        }
        // A damaged snapshot may have an older one before it.
        damage = damage ?? error
        skipping += 1
        if skipping == 4 { break reading }
      } catch let error as QueryError {
        throw error
      } catch {
        // Without the damaged snapshots the revision may be out of reach.
        if damage != nil { break reading }
        throw PersistenceError(.inspecting, path: inspector.path.file, wrapping: error)
      }
    }
    throw PersistenceError(
      .inspecting,
      path: inspector.path.file,
      wrapping: damage ?? CorruptionError("its entities cannot be read")
    )
  }
}
