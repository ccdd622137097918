import CBenchmarks
import Strata

/// The memory of a user in a table, including its strings and arrays.
struct MemoryBenchmark: Benchmark {
  let count: Int

  let name = "memory"

  func run(_ plan: Plan) async throws -> [Line] {
    var pairs = Pairs()
    let ours = bytesEach { EntityTable((0..<Int64(count)).lazy.map { Users.make($0) }) }
    let theirs = bytesEach {
      var dictionary: [Int64: PlainUser] = [:]
      for number in 0..<Int64(count) { dictionary[number] = PlainUser(Users.make(number)) }
      return dictionary
    }
    pairs.add(ours: ours, peer: theirs)
    return [
      Line(
        id: "stored.memory",
        section: .stored,
        work: "bytes in memory per user, \(grouped(count)) users",
        peer: "Dictionary",
        unit: .bytes,
        comparison: .cost,
        pairs: pairs
      )
    ]
  }

  private func bytesEach<Value>(_ make: () -> Value) -> Double {
    let before = benchmark_heap_bytes()
    let value = make()
    let after = benchmark_heap_bytes()
    consumeResult(value)
    return Double(after - before) / Double(count)
  }
}
