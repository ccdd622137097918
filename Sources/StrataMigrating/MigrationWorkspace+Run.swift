import StrataJournal

/// What a run asks of the workspace as a whole, beside its steps.
extension MigrationWorkspace {
  /// Makes a table what it was in another state of the file.
  func restore(_ table: String, from state: EntityState) throws {
    var (then, now) = (state.scan(table), before(table))
    var (wanted, present) = (try then.next(), try now.next())
    while wanted != nil || present != nil {
      if let entity = present,
        wanted.map({ entity.id.lexicographicallyPrecedes($0.id) }) ?? true
      {
        try removeKnown(Array(entity.id), from: table)
        present = try now.next()
      } else if let entity = wanted {
        let isThere = present?.id == entity.id
        if present != entity {
          try put(
            (entity.layout, Array(entity.record)),
            id: Array(entity.id),
            movedFrom: nil,
            in: table
          )
        }
        if isThere { present = try now.next() }
        wanted = try then.next()
      }
    }
  }

  /// How many of the records that builds without a migration have written are there, by table.
  func countStragglers(of migration: Int, in tables: Set<String>) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for table in tables {
      var scan = scan(table, .stragglers(of: migration))
      while try scan.next() != nil { counts[table, default: 0] += 1 }
    }
    return counts
  }
}
