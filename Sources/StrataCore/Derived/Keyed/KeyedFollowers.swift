public import StrataBase

/// The followers of a keyed step: the nodes of single parts under their keys, and the steps that follow
/// every change.
@usableFromInline
struct KeyedFollowers<Root: Sendable, Difference: KeyedDifference>: StepFollowers {
  @usableFromInline typealias Key = Difference.Key
  @usableFromInline typealias Node = KeyNode<Root, Difference>

  @usableFromInline
  struct Members: FollowerMembers {
    /// One per key, because all followers of a part share it.
    @usableFromInline var nodes: [Key: Node] = [:]
    @usableFromInline var steps: [ObjectIdentifier: any DerivationStep<Root>] = [:]
    @usableFromInline var order = 0

    @usableFromInline
    init() {}

    @usableFromInline var isIdle: Bool { nodes.isEmpty && steps.isEmpty }
    @usableFromInline var allSteps: [any DerivationStep<Root>] {
      Array(steps.values) + Array(nodes.values)
    }
  }

  @usableFromInline let members = Lock(Members())

  init() {}

  /// The steps that follow every change.
  var others: [any DerivationStep<Root>] { members.withLock { Array($0.steps.values) } }

  /// The node of the part under this key; also reports whether there are steps that follow every change.
  @inlinable
  func node(under key: Key, noting hasOthers: inout Bool) -> Node? {
    members.withLock { members in
      hasOthers = !members.steps.isEmpty
      return members.nodes.isEmpty ? nil : members.nodes[key]
    }
  }

  func add(_ node: Node) {
    members.withLock { $0.nodes[node.key] = node }
  }

  func remove(_ node: Node) {
    _ = members.withLock { $0.nodes.removeValue(forKey: node.key) }
  }
}
