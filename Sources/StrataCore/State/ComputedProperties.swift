import StrataBase

/// The computed properties of one state in one place, and the results of each.
final class ComputedProperties<State: ExtendedStateType>: Sendable {
  private let extended = State.Extended()
  /// By the identity of the property, which `extended` holds.
  private let results = Lock<[ObjectIdentifier: any Sendable]>([:])

  /// The property at this version: a stored result, or one computed now.
  func value<Output: Sendable>(
    _ path: KeyPath<State.Extended, StateField<State>.Computed<Output>>,
    at changes: Changes<State>
  ) -> Output {
    let property = extended[keyPath: path]
    return storedResults(of: property, at: path).value(of: property, at: changes)
  }

  private func storedResults<Output: Sendable>(
    of property: StateField<State>.Computed<Output>,
    at path: KeyPath<State.Extended, StateField<State>.Computed<Output>>
  ) -> ComputedResults<State, Output> {
    let key = ObjectIdentifier(property.identity)
    let known = results.withLock { $0[key] as? ComputedResults<State, Output> }
    if let known { return known }
    // A getter makes another property on each read, whose results nothing could find again.
    guard extended[keyPath: path].identity === property.identity else {
      preconditionFailure(
        """
        A Field.Computed of \(State.Extended.self) is made by a getter, so it is another property on \
        each read. Declare it with let, without braces after its type.
        """
      )
    }
    return results.withLock { results in
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
    /// The edit that it was computed from, and how often stages had written to it; not the place, whose memory holds the
    /// results.
    let edit: (number: UInt64, writes: UInt64)?
    let output: Output
    let holds: StateField<State>.Computed<Output>.Check
  }

  /// Held because the identity must not pass to another object.
  private let identity: StateField<State>.Computed<Output>.Identity
  /// The result used last, then the one before it; and the last one that an edit has computed.
  private let results = Lock<(kept: [Result], edited: Result?)>(
    ([], nil),
    reentryRemedy: "A computed property reads itself: compute it from the state alone."
  )

  init(keeping identity: StateField<State>.Computed<Output>.Identity) { self.identity = identity }

  /// The lock is held while the closure computes, so that all other callers wait for it.
  func value(
    of property: StateField<State>.Computed<Output>,
    at changes: Changes<State>
  ) -> Output {
    results.withLock { results in
      let place = changes.computedPlace
      let isInEdit = place?.isInEdit == true
      if !isInEdit, let known = results.kept.firstIndex(where: { $0.version == changes.version }) {
        if known > 0 { results.kept.swapAt(0, known) }
        return results.kept[0].output
      }
      var result: Result
      if let place, let edited = results.edited, let edit = edited.edit,
        edit == (place.edit, place.writes)
      {
        result = edited
      } else if let known = results.kept.firstIndex(where: { $0.holds(changes) }) {
        // An edit may be refused, so it leaves what is kept as it is.
        if isInEdit { return results.kept[known].output }
        result = results.kept.remove(at: known)
      } else {
        result = Result(
          version: changes.version,
          edit: place.map { ($0.edit, $0.writes) },
          output: property.compute(changes),
          holds: property.check(from: changes)
        )
      }
      if isInEdit {
        results.edited = result
      } else {
        result.version = changes.version
        results.kept = [result] + results.kept.prefix(1)
      }
      return result.output
    }
  }
}
