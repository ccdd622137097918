import Foundation
import StrataJournal
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

  private var commits: RecentCommits
  private var newest: Database?

  init(_ policy: RecentStatePolicy) { commits = RecentCommits(policy) }

  /// How many states there are.
  var count: Int { commits.count }

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
    commits.makeRoom(for: changes)
    newest = database
    commits.add(
      at: revision,
      changes: changes,
      values: values,
      time,
      inverse: count > 0 ? inverse() : ChangeSet()
    )
  }

  /// Forgets all states but the newest.
  mutating func forgetEarlier() { commits.forgetEarlier() }

  /// The state at a revision, if it is kept.
  ///
  /// O(changes since · log n).
  func contents(at revision: Revision) -> Contents? {
    guard var database = newest else { return nil }
    for commit in commits.newestFirst {
      if commit.revision == revision { return Contents(database: database, values: commit.values) }
      database.apply(commit.inverse)
    }
    return nil
  }
}

/// What leads back over the last commits.
///
/// Apart from the states: a commit adds to it, and code for any database would be several times as slow.
private struct RecentCommits: Sendable {
  struct Entry {
    let revision: Revision
    /// What leads from the state after this commit to the one before it.
    let inverse: ChangeSet
    /// How many entities and values it changed.
    let changes: Int
    /// The persisted values after it.
    let values: ChangeSet
    let time: Date
  }

  let policy: RecentStatePolicy
  /// The oldest is at `first`; the places before it are empty.
  private var entries: [Entry?] = []
  private var first = 0
  /// The changes of all entries but the oldest.
  private var changes = 0
  /// The persisted values after the last commit.
  private var values = ChangeSet()

  init(_ policy: RecentStatePolicy) { self.policy = policy }

  var count: Int { entries.count - first }
  var newestFirst: some Sequence<Entry> { entries[first...].reversed().lazy.compactMap { $0 } }

  /// Removes all, if a commit of so many changes leaves none of them within the policy.
  mutating func makeRoom(for changes: Int) {
    guard changes > policy.changes || policy.count == 1 else { return }
    entries = []
    (first, self.changes) = (0, 0)
  }

  mutating func add(
    at revision: Revision,
    changes: Int,
    values: ChangeSet,
    _ time: Date,
    inverse: ChangeSet
  ) {
    if count > 0 { self.changes += changes }
    if !values.isEmpty { self.values = self.values.merging(values) }
    entries.append(
      Entry(
        revision: revision,
        inverse: inverse,
        changes: changes,
        values: self.values,
        time: time
      )
    )
    trim(at: time)
  }

  /// Removes all but the last.
  mutating func forgetEarlier() {
    guard let last = entries.last ?? nil else { return }
    entries = [
      Entry(
        revision: last.revision,
        inverse: ChangeSet(),
        changes: last.changes,
        values: last.values,
        time: last.time
      )
    ]
    (first, changes) = (0, 0)
  }

  private mutating func trim(at time: Date) {
    while count > 1, let oldest = entries[first]?.time {
      let isOld = .seconds(time.timeIntervalSince(oldest)) > policy.age
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
