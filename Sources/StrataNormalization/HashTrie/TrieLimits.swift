/// The sizes of leaves.
@usableFromInline
enum TrieLimits {
  /// The maximum number of entities in a leaf, except for those with equal hashes.
  ///
  /// A higher number makes iteration and bulk creation cheaper; a lower one makes a write cheaper while
  /// an old copy is held.
  @inlinable
  static var leaf: Int { 8 }

  /// The maximum number of entities of two adjacent leaves that are joined: half, so that the next
  /// insert does not split them again.
  @inlinable
  static var joined: Int { leaf / 2 }
}
