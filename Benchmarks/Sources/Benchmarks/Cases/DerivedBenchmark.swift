import Strata

/// A commit while there are many derived values that it does not change: through a key path, and through
/// a closure that reads a stored property.
struct DerivedBenchmark: Benchmark {
  let subscriptions: Int
  let count: Int

  let name = "derived"

  func run(_ plan: Plan) async throws -> [Line] {
    let quiet = UserStore(initialState: UserState(Users.make(count)))
    let byKeyPath = UserStore(initialState: UserState(Users.make(count)))
    let byClosure = UserStore(initialState: UserState(Users.make(count)))
    let followers = (0..<subscriptions).flatMap { number in
      [
        byKeyPath.derived(.map(\.title)).sinkValue { consumeResult($0.value) },
        byClosure.derived(.mapChanges { "\($0.title.count + number)" }).sinkValue {
          consumeResult($0.value)
        },
      ]
    }
    let lines = [
      await line(
        "key-path",
        "each of a stored property",
        plan,
        byKeyPath,
        beside: quiet,
        goal: 1.5
      ),
      await line("closure", "each of a closure", plan, byClosure, beside: quiet, goal: 2),
    ]
    consumeResult(followers)
    return lines
  }

  private func line(
    _ id: String,
    _ source: String,
    _ plan: Plan,
    _ followed: UserStore,
    beside quiet: UserStore,
    goal: Double
  ) async -> Line {
    var numbers = RandomNumbers(below: count)
    let chosen = (0..<plan.repetitions(2_000)).map { _ in numbers.next() }
    let pairs = await plan.rounds.alternate(
      ours: {
        nanoseconds(per: chosen.count) { for number in chosen { followed.commitUpdate(number) } }
      },
      peer: {
        nanoseconds(per: chosen.count) { for number in chosen { quiet.commitUpdate(number) } }
      }
    )
    return Line(
      id: "memory.derived.\(id)",
      section: .inMemory,
      work: "commit with \(grouped(subscriptions)) unaffected derived values, \(source)",
      peer: "without derived values",
      comparison: .cost,
      goal: goal,
      pairs: pairs
    )
  }
}
