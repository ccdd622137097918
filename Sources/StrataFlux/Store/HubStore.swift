/// A store as its dispatcher sees it.
protocol HubStore: FluxStoreType {
  /// Asks the reducer what is to be done.
  ///
  /// Only for an action that the store responds to.
  func answer(to action: any FluxAction) throws -> StoreAnswer

  /// Whether the two are one object.
  func isSame(as other: any HubStore) -> Bool

  /// Calls back when observers are told; until `observer` goes.
  func observe(
    _ observer: some AnyObject & Sendable,
    _ call: @escaping @Sendable (ObserverCause) -> Void
  )

  /// Tells the recorder about every commit after the state that `begin` is given.
  func tap(_ tap: CommitTap, begin: (any StateType) -> Void)

  func untap()

  /// Begins to show states that are not kept.
  func beginDetour() -> any StoreDetour

  /// How states and actions of this store are written and read.
  var coding: any StoreCoding { get }
}

extension HubStore {
  func isSame(as other: any HubStore) -> Bool { self === other }
}

/// What a store does about one action.
struct StoreAnswer: Sendable {
  let operation: any StartableOperation
  /// Tells the observers, when it has ended.
  let tellObservers: @Sendable () -> Void
}
