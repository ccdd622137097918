/// Whether a reference must lead to an entity when a commit introduces it.
public enum ReferenceExistence: Sendable {
  /// A commit that introduces a reference to an absent entity is refused with
  /// ``RuleViolation/danglingReference(table:ids:to:id:)``: a new entity that refers to it, or one
  /// whose reference the commit changed.
  ///
  /// A reference that led to nothing before the commit refuses no commit.
  case checked
  /// References may be written before their entity, for data that arrives in any order.
  case unchecked
}
