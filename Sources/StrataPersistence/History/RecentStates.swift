import Foundation
import StrataNormalization
import StrataStorage

/// The last states of a database in memory, by their revisions.
///
/// Database values share what did not change, so that holding one costs what was replaced since.
struct RecentStates<Database: DatabaseType>: Sendable {
  /// What a store had at a revision.
  struct Contents: Sendable {
    let database: Database
    /// The persisted values.
    let values: ChangeSet
  }

  private struct Entry {
    let revision: Revision
    let contents: Contents
    /// How many entities differ from the entry before it.
    let changes: Int
    let time: Date
  }

  private let policy: RecentStatePolicy
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
  ///   - changes: How many entities the commit changed.
  ///   - values: The persisted values that it changed; the others stay as in the entry before.
  mutating func add(
    _ database: Database,
    at revision: Revision,
    changes: Int,
    values: ChangeSet,
    _ time: Date
  ) {
    let before = entries.last??.contents.values ?? ChangeSet()
    let contents = Contents(
      database: database,
      values: values.isEmpty ? before : before.merging(values)
    )
    if count > 0 { self.changes += changes }
    entries.append(
      Entry(revision: revision, contents: contents, changes: changes, time: time)
    )
    trim(at: time)
  }

  /// The state at a revision, if it is kept.
  func contents(at revision: Revision) -> Contents? {
    entries[first...].first { $0?.revision == revision }??.contents
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
