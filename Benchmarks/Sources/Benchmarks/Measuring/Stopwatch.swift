/// Measures some work, in nanoseconds per repetition.
func nanoseconds(per count: Int, _ work: () throws -> Void) rethrows -> Double {
  let clock = ContinuousClock()
  let start = clock.now
  try work()
  return (clock.now - start).nanoseconds / Double(count)
}

/// Measures asynchronous work, in nanoseconds per repetition.
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

/// Prevents the optimizer from removing work whose result is not used.
@inline(never)
@_optimize(none)
func consumeResult<Value>(_ value: Value) {}
