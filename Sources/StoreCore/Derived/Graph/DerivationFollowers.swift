/// Who follows one step of the derivations, whatever its value.
protocol DerivationFollowing<Root>: AnyObject, Sendable {
  associatedtype Root: Sendable

  /// Whether nobody does.
  var isIdle: Bool { get }
  /// The steps that are computed from this one, have followers themselves, and are concerned by what
  /// is new.
  var steps: [any DerivationStep<Root>] { get }
  /// When the step got its first follower, counted over the graph.
  var order: Int { get set }

  func add(_ step: any DerivationStep<Root>)
  func remove(_ step: any DerivationStep<Root>)
  /// Lets go of the last value.
  func forget()
  /// Lets go of everything and gives the steps that were computed from this one.
  func removeAll() -> [any DerivationStep<Root>]
}

/// The subscribers of one step of the derivations, and the steps that are computed from it.
final class DerivationFollowers<Root: Sendable, Value: Sendable>: DerivationFollowing {
  private struct Followers: Sendable {
    var sinks = SinkList<Changes<Value>>()
    var steps: [ObjectIdentifier: any DerivationStep<Root>] = [:]
    var order = 0
    /// What the subscribers are told next, or were told last.
    var current: Changes<Value>? { didSet { version = current?.version } }
    private(set) var version: UInt64?
  }

  private let followers = Lock(Followers())

  var isIdle: Bool { followers.withLock { $0.sinks.sinks.isEmpty && $0.steps.isEmpty } }
  var steps: [any DerivationStep<Root>] { followers.withLock { Array($0.steps.values) } }
  var order: Int {
    get { followers.withLock { $0.order } }
    set { followers.withLock { $0.order = newValue } }
  }

  func add(_ step: any DerivationStep<Root>) {
    followers.withLock { $0.steps[ObjectIdentifier(step)] = step }
  }

  func remove(_ step: any DerivationStep<Root>) {
    _ = followers.withLock { $0.steps.removeValue(forKey: ObjectIdentifier(step)) }
  }

  func forget() {
    let last = followers.withLock { followers in
      defer { followers.current = nil }
      return followers.current
    }
    _ = last
  }

  func removeAll() -> [any DerivationStep<Root>] {
    // Freed outside the lock.
    let old = followers.withLock { followers in
      defer { followers = Followers() }
      return followers
    }
    return Array(old.steps.values)
  }

  /// Adds a subscriber who is told `current` by whoever lets it begin.
  func begin(_ sink: Sink<Changes<Value>>, with current: Changes<Value>) {
    followers.withLock { followers in
      followers.sinks.append(sink)
      followers.current = current
    }
  }

  /// Takes note that a subscriber was cancelled.
  func noteCancelled() { followers.withLock { $0.sinks.noteCancelled() } }

  /// Whether the subscribers have not been told this version.
  func isNews(_ current: Changes<Value>) -> Bool {
    followers.withLock { $0.version != current.version }
  }

  /// Takes note of what the subscribers are to be told.
  func take(_ current: Changes<Value>) {
    // Freed outside the lock.
    var replaced: Changes<Value>?
    followers.withLock { followers in
      replaced = followers.current
      followers.current = current
    }
    _ = consume replaced
  }

  func tell() {
    let (current, sinks) = followers.withLock { ($0.current, $0.sinks.sinks) }
    guard let current else { return }
    for sink in sinks { sink.deliver(current) }
  }
}
