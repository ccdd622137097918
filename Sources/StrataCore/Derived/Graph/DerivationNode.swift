/// For whom a derivation is computed.
///
/// A reader is ahead of the subscribers whenever deliveries wait, so each has its own place.
@usableFromInline
enum DerivationLane {
  case reading
  case delivering

  var other: DerivationLane { self == .reading ? .delivering : .reading }
}

/// Whoever tells subscribers what is new to them.
@usableFromInline
protocol DerivationTelling: AnyObject, Sendable {
  /// When it got its first follower, counted over the graph.
  var order: Int { get }
  /// Tells the subscribers what the last `advance` found.
  func tell()
}

/// One step of the derivations from a store's state, whatever its value.
@usableFromInline
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

  /// Computes the value at this version for the subscribers, and where it is new to them what is
  /// computed from it; notes whose value is new.
  ///
  /// A step that is reached twice is new only the first time.
  func advance(to root: Version<Root>, noting changed: inout DerivationNews)
}

extension DerivationStep {
  @usableFromInline
  func join(_ input: any DerivationStep<Root>) { input.followers.add(self) }
  @usableFromInline
  func leave(_ input: any DerivationStep<Root>) { input.followers.remove(self) }
}

/// A step of the derivations that has a value.
@usableFromInline
protocol DerivationNode<Root, Value>: DerivationStep, DerivationTelling {
  associatedtype Value: Sendable

  /// Its followers, with the type of the value.
  var told: DerivationFollowers<Root, Value> { get }

  /// The value at this version of the state.
  ///
  /// Its own version is that of the state at which it took this value, as far as this lane has seen.
  /// A state older than one already seen in the lane gives the value of the newer one.
  func version(at root: Version<Root>, in lane: DerivationLane) -> Version<Value>
}

extension DerivationNode {
  @usableFromInline var followers: any DerivationFollowing<Root> { told }
  @usableFromInline var order: Int { told.order }

  @usableFromInline
  func advance(to root: Version<Root>, noting changed: inout DerivationNews) {
    guard let steps = told.take(version(at: root, in: .delivering)) else { return }
    changed.append(self)
    for step in steps { step.advance(to: root, noting: &changed) }
  }

  @usableFromInline
  func tell() { told.tell() }
}
