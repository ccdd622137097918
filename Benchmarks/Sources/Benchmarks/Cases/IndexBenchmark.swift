import Strata

/// An insert into a table with a group index, by the number of groups, while an older copy is kept.
struct IndexBenchmark: Benchmark {
  let count: Int
  let few: Int
  let many: Int

  let name = "index"

  func run(_ plan: Plan) async throws -> [Line] {
    let repetitions = plan.repetitions(5_000)
    let inFew = table(groups: few)
    let inMany = table(groups: many)
    let loose = EntityTable(
      (0..<Int64(count)).map { Loose(id: EntityID($0), folder: 0, title: "document \($0)") }
    )
    let groups = await plan.rounds.alternate(
      ours: { insert(into: inMany, groups: many, repetitions) },
      peer: { insert(into: inFew, groups: few, repetitions) }
    )
    let index = await plan.rounds.alternate(
      ours: { insert(into: inMany, groups: many, repetitions) },
      peer: { insert(into: loose, repetitions) }
    )
    return [
      Line(
        id: "memory.index.groups",
        section: .inMemory,
        work: "insert into \(grouped(count)) rows in \(grouped(many)) groups, old copy kept",
        peer: "itself in \(grouped(few)) groups",
        comparison: .cost,
        goal: 2,
        pairs: groups
      ),
      Line(
        id: "memory.index.upkeep",
        section: .inMemory,
        work: "insert into \(grouped(count)) rows in \(grouped(many)) groups, old copy kept",
        peer: "a table without an index",
        comparison: .cost,
        pairs: index
      ),
    ]
  }

  private func table(groups: Int) -> EntityTable<Filed> {
    var random = SplitMix(seed: 3)
    return EntityTable(
      (0..<Int64(count)).map {
        Filed(
          id: EntityID($0),
          folder: Int(random.next() % UInt64(groups)),
          title: "document \($0)"
        )
      }
    )
  }

  private func insert(
    into start: EntityTable<Filed>,
    groups: Int,
    _ repetitions: Int
  ) -> Double {
    var random = SplitMix(seed: 4)
    let entities = (0..<Int64(repetitions)).map {
      Filed(
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

  private func insert(into start: EntityTable<Loose>, _ repetitions: Int) -> Double {
    let entities = (0..<Int64(repetitions)).map {
      Loose(id: EntityID(Int64(count) + $0), folder: 0, title: "new document")
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
