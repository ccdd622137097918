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
