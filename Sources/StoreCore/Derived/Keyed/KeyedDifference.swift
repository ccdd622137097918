/// How two versions of a value differ, element by element, each under a key.
///
/// With it whoever follows the part under one key is visited only when that part has changed. The
/// elements of an entity table are its changed entities, under their IDs; those of an index would be
/// the groups whose members have changed, under what they are grouped by.
///
/// It is hashed and compared because who follows one value by equal differences shares one
/// computation of them: an empty struct, or one of the name of an index.
package protocol KeyedDifference: Hashable, Sendable {
  /// What differs.
  associatedtype Whole: Sendable
  /// One difference.
  associatedtype Element: Sendable
  /// What tells the parts apart.
  associatedtype Key: Hashable & Sendable

  /// All differences, in any order; a key may occur more than once.
  ///
  /// Called once for each version in which the bytes of the whole have changed, while somebody
  /// follows a part. What follows a key is not visited when no element has it, so none may be
  /// missing.
  func elements(from old: Whole, to new: Whole) -> [Element]

  /// Under which key the difference is.
  func key(of element: Element) -> Key
}

/// What one commit changed in a value.
package struct KeyedChanges<Difference: KeyedDifference>: Sendable {
  /// The value that was followed before.
  package let old: Difference.Whole
  /// The value as it is now.
  package let new: Difference.Whole
  /// How they differ; never empty when it is told.
  package let elements: [Difference.Element]
}
