import Foundation
import StrataNormalization
import StrataStorage

/// The last states of a database in memory, by their revisions.
///
/// The newest is there as a value; for each one before it, there are the changes that lead back to it.
/// Keeping the states themselves would cost more: the nodes that only an old state holds share children
/// with newer ones, and to free them long after their commit is to fetch all of these into the caches.
struct RecentStates<Database: DatabaseType>: Sendable {
  /// What a store had at a revision.
  struct Contents: Sendable {
    var database: Database
    /// The persisted values.
    let values: ChangeSet
  }

  private struct Entry {
    let revision: Revision
    /// What leads from this state to the one before it.
    let inverse: ChangeSet
    /// How many entities and values differ from the state before it.
    let changes: Int
    /// The persisted values.
    let values: ChangeSet
    let time: Date
  }

  private let policy: RecentStatePolicy
  private var newest: Database?
  /// The oldest is at `first`; the places before it are empty.
  private var entries: [Entry?] = []
  private var first = 0
  /// The changes of all entries but the oldest.
  private var changes = 0

  init(_ policy: RecentStatePolicy) { self.policy = policy }

  /// Whether anything is kept; constant.
  var isEnabled: Bool { policy.count > 0 }
  /// How many states there are.
  var count: Int { entries.count - first }

  /// Adds the state after a commit.
  ///
  /// - Parameters:
  ///   - changes: How many entities and values the commit changed.
  ///   - values: The persisted values that it changed; the others stay as in the state before.
  ///   - inverse: What leads from the new state to the one before; computed if that one is kept.
  mutating func add(
    _ database: Database,
    at revision: Revision,
    changes: Int,
    values: ChangeSet,
    _ time: Date,
    inverse: () -> ChangeSet
  ) {
    let before = entries.last??.values ?? ChangeSet()
    if changes > policy.changes || policy.count == 1 {
      entries = []
      (first, self.changes) = (0, 0)
    }
    newest = database
    if count > 0 { self.changes += changes }
    entries.append(
      Entry(
        revision: revision,
        inverse: count > 0 ? inverse() : ChangeSet(),
        changes: changes,
        values: values.isEmpty ? before : before.merging(values),
        time: time
      )
    )
    trim(at: time)
  }

  /// The state at a revision, if it is kept.
  ///
  /// O(changes since · log n).
  func contents(at revision: Revision) -> Contents? {
    guard var database = newest else { return nil }
    for case let entry? in entries[first...].reversed() {
      if entry.revision == revision { return Contents(database: database, values: entry.values) }
      database.apply(entry.inverse)
    }
    return nil
  }

  private mutating func trim(at time: Date) {
    while count > 1, let oldest = entries[first] {
      let isOld = .seconds(time.timeIntervalSince(oldest.time)) > policy.age
      guard count > policy.count || changes > policy.changes || isOld else { break }
      entries[first] = nil
      first += 1
      changes -= entries[first]?.changes ?? 0
    }
    if first > entries.count / 2 {
      entries.removeFirst(first)
      first = 0
    }
  }
}

extension SchemaTable {
  /// Copies the table of one database to another.
  func copy(from source: Database, to target: inout Database) {
    target[keyPath: path] = source[keyPath: path]
  }
}
