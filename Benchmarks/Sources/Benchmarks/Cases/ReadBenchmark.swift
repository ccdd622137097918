import Strata

/// Looks up users by ID, and iterates over all users.
struct ReadBenchmark: Benchmark {
  let count: Int

  var name: String { "read" }

  func run(_ plan: Plan) async throws -> [Line] {
    let table = EntityTable(Users.make(count))
    let dictionary = Dictionary(
      uniqueKeysWithValues: Users.makePlain(count).map { ($0.id, $0) }
    )
    return [await lookups(table, dictionary, plan), await iteration(table, dictionary, plan)]
  }

  private func lookups(
    _ table: EntityTable<User>,
    _ dictionary: [Int64: PlainUser],
    _ plan: Plan
  ) async -> Line {
    var numbers = RandomNumbers(below: count)
    let chosen = (0..<plan.repetitions(200_000)).map { _ in numbers.next() }
    let pairs = await plan.rounds.alternate(
      ours: {
        nanoseconds(per: chosen.count) {
          var sum = 0
          for number in chosen { sum &+= table[User.ID(number)]?.age ?? 0 }
          consumeResult(sum)
        }
      },
      peer: {
        nanoseconds(per: chosen.count) {
          var sum = 0
          for number in chosen { sum &+= dictionary[number]?.age ?? 0 }
          consumeResult(sum)
        }
      }
    )
    return Line(
      id: "memory.lookup",
      section: .inMemory,
      work: "look up a user by ID, \(grouped(count)) users",
      peer: "Dictionary",
      comparison: .cost,
      goal: 2.5,
      pairs: pairs
    )
  }

  private func iteration(
    _ table: EntityTable<User>,
    _ dictionary: [Int64: PlainUser],
    _ plan: Plan
  ) async -> Line {
    let pairs = await plan.rounds.alternate(
      ours: {
        nanoseconds(per: count) {
          var sum = 0
          for user in table { sum &+= user.age }
          consumeResult(sum)
        }
      },
      peer: {
        nanoseconds(per: count) {
          var sum = 0
          for user in dictionary.values { sum &+= user.age }
          consumeResult(sum)
        }
      }
    )
    return Line(
      id: "memory.iterate",
      section: .inMemory,
      work: "iterate over \(grouped(count)) users, per user",
      peer: "Dictionary",
      comparison: .cost,
      goal: 2,
      pairs: pairs
    )
  }
}
