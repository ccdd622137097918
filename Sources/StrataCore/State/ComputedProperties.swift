import StrataBase

/// The computed properties of one state in one place, and the results of each.
final class ComputedProperties<State: ExtendedStateType>: Sendable {
  private let extended = State.Extended()
  /// By the identity of the property, which `extended` holds.
  private let results = Lock<[ObjectIdentifier: any Sendable]>([:])

  /// The property at this version: a stored result, or one computed now.
  func value<Output: Sendable>(
    _ property: KeyPath<State.Extended, StateField<State>.Computed<Output>>,
    at changes: Changes<State>
  ) -> Output {
    let property = extended[keyPath: property]
    return storedResults(of: property).value(of: property, at: changes)
  }

  private func storedResults<Output: Sendable>(
    of property: StateField<State>.Computed<Output>
  ) -> ComputedResults<State, Output> {
    results.withLock { results in
      let key = ObjectIdentifier(property.identity)
      if let known = results[key] as? ComputedResults<State, Output> { return known }
      let fresh = ComputedResults<State, Output>(keeping: property.identity)
      results[key] = fresh
      return fresh
    }
  }
}

/// The last results of one property.
final class ComputedResults<State: ExtendedStateType, Output: Sendable>: Sendable {
  private struct Result: Sendable {
    var version: UInt64
    let output: Output
    let checks: [StateField<State>.Computed<Output>.Check]

    func holds(for changes: Changes<State>) -> Bool {
      checks.contains { $0(changes) }
    }
  }

  /// Held because a property created on the fly has no other owner, and its identity must not pass to
  /// another object.
  private let identity: StateField<State>.Computed<Output>.Identity
  /// The result used last, then the one before it.
  private let results = Lock<[Result]>(
    [],
    reentryRemedy: "A computed property reads itself: compute it from the state alone."
  )

  init(keeping identity: StateField<State>.Computed<Output>.Identity) { self.identity = identity }

  /// The lock is held while the closure computes, so that all other callers wait for it.
  func value(
    of property: StateField<State>.Computed<Output>,
    at changes: Changes<State>
  ) -> Output {
    results.withLock { results in
      let known =
        results.firstIndex { $0.version == changes.version }
        ?? results.firstIndex { $0.holds(for: changes) }
      var result: Result
      if let known {
        result = results.remove(at: known)
      } else {
        result = Result(
          version: changes.version,
          output: property.compute(changes),
          checks: property.filters.map { $0(changes) }
        )
      }
      result.version = changes.version
      results = [result] + results.prefix(1)
      return result.output
    }
  }
}
