import StrataBase
import StrataRecords
import StrataSchema

/// The keys that entities had before migrations gave them other IDs, or their tables other names.
///
/// A delta has the entities that were there. One that was removed before its table was renamed has the table's new name with
/// its ID, under which it may come back: the ledger has the names of tables.
package struct EntityMoves {
  private struct Move: Hashable {
    let revision: Revision
    let key: EntityKey
  }

  /// The keys that entities got, by those that they had; the first move first.
  private var moves: [EntityKey: [Move]] = [:]
  /// The same without the keys that they had.
  private var arrivals: Set<Move> = []
  /// The names that tables got, the first first.
  private let renames: [DataLedger.TableRenames]
  /// The other tables that the entities were in.
  package private(set) var formerTables: Set<String> = []

  package var isEmpty: Bool { moves.isEmpty && renames.isEmpty }

  /// Reads the deltas of migrations after a revision; O(changes of those that move entities of the table).
  ///
  /// The names of tables are known also where such a delta was trimmed.
  ///
  /// - Parameter table: The table that the entities are in in the end; nil for all.
  package init(
    into table: String?,
    in view: ReadView,
    after start: Revision,
    through end: Revision
  ) throws {
    renames = try DataLedger.tableRenames(on: view.journal.connection)
      .filter { $0.revision > start.number && $0.revision <= end.number }
    var tables = table.map { Set([$0]) } ?? view.allTables
    var headers: [DeltaHeader] = []
    var last = start
    while true {
      let page = try view.journal.migrationHeaders(after: last, through: end, limit: 256)
      guard let header = page.last?.header else { break }
      headers += page.map(\.header)
      last = header.revision
    }
    var earlier = renames
    func addFormerNames(after revision: Revision) {
      while let last = earlier.last, last.revision > revision.number {
        for (former, name) in last.names where tables.contains(name) { tables.insert(former) }
        earlier.removeLast()
      }
    }
    // From the newest on: an earlier one may have moved them into a table that they were in then.
    for header in headers.reversed() {
      addFormerNames(after: header.revision)
      var replay = try view.changes(after: header.first.previous)
      guard let (_, blocks) = try replay.next() else { break }
      let before = tables
      for block in blocks where !before.isDisjoint(with: block.tables) {
        for entry in block.entries {
          guard let former = block.former(of: entry), before.contains(block.table(of: entry)) else {
            continue
          }
          let move = Move(revision: header.revision, key: block.key(of: entry))
          moves[former, default: []].insert(move, at: 0)
          arrivals.insert(move)
          tables.insert(former.table)
        }
      }
    }
    addFormerNames(after: start)
    formerTables = table.map { tables.subtracting([$0]) } ?? []
  }

  /// What was next with an entity that had a key at a revision: it was moved, or its table got another name.
  private func next(_ key: EntityKey, after revision: Revision) -> Move? {
    let move = moves[key]?.first { $0.revision > revision }
    let renames = renames.first { $0.revision > revision.number && $0.names[key.table] != nil }
    guard let renames, let table = renames.names[key.table],
      move.map({ $0.revision.number > renames.revision }) ?? true
    else { return move }
    let renamed = Move(
      revision: Revision(renames.revision),
      key: EntityKey(table: table, id: key.id)
    )
    // The migration may have given the key to another one.
    return arrivals.contains(renamed) ? nil : renamed
  }

  /// The key that an entity has in the end which had another one at a revision.
  package func key(of key: EntityKey, at revision: Revision) -> EntityKey {
    var (key, revision) = (key, revision)
    while let move = next(key, after: revision) {
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
    var last = moves[key]?.last
    let start = last?.revision ?? -1
    for renames in renames where renames.revision > start.number && renames.names[key.table] != nil
    {
      last = next(key, after: Revision(renames.revision - 1)) ?? last
    }
    return last.map { ($0.revision, $0.key) }
  }

  /// The keys of entities at each revision: those from `start` on hold up to the start of the next.
  ///
  /// From the last revision back, an entity has the key that it had before each move. A key that another entity had is not
  /// among them as long as it had it.
  package func spans(of keys: Set<EntityKey>) -> [(start: Revision, keys: Set<EntityKey>)] {
    var byRevision: [Revision: [(former: EntityKey, key: EntityKey)]] = [:]
    for renames in renames { byRevision[Revision(renames.revision)] = [] }
    for (former, moves) in moves {
      for move in moves { byRevision[move.revision, default: []].append((former, move.key)) }
    }
    var spans: [(start: Revision, keys: Set<EntityKey>)] = []
    var keys = keys
    for (revision, moves) in byRevision.inOrder(by: { $0.key > $1.key }) {
      let own = moves.filter { keys.contains($0.key) }.map(\.former)
      let others = moves.filter { !keys.contains($0.key) }.map(\.former)
      let names = renames.first { $0.revision == revision.number }?.names ?? [:]
      let renamed = names.flatMap { former, table in
        keys.filter { $0.table == table && !arrivals.contains(Move(revision: revision, key: $0)) }
          .map { EntityKey(table: former, id: $0.id) }
      }
      let before = keys.union(own).union(renamed).subtracting(others)
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
