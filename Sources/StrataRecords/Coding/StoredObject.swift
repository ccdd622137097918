/// Members that are encoded as a record, each as the type that wrote it would encode it.
///
/// So a record that was read as a ``RecordValue`` can be written again with some of its members changed. Only
/// ``RecordWriter`` can encode it.
package struct StoredObject: Encodable {
  private let members: [RecordValue.Member]
  private let fields: Set<String>
  private let references: [Layout.Field]

  /// - Parameters:
  ///   - fields: The members that the layout should list if it does not yet; others that it lacks are
  ///     written beside the record, as the keys of a dictionary are.
  ///   - layout: A layout whose references are those of the members: without it, the record has none.
  package init(
    _ members: [RecordValue.Member],
    fields: Set<String>,
    referringAs layout: Layout? = nil
  ) {
    self.members = members
    self.fields = fields
    references = layout.map { $0.tables.hasReferences ? $0.fields : [] } ?? []
  }

  package func encode(to encoder: any Encoder) throws {
    let record = try Self.record(encoder, "an object")
    var container = record.container(keyedBy: PathKey.self)
    for member in members where fields.contains(member.name) {
      if let field = references.first(where: { $0.name == member.name }) {
        record.encoding.put(
          stored: member.value,
          like: field,
          at: record.encoding.place(of: PathKey.name(member.name), in: record.frame),
          in: record.frame
        )
      } else {
        try container.encode(StoredValue(value: member.value), forKey: .name(member.name))
      }
    }
    record.encoding.add(
      UnknownFields(members: members.filter { !fields.contains($0.name) }),
      to: record.frame
    )
  }

  fileprivate static func record(_ encoder: any Encoder, _ what: String) throws -> RecordEncoder {
    guard let record = encoder as? RecordEncoder else {
      throw EncodingError.invalidValue(
        what,
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "Stored values are encoded as records only."
        )
      )
    }
    return record
  }

  /// One value, as its type would write it.
  private struct StoredValue: Encodable {
    let value: RecordValue

    func encode(to encoder: any Encoder) throws {
      let record = try StoredObject.record(encoder, "a value")
      switch value {
      case .array(let elements):
        var container = record.unkeyedContainer()
        for element in elements { try container.encode(StoredValue(value: element)) }
      case .object(let members):
        record.encoding.become(.keyed, record.frame)
        record.encoding.add(UnknownFields(members: Array(members)), to: record.frame)
      default: record.put(value)
      }
    }
  }
}
