/// For whom a derivation is computed.
///
/// A reader is ahead of the subscribers whenever deliveries wait, so each has its own place.
enum DerivationLane {
  case reading
  case delivering

  var other: DerivationLane { self == .reading ? .delivering : .reading }
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

  /// Joins the followers of `input`, one of its inputs.
  func join(_ input: any DerivationStep<Root>)
  /// Leaves the followers of `input`.
  func leave(_ input: any DerivationStep<Root>)

  /// Computes the value at this version for the subscribers; true when it is new to them.
  func advance(to root: Changes<Root>) -> Bool
  /// Tells the subscribers the value of the last `advance`.
  func tell()
}

extension DerivationStep {
  func join(_ input: any DerivationStep<Root>) { input.followers.add(self) }
  func leave(_ input: any DerivationStep<Root>) { input.followers.remove(self) }
}

/// One step of the derivations from a store's state.
protocol DerivationNode<Root, Value>: DerivationStep {
  associatedtype Value: Sendable

  /// Its followers, with the type of the value.
  var told: DerivationFollowers<Root, Value> { get }

  /// Shows `read` the value at this version of the state.
  ///
  /// Its own version is that of the state at which it took this value, as far as this lane has seen.
  /// A state older than one already seen in the lane gives the value of the newer one.
  func look<R>(
    at root: Changes<Root>,
    in lane: DerivationLane,
    _ read: (Changes<Value>) -> R
  ) -> R
}

extension DerivationNode {
  var followers: any DerivationFollowing<Root> { told }

  func changes(at root: Changes<Root>, in lane: DerivationLane) -> Changes<Value> {
    look(at: root, in: lane) { $0 }
  }

  func advance(to root: Changes<Root>) -> Bool {
    let next = look(at: root, in: .delivering) { told.isNews($0) ? $0 : nil }
    guard let next else { return false }
    told.take(next)
    return true
  }

  func tell() { told.tell() }
}
