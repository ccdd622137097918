extension Layout {
  /// A place in the records of a layout that holds IDs of entities of a table.
  package struct Reference: Hashable, Sendable {
    /// A step on the way from the record to the IDs.
    package enum Step: Hashable, Sendable {
      case field(String)
      /// Every element of an array.
      case element
      /// Every key of a dictionary.
      case key
      /// Every value of a dictionary.
      case value
    }

    package let path: [Step]
    package let table: String

    package init(path: [Step], table: String) {
      self.path = path
      self.table = table
    }
  }

  /// The places that hold IDs of other entities, in the order of the fields; O(fields).
  ///
  /// A field `id` at the top is the entity's own ID, not a reference. IDs in a value that describes itself (a
  /// field seen in two shapes, a struct in a dictionary) are not recognized either.
  package var references: [Reference] {
    var found: [Reference] = []
    Self.add(fields, at: [], to: &found)
    return found
  }

  private static func add(
    _ fields: [Field],
    at path: [Reference.Step],
    to found: inout [Reference]
  ) {
    for field in fields {
      let path = path + [.field(field.name)]
      if let references = field.references {
        add(references, at: path, to: &found)
      } else {
        add(field.kind, at: path, to: &found)
      }
    }
  }

  private static func add(
    _ kind: Kind,
    at path: [Reference.Step],
    to found: inout [Reference]
  ) {
    switch kind {
    case .unknown, .scalar, .tagged: break
    case .array(of: let element): add(element, at: path + [.element], to: &found)
    case .record(let fields): add(fields, at: path, to: &found)
    }
  }

  private static func add(
    _ tables: ReferencedTables,
    at path: [Reference.Step],
    to found: inout [Reference]
  ) {
    switch tables {
    case .table(let name): found.append(Reference(path: path, table: name))
    case .elements(let elements): add(elements, at: path + [.element], to: &found)
    case .dictionary(let keys, let values):
      if let keys { add(keys, at: path + [.key], to: &found) }
      if let values { add(values, at: path + [.value], to: &found) }
    }
  }
}

extension Layout.Reference: CustomStringConvertible {
  /// As a person reads it: `lines[].product → products`, `counts{key} → users`.
  package var description: String {
    var text = ""
    for step in path {
      switch step {
      case .field(let name): text += text.isEmpty ? name : ".\(name)"
      case .element: text += "[]"
      case .key: text += "{key}"
      case .value: text += "{value}"
      }
    }
    return "\(text) → \(table)"
  }
}
