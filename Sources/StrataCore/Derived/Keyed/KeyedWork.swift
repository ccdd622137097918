/// What a commit lets those do who follow the parts of a value.
///
/// The closures are made where all types are known, in the module of whoever follows, and so are
/// compiled for them: several times as fast as generic code that is called through a protocol.
@usableFromInline
package struct KeyedWork<Root: Sendable, Difference: KeyedDifference>: Sendable {
  @usableFromInline typealias Step = KeyedStep<Root, Difference>

  @usableFromInline
  let advance: @Sendable (Step, Version<Root>, inout DerivationNews) -> Void
  @usableFromInline let tell: @Sendable (KeyNode<Root, Difference>) -> Void

  @inlinable
  package init() {
    advance = { step, root, changed in step.findChanges(at: root, noting: &changed) }
    tell = { node in node.told.tellAndForget() }
  }
}
