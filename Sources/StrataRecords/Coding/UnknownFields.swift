/// The fields of a record that its type does not know.
///
/// A field is unknown if the type never asked for it while records of the layout were decoded. Fields in
/// structs inside the record count; those in elements of arrays and in values of dictionaries do not.
package struct UnknownFields: Sendable, Equatable {
  /// A member that the type knows, and the unknown fields in it.
  struct Nested: Sendable, Equatable {
    let name: String
    let fields: UnknownFields
  }

  var members: [RecordValue.Member] = []
  var nested: [Nested] = []
  /// What members refer to, by their names.
  var references: [String: ReferencedTables] = [:]

  var isEmpty: Bool { members.isEmpty && nested.isEmpty }

  /// The names of the fields of the record itself.
  package var names: some Sequence<String> { members.lazy.map(\.name) }
}

/// A value that is encoded with fields that its type does not know.
///
/// A field that the value writes itself wins. A field of a struct that the value no longer has, or that
/// has become something else, is left out.
package struct CarryingUnknownFields<Value: Encodable>: Encodable {
  private let value: Value
  private let fields: UnknownFields

  package init(_ value: Value, _ fields: UnknownFields) {
    self.value = value
    self.fields = fields
  }

  package func encode(to encoder: any Encoder) throws {
    try value.encode(to: encoder)
    if let encoder = encoder as? RecordEncoder { encoder.encoding.add(fields, to: encoder.frame) }
  }
}

extension RecordEncoding {
  /// Writes the fields that the type of a frame has not written.
  func add(_ fields: UnknownFields, to frame: Int) {
    guard frame < parts.frames.count, parts.form(of: frame) == .keyed else { return }
    let written = writtenNames(of: frame)
    for member in fields.members where !written.contains(member.name) {
      let place = place(named: member.name, in: frame)
      if let references = fields.references[member.name] {
        put(stored: member.value, to: references, at: place, in: frame)
      } else {
        put(stored: member.value, at: place, in: frame)
      }
    }
    for nested in fields.nested {
      let place = place(named: nested.name, in: frame)
      if let part = parts.frame(at: place, in: frame) { add(nested.fields, to: part) }
    }
  }

  private func writtenNames(of frame: Int) -> Set<String> {
    var names = Set(parts.extras(of: frame).map(\.name))
    let fields = parts.frames[frame].shape.table.map { tables.records[$0].names } ?? []
    var next = parts.firstEntry(of: frame)
    while let entry = next {
      if let slot = entry.slot { names.insert(fields[slot]) }
      next = parts.entry(after: entry)
    }
    return names
  }

  /// A stored value, as its type would write it.
  func put(stored value: RecordValue, at place: RecordParts.Place, in frame: Int) {
    switch value {
    case .array(let elements):
      let part = superEncoder(at: place, in: frame).frame
      become(.unkeyed, part)
      for element in elements { put(stored: element, at: nextPlace(in: part), in: part) }
    case .object(let members):
      let part = superEncoder(at: place, in: frame).frame
      become(.keyed, part)
      for member in members {
        put(stored: member.value, at: self.place(named: member.name, in: part), in: part)
      }
    default: put(value, at: place, in: frame)
    }
  }
}
