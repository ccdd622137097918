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
