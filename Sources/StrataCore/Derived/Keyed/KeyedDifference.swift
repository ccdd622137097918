/// How a value is made of parts, each under a key, and which of them differ between two versions.
///
/// With it whoever follows one part is visited only when that part has changed. The parts of an entity
/// table are its entities, under their IDs; those of an index are the groups, under what they are
/// grouped by.
///
/// It is hashed and compared because who follows one value by equal differences shares one
/// computation of them: an empty struct, or one of the name of an index.
@usableFromInline
package protocol KeyedDifference: Hashable, Sendable {
  /// What differs.
  associatedtype Whole: Sendable
  /// One difference.
  associatedtype Element: Sendable
  /// What tells the parts apart.
  associatedtype Key: Hashable & Sendable
  /// What is followed.
  associatedtype Part: Sendable

  /// All differences, in any order; a key may occur more than once.
  ///
  /// Called once for each version in which the bytes of the whole have changed, while somebody
  /// follows a part. What follows a key is not visited when no element has it, so none may be
  /// missing.
  func elements(from old: Whole, to new: Whole) -> [Element]

  /// Under which key the difference is.
  func key(of element: Element) -> Key

  /// The part under the key; it must cost little more than to ask whether the whole has changed, as
  /// readers find it anew at each version.
  func part(of whole: Whole, under key: Key) -> Part

  /// The part of the new whole in which the difference is.
  func part(of element: Element, in new: Whole) -> Part

  /// Whether a part is surely as it was, so that nobody need be told.
  func isSame(_ old: Part, _ new: Part) -> Bool
}

extension KeyedDifference {
  /// Looks for it under its key.
  package func part(of element: Element, in new: Whole) -> Part {
    part(of: new, under: key(of: element))
  }
}

/// What one commit changed in a value.
@usableFromInline
package struct KeyedChanges<Difference: KeyedDifference>: Sendable {
  /// The value that was followed before.
  package let old: Difference.Whole
  /// The value as it is now.
  package let new: Difference.Whole
  /// How they differ; never empty when it is told.
  package let elements: [Difference.Element]

  @usableFromInline
  init(old: Difference.Whole, new: Difference.Whole, elements: [Difference.Element]) {
    self.old = old
    self.new = new
    self.elements = elements
  }
}
