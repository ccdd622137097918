public import StrataBase

/// The subscribers and steps that follow one step of the derivations.
///
/// Copies are the same followers.
@usableFromInline
protocol StepFollowers<Root>: Sendable {
  associatedtype Root: Sendable
  associatedtype Members: FollowerMembers where Members.Root == Root

  var members: Lock<Members> { get }
}

/// The members of some followers, as their lock guards them.
@usableFromInline
protocol FollowerMembers: Sendable {
  associatedtype Root: Sendable

  init()
  /// The steps that every change concerns.
  var steps: [ObjectIdentifier: any DerivationStep<Root>] { get set }
  /// When the step got its first follower, counted over the graph.
  var order: Int { get set }
  /// Whether there are no followers.
  var isIdle: Bool { get }
  /// Every step among the members.
  var allSteps: [any DerivationStep<Root>] { get }
}

extension StepFollowers {
  /// Whether there are no followers.
  var isIdle: Bool { members.withLock { $0.isIdle } }

  /// When the step got its first follower, counted over the graph.
  var order: Int { members.withLock { $0.order } }

  /// Every step among them.
  var steps: [any DerivationStep<Root>] { members.withLock { $0.allSteps } }

  func setOrder(_ order: Int) { members.withLock { $0.order = order } }

  func add(_ step: any DerivationStep<Root>) {
    members.withLock { $0.steps[ObjectIdentifier(step)] = step }
  }

  func remove(_ step: any DerivationStep<Root>) {
    _ = members.withLock { $0.steps.removeValue(forKey: ObjectIdentifier(step)) }
  }

  /// Releases everything, and returns the steps that were computed from this one.
  func removeAll() -> [any DerivationStep<Root>] {
    // Freed outside the lock.
    let old = members.withLock { members in
      defer { members = Members() }
      return members
    }
    return old.allSteps
  }
}
