import Strata

/// An insert into a table with a group index, by the number of groups, while an older copy is retained.
struct IndexBenchmark: Benchmark {
  let count: Int
  let few: Int
  let many: Int

  let name = "index"

  func run(_ plan: Plan) async throws -> [Line] {
    let repetitions = plan.repetitions(5_000)
    let inFew = table(groups: few)
    let inMany = table(groups: many)
    let unindexed = EntityTable(
      (0..<Int64(count)).map {
        UnindexedDocument(id: EntityID($0), folder: 0, title: "document \($0)")
      }
    )
    let groups = await plan.rounds.alternate(
      ours: { insert(into: inMany, groups: many, repetitions) },
      peer: { insert(into: inFew, groups: few, repetitions) }
    )
    let index = await plan.rounds.alternate(
      ours: { insert(into: inMany, groups: many, repetitions) },
      peer: { insert(into: unindexed, repetitions) }
    )
    return [
      Line(
        id: "memory.index.groups",
        section: .inMemory,
        work: "insert into \(grouped(count)) rows in \(grouped(many)) groups, old copy retained",
        peer: "the same in \(grouped(few)) groups",
        comparison: .cost,
        goal: 2,
        pairs: groups
      ),
      Line(
        id: "memory.index.upkeep",
        section: .inMemory,
        work: "insert into \(grouped(count)) rows in \(grouped(many)) groups, old copy retained",
        peer: "a table without an index",
        comparison: .cost,
        pairs: index
      ),
    ]
  }

  private func table(groups: Int) -> EntityTable<IndexedDocument> {
    var random = SplitMix(seed: 3)
    return EntityTable(
      (0..<Int64(count)).map {
        IndexedDocument(
          id: EntityID($0),
          folder: Int(random.next() % UInt64(groups)),
          title: "document \($0)"
        )
      }
    )
  }

  private func insert(
    into start: EntityTable<IndexedDocument>,
    groups: Int,
    _ repetitions: Int
  ) -> Double {
    var random = SplitMix(seed: 4)
    let entities = (0..<Int64(repetitions)).map {
      IndexedDocument(
        id: EntityID(Int64(count) + $0),
        folder: Int(random.next() % UInt64(groups)),
        title: "new document"
      )
    }
    var (table, kept) = (start, start)
    let cost = nanoseconds(per: repetitions) {
      for entity in entities {
        kept = table
        table.insert(entity)
      }
    }
    consumeResult(kept)
    return cost
  }

  private func insert(into start: EntityTable<UnindexedDocument>, _ repetitions: Int) -> Double {
    let entities = (0..<Int64(repetitions)).map {
      UnindexedDocument(id: EntityID(Int64(count) + $0), folder: 0, title: "new document")
    }
    var (table, kept) = (start, start)
    let cost = nanoseconds(per: repetitions) {
      for entity in entities {
        kept = table
        table.insert(entity)
      }
    }
    consumeResult(kept)
    return cost
  }
}
