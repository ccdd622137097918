import StrataRecords

/// The keys that entities had before migrations gave them other IDs, or their tables other names.
package struct EntityMoves {
  private struct Move {
    let revision: Revision
    let key: EntityKey
  }

  /// The keys that entities got, by those that they had; the first move first.
  private var moves: [EntityKey: [Move]] = [:]
  /// The other tables that the entities were in.
  package private(set) var formerTables: Set<String> = []

  package var isEmpty: Bool { moves.isEmpty }

  /// Reads the deltas of migrations after a revision; O(changes of those that move entities of the table).
  ///
  /// - Parameter table: The table that the entities are in in the end; nil for all.
  package init(
    into table: String?,
    in view: ReadView,
    after start: Revision,
    through end: Revision
  ) throws {
    var tables = table.map { Set([$0]) } ?? view.allTables
    var headers: [DeltaHeader] = []
    var last = start
    while true {
      let page = try view.journal.migrationHeaders(after: last, through: end, limit: 256)
      guard let header = page.last?.header else { break }
      headers += page.map(\.header)
      last = header.revision
    }
    // From the newest on: an earlier one may have moved them into a table that they were in then.
    for header in headers.reversed() {
      var replay = try view.changes(after: header.first.previous)
      guard let (_, blocks) = try replay.next() else { break }
      let before = tables
      for block in blocks where !before.isDisjoint(with: block.tables) {
        for entry in block.entries {
          guard let former = block.former(of: entry), before.contains(block.table(of: entry)) else {
            continue
          }
          moves[former, default: []].insert(
            Move(revision: header.revision, key: block.key(of: entry)),
            at: 0
          )
          tables.insert(former.table)
        }
      }
    }
    formerTables = table.map { tables.subtracting([$0]) } ?? []
  }

  /// The key that an entity has in the end which had another one at a revision.
  package func key(of key: EntityKey, at revision: Revision) -> EntityKey {
    var (key, revision) = (key, revision)
    while let move = moves[key]?.first(where: { $0.revision > revision }) {
      (key, revision) = (move.key, move.revision)
    }
    return key
  }

  /// Whether an entity got another key with the delta of a revision.
  package func isMoved(_ key: EntityKey, at revision: Revision) -> Bool {
    moves[key]?.contains { $0.revision == revision } ?? false
  }

  /// The last move of what had a key; nil if none had it when it was moved.
  package func lastMove(of key: EntityKey) -> (revision: Revision, key: EntityKey)? {
    moves[key]?.last.map { ($0.revision, $0.key) }
  }

  /// The keys of entities at each revision: those from `start` on hold up to the start of the next.
  ///
  /// From the last revision back, an entity has the key that it had before each move. A key that another entity had is not
  /// among them as long as it had it.
  package func spans(of keys: Set<EntityKey>) -> [(start: Revision, keys: Set<EntityKey>)] {
    var byRevision: [Revision: [(former: EntityKey, key: EntityKey)]] = [:]
    for (former, moves) in moves {
      for move in moves { byRevision[move.revision, default: []].append((former, move.key)) }
    }
    var spans: [(start: Revision, keys: Set<EntityKey>)] = []
    var keys = keys
    for (revision, moves) in byRevision.sorted(by: { $0.key > $1.key }) {
      let own = moves.filter { keys.contains($0.key) }.map(\.former)
      let others = moves.filter { !keys.contains($0.key) }.map(\.former)
      let before = keys.union(own).subtracting(others)
      if before == keys { continue }
      spans.append((revision, keys))
      keys = before
    }
    spans.append((0, keys))
    return spans.reversed()
  }

  /// The keys that entities with one of these keys have had before, and these.
  package func formerKeys(of keys: Set<EntityKey>) -> Set<EntityKey> {
    var all = keys
    var isComplete = false
    while !isComplete {
      isComplete = true
      for (former, moves) in moves where !all.contains(former) {
        guard moves.contains(where: { all.contains($0.key) }) else { continue }
        all.insert(former)
        isComplete = false
      }
    }
    return all
  }
}
