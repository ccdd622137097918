public import StrataBase

/// Holds one state, which only a commit changes.
///
/// ```swift
/// struct CounterState: StateType { var count = 0 }
///
/// final class CounterStore: Store<CounterState, Never>, @unchecked Sendable {}
///
/// let store = CounterStore(initialState: CounterState())
/// let subscription = store.sinkState { changes in
///   changes.ifChanged(\.count) { print("count is \($0)") }
/// }
/// store.commit { $0.count += 1 }
/// ```
///
/// An *edit lock* serialises commits. A second, short lock guards the committed value, so reading
/// ``state`` never waits for an edit; inside a mutation it returns the last committed value.
/// Subscribers are called outside both locks, in version order, each version once.
///
/// A store does not know entities or files. A `CommitHook` connects them, or the ``StoreSource`` the
/// store is created from.
open class Store<State: StateType, Activity: Sendable>: DispatcherType, @unchecked Sendable {
  /// A dispatcher of the whole state of this kind of store.
  public typealias Dispatcher = DispatcherBase<State, Activity>
  /// A dispatcher of a part of the state of this kind of store.
  public typealias ScopedDispatcher<Scope: Sendable> = ScopedDispatcherBase<State, Activity, Scope>

  /// The name of this store in logs and errors; by default the name of its type.
  public let name: String

  /// Serialises commits: its holder may publish.
  @usableFromInline let editLock = Lock(
    EditTurn(),
    reentryRemedy: """
      commit was called inside a commit of the same store. Do both edits in one closure, or commit \
      after the first has returned; a commit inside a sink is fine.
      """
  )
  @usableFromInline let stages = Lock(CommitStages<State>())
  @usableFromInline let refusals = Lock(RefusedCommitHandler())
  @usableFromInline let delivery: Delivery<State, Activity>
  @usableFromInline let logger: (any StoreLogger)?
  @usableFromInline let specialized: SpecializedCommit<State, Activity>
  /// What the store was created from, unless that was a plain value.
  @usableFromInline package let source: (any StoreSource<State>)?

  /// Creates a store with a state at version 0.
  @inlinable
  public init(name: String? = nil, initialState: State, logger: (any StoreLogger)? = nil) {
    self.name = name ?? "\(Self.self)"
    self.logger = logger
    source = nil
    specialized = SpecializedCommit()
    delivery = Delivery(Changes(initial: initialState), SpecializedDelivery())
  }

  /// Creates a store from what `source` restored, and attaches the source to it.
  ///
  /// A subclass with an initializer of its own calls `super.init(source)`.
  @inlinable
  public init(_ source: any StoreSource<State>) {
    name = "\(Self.self)"
    logger = nil
    self.source = source
    specialized = SpecializedCommit()
    delivery = Delivery(Changes(initial: source.initialState), SpecializedDelivery())
    source.attach(to: self)
  }

  /// Creates a store from what `source` restored, with a logger, and attaches the source to it.
  @inlinable
  public init(
    _ source: any StoreSource<State>,
    name: String? = nil,
    logger: (any StoreLogger)?
  ) {
    self.name = name ?? "\(Self.self)"
    self.logger = logger
    self.source = source
    specialized = SpecializedCommit()
    delivery = Delivery(Changes(initial: source.initialState), SpecializedDelivery())
    source.attach(to: self)
  }

  deinit {
    assert(EditOrder.forget(self))
    delivery.close()
  }

  /// The last committed value.
  ///
  /// Never waits for an edit. O(1).
  @inlinable public var state: State { delivery.current.value }

  /// The last committed value with its version, its traces and the value before it.
  ///
  /// O(1).
  public var changes: Changes<State> { delivery.current.changes }

  /// The store itself: a store is the dispatcher of its whole state.
  @inlinable public var targetStore: Store<State, Activity> { self }

  /// The whole state.
  ///
  /// Stored, because a key path literal in generic code is instantiated on each use.
  public let scope: StatePath<State, State> = \State.self
}

/// What the edit lock guards: the right to make the next version.
@usableFromInline
struct EditTurn: Sendable {
  /// How many edits there were, also those that were refused.
  @usableFromInline var edits: UInt64 = 0

  @usableFromInline
  init() {}

  /// The number of the next edit.
  @inlinable
  mutating func next() -> UInt64 {
    edits &+= 1
    return edits
  }
}

/// What a store starts from and stays connected to, such as a persisted file.
///
/// The source makes a *value* first. The store is created with it, and only then is the source
/// attached. Restoring never commits through a store.
public protocol StoreSource<State>: Sendable {
  /// The state of the stores this source feeds.
  associatedtype State: StateType

  /// The state a store is created with.
  var initialState: State { get }

  /// Connects the source to the store that was created from it, before any other caller can commit.
  ///
  /// A source that can feed only one store traps on the second call.
  func attach<Activity: Sendable>(to store: Store<State, Activity>)
}
