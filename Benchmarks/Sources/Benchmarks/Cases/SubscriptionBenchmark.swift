import Strata

/// A commit while there are many subscriptions to one user each, of which it changes one or none.
struct SubscriptionBenchmark: Benchmark {
  let subscriptions: Int
  let count: Int

  var name: String { "subscriptions-\(subscriptions)" }

  func run(_ plan: Plan) async throws -> [Line] {
    let quiet = UserStore(initialState: UserState(Users.make(count)))
    let watched = UserStore(initialState: UserState(Users.make(count)))
    let watchers = (0..<Int64(min(subscriptions, count / 2))).map { watch(watched, $0) }
    let unwatched = (count / 2)..<count
    let lines = [
      await line(plan, quiet, watched, changed: "one", in: 0..<watchers.count),
      await line(plan, quiet, watched, changed: "none", in: unwatched),
    ]
    consumeResult(watchers)
    return lines
  }

  private func watch(_ store: UserStore, _ number: Int64) -> StoreSubscription {
    store.derived(from: User.ID(number), in: \.db.users).sinkValue(first: .nextCommit) { changes in
      consumeResult(changes.value)
    }
  }

  private func line(
    _ plan: Plan,
    _ quiet: UserStore,
    _ watched: UserStore,
    changed: String,
    in range: Range<Int>
  ) async -> Line {
    let repetitions = plan.repetitions(5_000)
    var random = SplitMix(seed: 5)
    let chosen = (0..<repetitions).map { _ in
      Int64(range.lowerBound) + Int64(random.next() % UInt64(range.count))
    }
    let pairs = await plan.rounds.alternate(
      ours: {
        nanoseconds(per: repetitions) { for number in chosen { watched.commitUpdate(number) } }
      },
      peer: {
        nanoseconds(per: repetitions) { for number in chosen { quiet.commitUpdate(number) } }
      }
    )
    return Line(
      id: "memory.subscriptions.\(subscriptions).\(changed)",
      section: .inMemory,
      work:
        "commit with \(grouped(subscriptions)) subscriptions to a user each, \(changed) changed",
      peer: "without subscriptions",
      comparison: .cost,
      goal: subscriptions == 10_000 ? 1.5 : nil,
      pairs: pairs
    )
  }
}
