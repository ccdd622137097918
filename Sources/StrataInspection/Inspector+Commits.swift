package import StrataJournal
import StrataRecords

extension Inspector {
  /// The commits before a revision, newest first; nil for those up to the head.
  ///
  /// O(limit). Their changes are not read, and their hashes are not verified: ``log(_:)`` does both.
  package func commits(
    before revision: Revision? = nil,
    limit: Int
  ) throws(PersistenceError) -> [DeltaSummary] {
    try query { view in
      let end = min(revision ?? view.last.revision.next, view.last.revision.next)
      return try view.journal.headers(before: end, limit: limit).map { try DeltaSummary($0.header) }
    }
  }

  /// The commit of a revision, from its header alone.
  ///
  /// - Throws: `.notReached` after the last revision, `.trimmed` before the journal.
  package func commit(
    at expression: RevisionExpression
  ) throws(PersistenceError) -> DeltaSummary {
    try query { view in
      let revision = try view.revision(of: expression)
      guard revision <= view.last.revision else {
        throw PersistenceError.Reason.notReached(revision, last: view.last.revision)
      }
      let header = try view.journal.headers(after: revision.previous, limit: 1).first?.header
      guard let header, header.first <= revision else {
        throw PersistenceError.Reason.trimmed(revision, oldest: view.startOfJournal.next)
      }
      return try DeltaSummary(header)
    }
  }
}

/// What the commits of a name and a place changed in a table.
package struct CommitActivity: Sendable, Equatable {
  package let name: String
  package let place: String
  package let table: String
  /// Who wanted the commits; nil if they do not say so, or if users are not counted.
  package let user: String?
  package var commits = 0
  package var changes = 0
  /// The bytes of the records that were put.
  package var bytes = 0
}

/// What commits changed, by name, place, table and user.
package struct ActivityPage: Sendable, Equatable {
  /// Those with the most changes first.
  package var activities: [CommitActivity] = []
  /// The revisions that were counted: those after `after`, up to `through`.
  package let after: Revision
  package let through: Revision
  /// The number of deltas.
  package var deltas = 0
  /// Whether there were too many names: further ones are counted under the name `…`.
  package var isCut = false
}

extension Inspector {
  /// Whether activity is counted for each user.
  package enum ActivityUsers: Sendable {
    case byUser, apartFromUsers
  }

  /// Counts what the last commits up to a revision changed, by name, place, table and user.
  ///
  /// O(entries of these deltas), in the memory of at most 2,000 rows. Merged commits count for the user of
  /// the first one.
  package func activity(
    last count: Int,
    until expression: RevisionExpression = .head(back: 0),
    _ users: ActivityUsers = .byUser
  ) throws(PersistenceError) -> ActivityPage {
    try query { view in
      struct Key: Hashable {
        let name: String
        let place: String
        let table: String
        let user: String?
      }
      let end = min(try view.revision(of: expression), view.last.revision)
      let wanted = max(view.startOfJournal.number, end.number - Int64(count))
      let first = try view.journal.headers(after: Revision(wanted), limit: 1).first?.header
      let start = min(first?.first.previous ?? end, end)
      var page = ActivityPage(after: start, through: end)
      guard start < end else { return page }
      var rows: [Key: CommitActivity] = [:]
      var changes = try view.changes(after: start)
      while changes.revision < end, let (header, blocks) = try changes.next() {
        guard header.revision <= end else { break }
        page.deltas += 1
        let user = users == .byUser ? try header.contexts().contexts.first?.user : nil
        var touched: Set<String> = []
        for block in blocks {
          for entry in block.entries {
            let table = block.table(of: entry)
            var key = Key(name: header.name, place: header.place, table: table, user: user)
            if rows[key] == nil, rows.count >= 2_000 {
              key = Key(name: "…", place: "", table: table, user: nil)
              page.isCut = true
            }
            var row =
              rows[key]
              ?? CommitActivity(name: key.name, place: key.place, table: key.table, user: key.user)
            if touched.insert(table).inserted { row.commits += 1 }
            switch entry.change {
            case .put(_, let record):
              row.changes += 1
              row.bytes += record.count
            case .remove: row.changes += 1
            case .notPersisted: break
            }
            rows[key] = row
          }
        }
      }
      page.activities = rows.values.sorted { a, b in
        if a.changes != b.changes { return a.changes > b.changes }
        return (a.name, a.place, a.table, a.user ?? "") < (b.name, b.place, b.table, b.user ?? "")
      }
      return page
    }
  }
}
