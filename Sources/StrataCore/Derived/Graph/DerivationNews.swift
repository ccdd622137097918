/// Whose value one version changed: who is to be told, once all values are computed.
@usableFromInline
struct DerivationNews {
  /// Mostly the only one, for which there is no array.
  @usableFromInline var first: (any DerivationTelling)?
  @usableFromInline var more: [any DerivationTelling] = []

  @inlinable
  init() {}

  @inlinable
  mutating func append(_ node: any DerivationTelling) {
    if first == nil { first = node } else { more.append(node) }
  }

  /// Tells the subscribers of all, in the order in which the nodes got their first ones.
  @inlinable
  func tell() {
    guard let first else { return }
    if more.isEmpty { return first.tell() }
    for node in ([first] + more).sorted(by: { $0.order < $1.order }) { node.tell() }
  }
}
