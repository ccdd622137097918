/// For whom a derivation is computed.
///
/// A reader is ahead of the subscribers whenever deliveries wait, so each has its own place.
enum DerivationLane: Int {
  case reading
  case delivering
}

/// One step of the derivations from a store's state, whatever its value.
protocol DerivationStep<Root>: AnyObject, Sendable {
  associatedtype Root: Sendable

  /// The steps it is computed from; none when it is computed from the state itself.
  var inputs: [any DerivationStep<Root>] { get }
  /// The bytes of the state it is computed from, when they are known.
  var bytes: Range<Int>? { get }
  /// Its subscribers and the steps that are computed from it.
  var followers: any DerivationFollowing<Root> { get }

  /// Computes the value at this version for the subscribers; true when it is new to them.
  func advance(to root: Changes<Root>) -> Bool
  /// Tells the subscribers the value of the last `advance`.
  func tell()
}

/// One step of the derivations from a store's state.
protocol DerivationNode<Root, Value>: DerivationStep {
  associatedtype Value: Sendable

  /// Its followers, with the type of the value.
  var told: DerivationFollowers<Root, Value> { get }

  /// The value at this version of the state.
  ///
  /// Its own version is that of the state at which it took this value, as far as this lane has seen.
  /// A state older than one already seen in the lane gives the value of the newer one.
  func changes(at root: Changes<Root>, in lane: DerivationLane) -> Changes<Value>
}

extension DerivationNode {
  var followers: any DerivationFollowing<Root> { told }

  func advance(to root: Changes<Root>) -> Bool {
    told.take(changes(at: root, in: .delivering))
  }

  func tell() { told.tell() }
}

/// What a step is computed from.
enum DerivationInput<Root: Sendable, Value: Sendable>: Sendable {
  /// The state itself; the function says that it is the value.
  case root(@Sendable (Changes<Root>) -> Changes<Value>)
  case node(any DerivationNode<Root, Value>)

  func changes(at root: Changes<Root>, in lane: DerivationLane) -> Changes<Value> {
    switch self {
    case .root(let identity): return identity(root)
    case .node(let node): return node.changes(at: root, in: lane)
    }
  }
}
