/// How long something took, in nanoseconds for each of `count` repetitions.
func nanoseconds(per count: Int, _ work: () throws -> Void) rethrows -> Double {
  let clock = ContinuousClock()
  let start = clock.now
  try work()
  return (clock.now - start).nanoseconds / Double(count)
}

/// The same for work that suspends.
func nanoseconds(per count: Int, _ work: () async throws -> Void) async rethrows -> Double {
  let clock = ContinuousClock()
  let start = clock.now
  try await work()
  return (clock.now - start).nanoseconds / Double(count)
}

extension Duration {
  var nanoseconds: Double {
    Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
  }
}

/// Keeps the optimiser from dropping work whose result nobody uses.
@inline(never)
@_optimize(none)
func consumeResult<Value>(_ value: Value) {}
