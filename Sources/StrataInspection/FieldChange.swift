package import StrataRecords

/// How one field of an entity differs between two records.
package struct FieldChange: Equatable, Sendable {
  /// Its name; for a member of a nested object, the whole path, as in `home.city`.
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

  /// How deep a comparison of two records goes.
  package enum Depth: Sendable {
    /// A field whose value is a nested object is compared as a whole.
    case fields
    /// Nested objects are compared member by member.
    case members
  }

  /// The fields in which two records differ, in their order.
  ///
  /// Empty for records with the same contents, whatever their layouts and the order of their members.
  package static func changes(
    from: [RecordValue.Member],
    to: [RecordValue.Member],
    _ depth: Depth = .members
  ) -> [FieldChange] {
    var changes: [FieldChange] = []
    compare(from, to, within: "", &changes)
    guard depth == .fields else { return changes }
    // Nested objects do not differ if only the order of their members does.
    let (before, after) = (values(from), values(to))
    let names = (to + from.filter { after[$0.name] == nil }).map(\.name)
    return names.filter { name in
      before[name] != after[name]
        && changes.contains { $0.field == name || $0.field.hasPrefix("\(name).") }
    }.map { FieldChange(field: $0, from: before[$0], to: after[$0]) }
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
