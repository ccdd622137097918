/// The steps that are computed from a value, under the keys of the parts they read.
final class KeyedFollowers<Root: Sendable, Key: Hashable & Sendable>: DerivationFollowing {
  /// Whom a change concerns.
  enum Audience {
    case nobody
    /// Only those who wait under a key.
    case keys
    /// Also those that every change concerns.
    case everyone
  }

  private struct Followers: Sendable {
    var byKey: [Key: StepSet<Root>] = [:]
    /// Those that every change concerns.
    var others = StepSet<Root>()
    /// Whom the last change concerns.
    var touched: [any DerivationStep<Root>] = []
    var order = 0

    var isIdle: Bool { byKey.isEmpty && others.isEmpty }
  }

  private let followers = Lock(Followers())

  var isIdle: Bool { followers.withLock { $0.isIdle } }
  var order: Int {
    get { followers.withLock { $0.order } }
    set { followers.withLock { $0.order = newValue } }
  }

  /// Those that the last change concerns; they are given once.
  var steps: [any DerivationStep<Root>] {
    followers.withLock { followers in
      defer { followers.touched = [] }
      return followers.touched
    }
  }

  func add(_ step: any DerivationStep<Root>) { followers.withLock { $0.others.insert(step) } }

  func add(_ step: any DerivationStep<Root>, under key: Key) {
    followers.withLock { $0.byKey[key, default: StepSet()].insert(step) }
  }

  func remove(_ step: any DerivationStep<Root>) { followers.withLock { $0.others.remove(step) } }

  func remove(_ step: any DerivationStep<Root>, under key: Key) {
    followers.withLock { followers in
      followers.byKey[key]?.remove(step)
      if followers.byKey[key]?.isEmpty == true { followers.byKey[key] = nil }
    }
  }

  /// Takes note of the keys under which something has changed, and gives whom that concerns.
  ///
  /// O(keys + steps under them).
  func touch(_ keys: some Sequence<Key>) -> Audience {
    followers.withLock { followers in
      followers.touched = []
      followers.others.append(to: &followers.touched)
      let audience = followers.others.isEmpty ? Audience.keys : .everyone
      if !followers.byKey.isEmpty {
        for key in keys { followers.byKey[key]?.append(to: &followers.touched) }
      }
      return followers.touched.isEmpty ? .nobody : audience
    }
  }

  func forget() { followers.withLock { $0.touched = [] } }

  func removeAll() -> [any DerivationStep<Root>] {
    // Freed outside the lock.
    let old = followers.withLock { followers in
      defer { followers = Followers() }
      return followers
    }
    var steps: [any DerivationStep<Root>] = []
    old.others.append(to: &steps)
    for set in old.byKey.values { set.append(to: &steps) }
    return steps
  }
}

/// Steps in no order; mostly a single one, for which there is no table.
struct StepSet<Root: Sendable>: Sendable {
  private var only: (any DerivationStep<Root>)?
  private var many: [ObjectIdentifier: any DerivationStep<Root>] = [:]

  var isEmpty: Bool { only == nil && many.isEmpty }

  mutating func insert(_ step: any DerivationStep<Root>) {
    if isEmpty {
      only = step
      return
    }
    if let first = only { many[ObjectIdentifier(first)] = first }
    only = nil
    many[ObjectIdentifier(step)] = step
  }

  mutating func remove(_ step: any DerivationStep<Root>) {
    if let first = only, first === step { only = nil }
    many[ObjectIdentifier(step)] = nil
  }

  func append(to steps: inout [any DerivationStep<Root>]) {
    if let only { steps.append(only) }
    if !many.isEmpty { steps += many.values }
  }
}
