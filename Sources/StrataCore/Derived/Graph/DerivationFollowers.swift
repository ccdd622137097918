public import StrataBase

/// Who follows one step of the derivations, whatever its value.
@usableFromInline
protocol DerivationFollowing<Root>: Sendable {
  associatedtype Root: Sendable

  /// Whether nobody does.
  var isIdle: Bool { get }
  /// When the step got its first follower, counted over the graph.
  var order: Int { get nonmutating set }

  func add(_ step: any DerivationStep<Root>)
  func remove(_ step: any DerivationStep<Root>)
  /// Lets go of the last value.
  func forget()
  /// Lets go of everything and gives the steps that were computed from this one.
  func removeAll() -> [any DerivationStep<Root>]
}

/// The subscribers of one step of the derivations, and the steps that are computed from it.
///
/// Copies are the same followers.
@usableFromInline
struct DerivationFollowers<Root: Sendable, Value: Sendable>: DerivationFollowing {
  @usableFromInline
  struct Followers: Sendable {
    @usableFromInline var sinks = SinkList<Changes<Value>>()
    @usableFromInline var steps: [ObjectIdentifier: any DerivationStep<Root>] = [:]
    var order = 0
    /// What the subscribers are told next, or were told last.
    @usableFromInline var current: Version<Value>?
    /// The version of the state at which `current` was last seen to be so.
    @usableFromInline var seenAt: UInt64 = 0
    /// The version of the value that the subscribers were told, or are being told.
    @usableFromInline var told: UInt64?
  }

  @usableFromInline let state = Lock(Followers())

  init() {}

  @usableFromInline var isIdle: Bool {
    state.withLock { $0.sinks.isEmpty && $0.steps.isEmpty }
  }
  @usableFromInline var order: Int {
    get { state.withLock { $0.order } }
    nonmutating set { state.withLock { $0.order = newValue } }
  }

  @usableFromInline
  func add(_ step: any DerivationStep<Root>) {
    state.withLock { $0.steps[ObjectIdentifier(step)] = step }
  }

  @usableFromInline
  func remove(_ step: any DerivationStep<Root>) {
    _ = state.withLock { $0.steps.removeValue(forKey: ObjectIdentifier(step)) }
  }

  @usableFromInline
  func forget() {
    let last = state.withLock { followers in
      defer {
        followers.current = nil
        followers.told = nil
      }
      return followers.current
    }
    _ = last
  }

  @usableFromInline
  func removeAll() -> [any DerivationStep<Root>] {
    // Freed outside the lock.
    let old = state.withLock { followers in
      defer { followers = Followers() }
      return followers
    }
    return Array(old.steps.values)
  }

  /// Adds a subscriber who is told `current` by whoever lets it begin.
  func begin(_ sink: Sink<Changes<Value>>, with current: Version<Value>) {
    state.withLock { followers in
      followers.sinks.append(sink)
      followers.current = current
      followers.told = current.number
    }
  }

  /// Takes note that a subscriber was cancelled.
  func noteCancelled() { state.withLock { $0.sinks.noteCancelled() } }

  /// Takes note of what the subscribers are to be told, and gives the steps that it concerns; nil
  /// when they have been told this version.
  func take(_ current: Version<Value>) -> [any DerivationStep<Root>]? {
    // Freed outside the lock.
    var replaced: Version<Value>?
    let steps = state.withLock { followers -> [any DerivationStep<Root>]? in
      replaced = followers.current
      followers.current = current
      return followers.takeTurn(to: current)
    }
    _ = consume replaced
    return steps
  }

  /// The same for a value that is kept here alone: one that was seen at this version of the state is
  /// not replaced.
  @inlinable
  func take(
    _ next: Version<Value>,
    at root: Version<Root>
  ) -> [any DerivationStep<Root>]? {
    // Freed outside the lock.
    var replaced: Version<Value>?
    let steps = state.withLock { followers -> [any DerivationStep<Root>]? in
      let current = followers.look(at: root, replacing: &replaced) { _ in next }
      return followers.takeTurn(to: current)
    }
    _ = consume replaced
    return steps
  }

  /// The value that is kept here alone, at this version of the state.
  func look(
    at root: Version<Root>,
    _ find: (Version<Value>?) -> Version<Value>
  ) -> Version<Value> {
    // Freed outside the lock.
    var replaced: Version<Value>?
    let value = state.withLock { $0.look(at: root, replacing: &replaced, find) }
    _ = consume replaced
    return value
  }

  @inlinable
  func tell() {
    let (current, sinks) = state.withLock { ($0.current, $0.sinks.targets) }
    guard let current else { return }
    sinks.deliver(current.changes)
  }

  /// The same for a value that need not be kept, unless something is computed from it.
  @inlinable
  func tellAndForget() {
    let (current, sinks) = state.withLock { followers in
      let targets = followers.sinks.targets
      if !followers.steps.isEmpty { return (followers.current, targets) }
      return (followers.current.take(), targets)
    }
    guard let current else { return }
    sinks.deliver(current.changes)
  }
}

extension DerivationFollowers.Followers {
  /// The steps that a new version concerns; nil when it was told already.
  @inlinable
  mutating func takeTurn(to version: Version<Value>) -> [any DerivationStep<Root>]? {
    if told == version.number { return nil }
    told = version.number
    return steps.isEmpty ? [] : Array(steps.values)
  }

  @inlinable
  mutating func look(
    at root: Version<Root>,
    replacing replaced: inout Version<Value>?,
    _ find: (Version<Value>?) -> Version<Value>
  ) -> Version<Value> {
    if let current, seenAt >= root.number { return current }
    let next = find(current)
    replaced = current
    current = next
    seenAt = root.number
    return next
  }
}
