import StrataBase

/// The derived values that are followed, in groups of the same source and type.
///
/// It is made when it is asked for: the graph keeps no count.
@usableFromInline
struct FollowerListing {
  private struct Kind: Hashable {
    let source: String
    let type: ObjectIdentifier
  }

  private var groups: [Kind: StoreSubscribers.Group] = [:]
  /// The texts of key paths, which take long to make.
  private var paths: [ObjectIdentifier: String] = [:]

  /// A key path as text, such as `\AppState.count`.
  mutating func text(of path: AnyKeyPath) -> String {
    let id = ObjectIdentifier(path)
    if let known = paths[id] { return known }
    let text = "\(path)"
    paths[id] = text
    return text
  }

  /// Adds a node with its followers; `type` is the type of its value unless another one says more.
  mutating func add<Root, Value>(
    _ source: String,
    type: Any.Type = Value.self,
    _ followers: NodeFollowers<Root, Value>
  ) {
    let (sinks, dependents) = followers.members.withLock { ($0.sinks, $0.steps.count) }
    let kind = Kind(source: source, type: ObjectIdentifier(type))
    var group =
      groups[kind]
      ?? .init(.derived, source: source, type: "\(type)", values: 0, subscribers: 0)
    group.values += 1
    group.subscribers += sinks.count
    group.dependents += dependents
    groups[kind] = group
  }

  /// The groups, those with the most subscribers first.
  var sorted: [StoreSubscribers.Group] {
    groups.values.inOrder { a, b in
      (b.subscribers, a.source, a.type) < (a.subscribers, b.source, b.type)
    }
  }
}

extension DerivationGraph {
  /// What is followed now; O(followed values and their subscribers).
  var followed: [StoreSubscribers.Group] {
    var listing = FollowerListing()
    var seen: Set<ObjectIdentifier> = []
    var steps = rootSteps.withLock { $0 }.all
    while let step = steps.popLast() {
      guard seen.insert(ObjectIdentifier(step)).inserted else { continue }
      step.list(in: &listing)
      steps += step.stepFollowers.steps
    }
    return listing.sorted
  }
}
