/// For whom a derivation is computed.
///
/// A reader is ahead of the subscribers while deliveries wait, so each has a memory of its own.
@usableFromInline
enum DerivationConsumer {
  case readers
  case subscribers

  var other: DerivationConsumer { self == .readers ? .subscribers : .readers }
}

/// A node that notifies its subscribers.
@usableFromInline
protocol DerivationNotifying: AnyObject, Sendable {
  /// When it got its first follower, counted over the graph.
  var order: Int { get }
  /// Delivers what the last `advance` computed to the subscribers.
  func notify()
}

/// One step of the derivations from a store's state, whatever its value.
@usableFromInline
protocol DerivationStep<Root>: AnyObject, Sendable {
  associatedtype Root: Sendable

  /// The steps it is computed from; none when it is computed from the state itself.
  var inputs: [any DerivationStep<Root>] { get }
  /// The parts of the state it is computed from, as bytes; nil when they are unknown.
  var parts: Set<Range<Int>>? { get }
  /// Whether the parts may be others after each computation.
  var mayMove: Bool { get }
  /// Whether they are others since the last call.
  func takeMove() -> Bool
  /// Its subscribers and the steps that are computed from it.
  var stepFollowers: any StepFollowers<Root> { get }

  /// Joins the followers of `input`, one of its inputs.
  func join(_ input: any DerivationStep<Root>)
  /// Leaves the followers of `input`.
  func leave(_ input: any DerivationStep<Root>)

  /// Computes the value at this version for the subscribers and, if it is new to them, the steps
  /// computed from it; adds the nodes whose value is new.
  ///
  /// The value of a step that is reached twice is new only the first time.
  func advance(to root: Version<Root>, adding changed: inout ChangedNodes)

  /// Releases what was computed for subscribers, because none is left.
  func forget()

  /// Adds what is followed here to a listing.
  func list(in listing: inout FollowerListing)
}

extension DerivationStep {
  @usableFromInline var mayMove: Bool { false }
  @usableFromInline
  func takeMove() -> Bool { false }
  @usableFromInline
  func join(_ input: any DerivationStep<Root>) { input.stepFollowers.add(self) }
  @usableFromInline
  func leave(_ input: any DerivationStep<Root>) { input.stepFollowers.remove(self) }
}

/// A step of the derivations that has a value.
@usableFromInline
protocol DerivationNode<Root, Value>: DerivationStep, DerivationNotifying {
  associatedtype Value: Sendable

  /// Its followers, with the type of the value.
  var followers: NodeFollowers<Root, Value> { get }

  /// The value at this version of the state.
  ///
  /// The version of the result is that of the state at which the node took this value, as far as this
  /// consumer has seen. For a state older than one it has seen, the result is that of the newer one.
  func version(at root: Version<Root>, for consumer: DerivationConsumer) -> Version<Value>
}

extension DerivationNode {
  @usableFromInline var stepFollowers: any StepFollowers<Root> { followers }
  @usableFromInline var order: Int { followers.order }

  @usableFromInline
  func forget() { followers.forget() }

  @usableFromInline
  func advance(to root: Version<Root>, adding changed: inout ChangedNodes) {
    guard let steps = followers.take(version(at: root, for: .subscribers)) else {
      // The last follower may have left while the value was computed.
      if followers.isIdle { forget() }
      return
    }
    changed.append(self)
    for step in steps { step.advance(to: root, adding: &changed) }
  }

  @usableFromInline
  func notify() { followers.notify() }
}

/// The nodes whose value one version changed: their subscribers are notified once all values are
/// computed.
@usableFromInline
struct ChangedNodes {
  /// Mostly the only one, which needs no array.
  @usableFromInline var first: (any DerivationNotifying)?
  @usableFromInline var more: [any DerivationNotifying] = []

  @inlinable
  init() {}

  @inlinable
  mutating func append(_ node: any DerivationNotifying) {
    if first == nil { first = node } else { more.append(node) }
  }

  /// Notifies the subscribers of all nodes, in the order in which the nodes got their first ones.
  @inlinable
  func notify() {
    guard let first else { return }
    if more.isEmpty { return first.notify() }
    for node in ([first] + more).sorted(by: { $0.order < $1.order }) { node.notify() }
  }
}
