/// A value that follows a store: read only, computed from the state, delivered when it changes.
///
/// ```swift
/// let count: Derived<Int> = store.derived(.map(\.count))
/// count.value
/// let subscription = count.sinkChanges { changes in print(changes.value) }
/// ```
///
/// It is not a store: it has no state of its own and nothing can be committed to it.
///
/// **Reading** computes the value from the last committed state unless that is done already, so a
/// commit is seen here as soon as it is seen in `state`. **Subscribers** receive each new value once,
/// in the order of the commits, and nothing from a commit that leaves the value equal. However a
/// derived value is built from others, one commit makes at most one delivery, and none is half updated.
/// The `version` they receive is that of the store; it grows, with gaps.
///
/// **Cost.** A derived value without subscribers costs a commit nothing. Of those with subscribers, all
/// that read the same unchanged stored property are skipped by one comparison of its bytes, however
/// many they are, whether they read it through a key path or a closure. Those that read more than stored
/// properties are computed once per version each; see ``Pipeline``. A chain is computed only when its
/// input has changed. So for very many values of one table, derive the entities and chain from there.
///
/// **Lifetimes.** The store holds no derived value. A derived value holds those it is computed from and
/// the last state, but not the store. A subscription holds its derived value.
public final class Derived<Value: Sendable>: Sendable {
  let source: any DerivedSource<Value>

  init(_ source: any DerivedSource<Value>) { self.source = source }

  /// The value for the last committed state.
  ///
  /// O(1) when it was computed for this version already. Must not be read inside the closures it is
  /// computed with.
  public var value: Value { source.latest.value }
}

extension Derived {
  /// A value that never changes and belongs to no store, for code that takes a derived value.
  ///
  /// Its subscribers receive it once, at version 0, and its asynchronous sequences end after it. It can
  /// be chained, and combined with derived values of any store.
  public static func constant(_ value: Value) -> Derived { Derived(ConstantSource(value)) }
}

extension Derived {
  /// Two derived values of one store as one: `Derived.combined(a, b)`.
  ///
  /// Subscribers are notified once per commit if either has changed, and both are always of the same
  /// version. Derived values of two stores have no version in common: combining them traps. A constant
  /// can be combined with any.
  public static func combined<A: Sendable, B: Sendable>(
    _ a: Derived<A>,
    _ b: Derived<B>
  ) -> Derived<(A, B)> where Value == (A, B) {
    guard let source = a.source.paired(with: b, holding: a) else {
      fatalError(
        """
        Derived.combined was called with derived values of two stores, which share no version. \
        Commit one into the other's state with assign(to:), or keep both states in one store.
        """
      )
    }
    return Derived(source)
  }

  /// Three derived values of one store as one.
  public static func combined<A: Sendable, B: Sendable, C: Sendable>(
    _ a: Derived<A>,
    _ b: Derived<B>,
    _ c: Derived<C>
  ) -> Derived<(A, B, C)> where Value == (A, B, C) {
    let pairs = Derived<((A, B), C)>.combined(.combined(a, b), c)
    return pairs.chain(.map { ($0.0.0, $0.0.1, $0.1) }, dropsOutput: nil)
  }

  /// Four derived values of one store as one.
  public static func combined<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
    _ a: Derived<A>,
    _ b: Derived<B>,
    _ c: Derived<C>,
    _ d: Derived<D>
  ) -> Derived<(A, B, C, D)> where Value == (A, B, C, D) {
    let pairs = Derived<((A, B), (C, D))>.combined(.combined(a, b), .combined(c, d))
    return pairs.chain(
      .map { ($0.0.0, $0.0.1, $0.1.0, $0.1.1) },
      dropsOutput: nil
    )
  }
}
