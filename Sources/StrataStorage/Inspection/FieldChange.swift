package import StrataRecords

/// How one field of an entity differs between two records.
package struct FieldChange: Equatable, Sendable {
  /// Its name; of a member of a nested object, the names on the way to it, as in `home.city`.
  package let field: String
  /// The value before; nil where the field was absent.
  package let from: RecordValue?
  /// The value after; nil where the field is absent.
  package let to: RecordValue?

  package init(field: String, from: RecordValue?, to: RecordValue?) {
    self.field = field
    self.from = from
    self.to = to
  }

  /// The fields in which two records differ, in their order; of nested objects, the members.
  ///
  /// Empty for two that say the same, whatever their layouts and the order of their members.
  package static func changes(
    from: [RecordValue.Member],
    to: [RecordValue.Member]
  ) -> [FieldChange] {
    var changes: [FieldChange] = []
    compare(from, to, within: "", &changes)
    return changes
  }

  private static func compare(
    _ from: [RecordValue.Member],
    _ to: [RecordValue.Member],
    within path: String,
    _ changes: inout [FieldChange]
  ) {
    if from == to { return }
    let before = values(from)
    let after = values(to)
    var names = to.map(\.name)
    names += from.map(\.name).filter { after[$0] == nil }
    for name in names {
      let (old, new) = (before[name], after[name])
      if old == new { continue }
      let field = path.isEmpty ? name : "\(path).\(name)"
      if case .object(let old)? = old, case .object(let new)? = new {
        compare(Array(old), Array(new), within: field, &changes)
      } else {
        changes.append(FieldChange(field: field, from: old, to: new))
      }
    }
  }

  private static func values(_ members: [RecordValue.Member]) -> [String: RecordValue] {
    Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
  }
}
