import Foundation
import StrataBase
import StrataInspection
import StrataJournal
import StrataRecords
import StrataSQLite

/// What the tables of one query share: the view of the file, the revision, the remaining time.
final class QueryContext {
  /// How the tables of a query are read.
  enum Mode {
    /// One table, once: its rows are made as SQLite asks for them.
    case streamed
    /// Any number of tables, any number of times: each is copied into a private table at its first use.
    case materialised
  }

  let view: ReadView
  let revision: Revision
  var mode = Mode.streamed
  /// Whether tables may promise an order of their rows.
  var promisesOrder = true
  let rows: RowCache

  private let now: Date
  private let limit: Duration
  private let end: ContinuousClock.Instant
  private let skipping: Int
  private var states: [Revision: EntityState] = [:]
  private var calls: UInt8 = 0

  /// - Parameter skipping: How many snapshots are skipped because they are damaged.
  init(
    _ view: ReadView,
    at expression: RevisionExpression,
    now: Date,
    limit: Duration,
    until end: ContinuousClock.Instant,
    skipping: Int
  ) throws {
    self.view = view
    self.now = now
    self.limit = limit
    self.end = end
    self.skipping = skipping
    revision = try view.revision(of: expression)
    rows = try RowCache()
    try view.checkIsKept(revision)
  }

  /// Whether no time is left.
  var isOverTime: Bool { ContinuousClock.now >= end }

  /// Throws if no time is left; the clock is read at every 256th call only.
  @inline(__always)
  func checkTime() throws(QueryError) {
    calls &+= 1
    if calls == 0, isOverTime { throw .timeLimit(limit) }
  }

  /// The error for a statement that was interrupted.
  var timeError: QueryError { .timeLimit(limit) }

  /// The revision that an argument names: a number, or a text as `RevisionExpression` reads it.
  func revision(_ value: Value) throws -> Revision {
    switch value {
    case .integer(let number): return Revision(number)
    case .text(let text):
      let expression: RevisionExpression
      do throws(RevisionExpression.Unreadable) {
        expression = try RevisionExpression(text, now: now)
      } catch {
        throw QueryError.argument("\(error)")
      }
      return try view.revision(of: expression, head: self.revision)
    case .null, .real, .blob:
      throw QueryError.argument(
        "A revision is a number or a text, such as 42, 'HEAD~3' or '@yesterday'."
      )
    }
  }

  /// The entities at a revision; the changes since its snapshot are read once.
  func state(at revision: Revision) throws -> EntityState {
    if let state = states[revision] { return state }
    let state = try view.state(at: revision, skipping: skipping)
    states[revision] = state
    return state
  }

  /// The entities of a table at a revision that pass a filter.
  func scan(_ table: String, _ filter: EntityFilter, at revision: Revision) throws -> EntityScan {
    // What is read once does not need all changes in memory.
    if mode == .streamed {
      return try view.scan(table, filter, at: revision, skipping: skipping)
    }
    return try state(at: revision).scan(table, filter)
  }

  /// The deltas after a revision.
  func changes(after revision: Revision) throws -> JournalReplay {
    try view.changes(after: min(revision, view.last.revision))
  }

  /// Whether two records have the same contents, whatever their layouts.
  func areEqual(_ a: StoredEntity, _ b: StoredEntity) throws -> Bool {
    if a.layout == b.layout, a.record == b.record { return true }
    let members = try [a, b].map { entity in
      try view.catalog.members(entity.layout, entity.record, of: entity.table)
    }
    return members[0].sorted { $0.name < $1.name } == members[1].sorted { $0.name < $1.name }
  }
}

/// The rows did not come in the order that was promised: the query runs again without the promise.
struct OrderBroken: Error {}
