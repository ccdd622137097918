/// How full leaves are.
@usableFromInline
enum TrieLimits {
  /// The most entities a leaf holds, but for those with equal hashes.
  ///
  /// More make iteration and the bulk cheaper, fewer make a write cheaper while an old copy is kept.
  @inlinable
  static var leaf: Int { 8 }

  /// The most entities of two neighbouring leaves that are joined: half, so that an insert after it
  /// does not split them again at once.
  @inlinable
  static var joined: Int { leaf / 2 }
}
