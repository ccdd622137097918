import Strata

/// A commit of one update or one insert while an older copy of the state is retained.
struct CommitBenchmark: Benchmark {
  let count: Int

  var name: String { "commit-\(count)" }

  func run(_ plan: Plan) async throws -> [Line] {
    let store = UserStore(initialState: UserState(Users.make(count)))
    let peer = DictionaryStore(Users.makePlain(count))
    return [
      await updates(store, peer, plan),
      await inserts(store, peer, plan),
    ]
  }

  /// Each commit of the peer copies the dictionary, so it has fewer repetitions.
  private var peerRepetitions: Int { max(1, 200_000 / count) }

  private func updates(_ store: UserStore, _ peer: DictionaryStore, _ plan: Plan) async -> Line {
    var numbers = RandomNumbers(below: count)
    var kept = store.state
    let pairs = await plan.rounds.alternate(
      ours: {
        let chosen = (0..<plan.repetitions(5_000)).map { _ in numbers.next() }
        return nanoseconds(per: chosen.count) {
          for number in chosen {
            kept = store.state
            store.commitUpdate(number)
          }
        }
      },
      peer: {
        let chosen = (0..<plan.repetitions(peerRepetitions)).map { _ in numbers.next() }
        return nanoseconds(per: chosen.count) {
          for number in chosen { peer.commit { $0[number]?.age += 1 } }
        }
      }
    )
    consumeResult(kept)
    return Line(
      id: "memory.update.\(count)",
      section: .inMemory,
      work: "commit one update, \(grouped(count)) users, old copy retained",
      peer: "Dictionary store",
      comparison: .advantage,
      goal: count == 100_000 ? 10_000 : nil,
      pairs: pairs
    )
  }

  private func inserts(_ store: UserStore, _ peer: DictionaryStore, _ plan: Plan) async -> Line {
    var number = Int64(count)
    var kept = store.state
    let pairs = await plan.rounds.alternate(
      ours: {
        let users = (0..<Int64(plan.repetitions(2_000))).map { Users.make(number + $0) }
        number += Int64(users.count)
        let cost = nanoseconds(per: users.count) {
          for user in users {
            kept = store.state
            store.commit { $0.db.users.insert(user) }
          }
        }
        store.commit { $0.db.users.remove(in: users.map(\.id)) }
        return cost
      },
      peer: {
        let users = (0..<Int64(plan.repetitions(peerRepetitions))).map {
          PlainUser(Users.make(number + $0))
        }
        number += Int64(users.count)
        let cost = nanoseconds(per: users.count) {
          for user in users { peer.commit { $0[user.id] = user } }
        }
        peer.commit { for user in users { $0[user.id] = nil } }
        return cost
      }
    )
    consumeResult(kept)
    return Line(
      id: "memory.insert.\(count)",
      section: .inMemory,
      work: "commit one insert, \(grouped(count)) users, old copy retained",
      peer: "Dictionary store",
      comparison: .advantage,
      pairs: pairs
    )
  }
}
