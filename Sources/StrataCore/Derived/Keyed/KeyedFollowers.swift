public import StrataBase

/// The steps that are computed from a value: those that read one part wait under its key.
///
/// Copies are the same followers.
@usableFromInline
struct KeyedFollowers<Root: Sendable, Difference: KeyedDifference>: DerivationFollowing {
  @usableFromInline typealias Key = Difference.Key
  @usableFromInline typealias Node = KeyNode<Root, Difference>

  @usableFromInline
  struct Followers: Sendable {
    /// One of a key, as all who follow a part share it.
    @usableFromInline var nodes: [Key: Node] = [:]
    /// Those that every change concerns.
    @usableFromInline var others: [ObjectIdentifier: any DerivationStep<Root>] = [:]
    var order = 0
  }

  @usableFromInline let state = Lock(Followers())

  init() {}

  @usableFromInline var isIdle: Bool {
    state.withLock { $0.nodes.isEmpty && $0.others.isEmpty }
  }
  @usableFromInline var order: Int {
    get { state.withLock { $0.order } }
    nonmutating set { state.withLock { $0.order = newValue } }
  }

  /// Those that every change concerns.
  var others: [any DerivationStep<Root>] { state.withLock { Array($0.others.values) } }

  /// The node that reads the part under this key; notes whether there are others too.
  @inlinable
  func node(under key: Key, noting hasOthers: inout Bool) -> Node? {
    state.withLock { followers in
      hasOthers = !followers.others.isEmpty
      return followers.nodes.isEmpty ? nil : followers.nodes[key]
    }
  }

  @usableFromInline
  func add(_ step: any DerivationStep<Root>) {
    state.withLock { $0.others[ObjectIdentifier(step)] = step }
  }

  @usableFromInline
  func remove(_ step: any DerivationStep<Root>) {
    _ = state.withLock { $0.others.removeValue(forKey: ObjectIdentifier(step)) }
  }

  func add(_ node: Node) {
    state.withLock { $0.nodes[node.key] = node }
  }

  func remove(_ node: Node) {
    _ = state.withLock { $0.nodes.removeValue(forKey: node.key) }
  }

  /// Nothing of a version is kept here.
  @usableFromInline
  func forget() {}

  @usableFromInline
  func removeAll() -> [any DerivationStep<Root>] {
    // Freed outside the lock.
    let old = state.withLock { followers in
      defer { followers = Followers() }
      return followers
    }
    return Array(old.others.values) + Array(old.nodes.values)
  }
}
