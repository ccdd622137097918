package import StrataRecords

/// A field as a person names it: `email`, and a part of a nested value, as in `contact.email` and `status.done.notes`.
///
/// The elements of arrays have no names: `lines.note` is the note of every line, and so are `lines[].note` and `lines[0].note`,
/// as references and searches print it. The keys of a dictionary can be named or
/// left out: `answers.first.text` is the text of one answer, `answers.text` that of all of them. A name may have dots
/// itself: each reading that a value has is meant.
package struct FieldPath: Hashable, Sendable, CustomStringConvertible {
  /// What follows the name of a member in a path.
  package enum Rest: Equatable, Sendable {
    /// Nothing: the whole member is meant.
    case nothing
    /// A path within the member.
    case path(FieldPath)
  }

  /// The names with dots between them, in Unicode's composed form.
  package let description: String

  package init(_ text: String) { description = text.composed }

  /// What follows the name of a member; nil if the path does not begin with it.
  package func rest(behind name: String) -> Rest? {
    let (text, name) = (description.utf8, name.composed.utf8)
    guard text.starts(with: name) else { return nil }
    var rest = text.dropFirst(name.count)
    while rest.first == UInt8(ascii: "["), let end = rest.firstIndex(of: UInt8(ascii: "]")) {
      rest = rest[rest.index(after: end)...]
    }
    if rest.isEmpty { return .nothing }
    guard rest.first == UInt8(ascii: "."), rest.count > 1 else { return nil }
    return .path(FieldPath(String(Substring(rest.dropFirst()))))
  }

  /// The path of a part of the member with a name.
  package func behind(_ name: String) -> FieldPath { FieldPath("\(name).\(description)") }
}

extension Set<FieldPath> {
  /// What is meant of a member with a name: all of it, or these paths within it.
  fileprivate func rest(behind name: String) -> (isWhole: Bool, paths: Set<FieldPath>) {
    var result: (isWhole: Bool, paths: Set<FieldPath>) = (false, [])
    for path in self {
      switch path.rest(behind: name) {
      case .nothing: result.isWhole = true
      case .path(let rest): result.paths.insert(rest)
      case nil: break
      }
    }
    return result
  }
}

extension RecordValue {
  /// What takes the place of a value, by its kind and references in the layout.
  package typealias Replacement = (RecordValue, Layout.Kind?, ReferencedTables?) -> RecordValue

  /// The value of a record with the values at paths replaced; nil if it has none of them.
  ///
  /// O(values on the paths).
  package func replacing(
    _ paths: Set<FieldPath>,
    _ layout: Layout,
    _ replacement: Replacement
  ) -> RecordValue? {
    replacing(paths, .record(layout.fields), nil, replacement)
  }

  private func replacing(
    _ paths: Set<FieldPath>,
    _ kind: Layout.Kind?,
    _ references: ReferencedTables?,
    _ replacement: Replacement
  ) -> RecordValue? {
    switch self {
    case .array(let elements):
      let kind: Layout.Kind? = if case .array(of: let element)? = kind { element } else { nil }
      var isChanged = false
      let replaced = elements.enumerated().map { index, element in
        let part = element.replacing(
          paths,
          kind,
          references?.ofElement(index),
          replacement
        )
        isChanged = isChanged || part != nil
        return part ?? element
      }
      return isChanged ? .array(.init(replaced)) : nil
    case .object(let members):
      var isChanged = false
      let replaced = members.map { member in
        let part = member.replacing(paths, kind, references, replacement)
        isChanged = isChanged || part != nil
        return Member(member.name, part ?? member.value)
      }
      return isChanged ? .object(.init(replaced)) : nil
    default: return nil
    }
  }
}

extension RecordValue.Member {
  /// The value of a member of an object with the values at paths replaced; nil if it has none of them.
  fileprivate func replacing(
    _ paths: Set<FieldPath>,
    _ kind: Layout.Kind?,
    _ references: ReferencedTables?,
    _ replacement: RecordValue.Replacement
  ) -> RecordValue? {
    let (isWhole, named) = paths.rest(behind: name)
    var within = named
    var field: Layout.Field?
    var references = references
    if case .record(let fields)? = kind {
      field = fields.first { $0.name == name }
      references = field?.references
    } else {
      // A key of a dictionary, which a path may leave out.
      within.formUnion(paths)
      references = references?.ofValues
    }
    if isWhole { return replacement(value, field?.kind, references) }
    return within.isEmpty ? nil : value.replacing(within, field?.kind, references, replacement)
  }
}

extension ReferencedTables {
  /// What an element of an array refers to; a dictionary may be an array of alternating keys and values.
  package func ofElement(_ index: Int) -> ReferencedTables? {
    switch self {
    case .table: nil
    case .elements(let elements): elements
    case .dictionary(let keys, let values): index % 2 == 0 ? keys : values
    }
  }

  /// What the values of a dictionary refer to.
  package var ofValues: ReferencedTables? {
    if case .dictionary(_, let values) = self { values } else { nil }
  }

  /// What the keys of a dictionary refer to.
  package var ofKeys: ReferencedTables? {
    if case .dictionary(let keys, _) = self { keys } else { nil }
  }
}

extension Layout {
  /// What a layout says of a path.
  package struct PathFindings: Sendable {
    /// Whether a field has values of its own there, which are no IDs.
    package fileprivate(set) var hasValues = false
    /// Whether the layout does not say what is there: a dictionary, or a field of several kinds.
    package fileprivate(set) var isOpen = false
    /// The tables whose IDs are there.
    package fileprivate(set) var ids: Set<String> = []

    package init() {}
  }

  /// Adds what the records of the layout have at a path; O(fields).
  package func find(_ path: FieldPath, _ findings: inout PathFindings) {
    Self.find(path, .record(fields), &findings)
  }

  private static func find(_ path: FieldPath, _ kind: Kind, _ findings: inout PathFindings) {
    switch kind {
    case .scalar: break
    case .unknown, .tagged: findings.isOpen = true
    case .array(of: let element): find(path, element, &findings)
    case .record(let fields):
      for field in fields {
        switch path.rest(behind: field.name) {
        case .nothing:
          if let tables = field.tablesOfIDs {
            findings.ids.formUnion(tables)
          } else {
            findings.hasValues = true
          }
        case .path(let rest): find(rest, field.kind, &findings)
        case nil: break
        }
      }
    }
  }
}

extension Layout.Field {
  /// The tables of the IDs that are all that the field holds; nil if it may hold other values too.
  fileprivate var tablesOfIDs: Set<String>? {
    if let references { return references.tablesOfIDs }
    switch kind {
    case .record(let fields):
      let tables = fields.map(\.tablesOfIDs)
      return tables.isEmpty || tables.contains(nil)
        ? nil : tables.reduce(into: []) { $0.formUnion($1 ?? []) }
    case .unknown, .scalar, .tagged, .array: return nil
    }
  }
}

extension ReferencedTables {
  /// The tables of the IDs that are all that a value holds; nil if it holds other values too.
  fileprivate var tablesOfIDs: Set<String>? {
    switch self {
    case .table(let name): [name]
    case .elements(let elements): elements.tablesOfIDs
    case .dictionary(let keys, let values):
      keys?.tablesOfIDs.flatMap { keys in values?.tablesOfIDs.map { keys.union($0) } }
    }
  }
}
