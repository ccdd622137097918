public import StrataBase

/// The followers of a node: its subscribers, and the steps that are computed from it.
@usableFromInline
struct NodeFollowers<Root: Sendable, Value: Sendable>: StepFollowers {
  @usableFromInline
  struct Members: FollowerMembers {
    @usableFromInline var sinks = SinkList<Changes<Value>>()
    @usableFromInline var steps: [ObjectIdentifier: any DerivationStep<Root>] = [:]
    @usableFromInline var order = 0
    /// What the subscribers receive next, or received last.
    @usableFromInline var current: Version<Value>?
    /// The latest version of the state at which `current` was found to hold.
    @usableFromInline var seenAt: UInt64 = 0
    /// The version of the value that the subscribers received last, or are receiving now.
    @usableFromInline var notified: UInt64?

    @usableFromInline
    init() {}

    @usableFromInline var isIdle: Bool { sinks.isEmpty && steps.isEmpty }
    @usableFromInline var allSteps: [any DerivationStep<Root>] { Array(steps.values) }
  }

  @usableFromInline let members = Lock(Members())

  init() {}

  func forget() {
    let last = members.withLock { members in
      defer {
        members.current = nil
        members.notified = nil
      }
      return members.current
    }
    _ = last
  }

  /// Adds a subscriber, to which the caller delivers `current`.
  func begin(_ sink: Sink<Changes<Value>>, with current: Version<Value>) {
    members.withLock { members in
      members.sinks.append(sink)
      members.current = current
      members.notified = current.number
    }
  }

  /// Records that a subscriber was cancelled.
  func noteCancelled() { members.withLock { $0.sinks.noteCancelled() } }

  /// Records what the subscribers receive next, and returns the steps that it concerns; nil if they
  /// have received this version.
  func take(_ current: Version<Value>) -> [any DerivationStep<Root>]? {
    // Freed outside the lock.
    var replaced: Version<Value>?
    let steps = members.withLock { members -> [any DerivationStep<Root>]? in
      if members.isIdle { return nil }
      replaced = members.current
      members.current = current
      return members.takeTurn(to: current)
    }
    _ = consume replaced
    return steps
  }

  /// The same for a value that is stored only here: one that was found to hold at this version of the
  /// state is not replaced.
  @inlinable
  func take(
    _ next: Version<Value>,
    at root: Version<Root>
  ) -> [any DerivationStep<Root>]? {
    // Freed outside the lock.
    var replaced: Version<Value>?
    let steps = members.withLock { members -> [any DerivationStep<Root>]? in
      let current = members.look(at: root, replacing: &replaced) { _ in next }
      return members.takeTurn(to: current)
    }
    _ = consume replaced
    return steps
  }

  /// The value that is stored only here, at this version of the state.
  func look(
    at root: Version<Root>,
    _ find: (Version<Value>?) -> Version<Value>
  ) -> Version<Value> {
    // Freed outside the lock.
    var replaced: Version<Value>?
    let value = members.withLock { $0.look(at: root, replacing: &replaced, find) }
    _ = consume replaced
    return value
  }

  /// Delivers the current value to the subscribers.
  @inlinable
  func notify() {
    let (current, sinks) = members.withLock { ($0.current, $0.sinks.targets) }
    guard let current else { return }
    sinks.deliver(current.changes)
  }

  /// The same, and releases the value unless something is computed from it.
  @inlinable
  func notifyAndForget() {
    let (current, sinks) = members.withLock { members in
      let targets = members.sinks.targets
      if !members.steps.isEmpty { return (members.current, targets) }
      return (members.current.take(), targets)
    }
    guard let current else { return }
    sinks.deliver(current.changes)
  }
}

extension NodeFollowers.Members {
  /// The steps that a new version concerns; nil if the subscribers have received it.
  @inlinable
  mutating func takeTurn(to version: Version<Value>) -> [any DerivationStep<Root>]? {
    if notified == version.number { return nil }
    notified = version.number
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
