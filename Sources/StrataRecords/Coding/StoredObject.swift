/// Members that are encoded as a record, each as the type that wrote it would encode it.
///
/// So a record that was read as a ``RecordValue`` can be written again with some of its members changed. Only
/// ``RecordWriter`` can encode it.
package struct StoredObject: Encodable {
  private let members: [RecordValue.Member]
  private let fields: Set<String>?
  private let references: [String: Layout.Field]

  /// - Parameters:
  ///   - fields: The members that the layout should list if it does not yet, nil for all; others that it lacks
  ///     are written beside the record, as the keys of a dictionary are.
  ///   - layout: A layout whose references are those of the members: without it, the record has none.
  package init(
    _ members: [RecordValue.Member],
    fields: Set<String>? = nil,
    referringAs layout: Layout? = nil
  ) {
    self.members = members
    self.fields = fields
    let known = layout.map { $0.tables.hasReferences ? $0.fields : [] } ?? []
    references = Dictionary(known.lazy.map { ($0.name, $0) }) { first, _ in first }
  }

  package func encode(to encoder: any Encoder) throws {
    guard let record = encoder as? RecordEncoder else {
      throw EncodingError.invalidValue(
        "an object",
        EncodingError.Context(
          codingPath: encoder.codingPath,
          debugDescription: "Stored values are encoded as records only."
        )
      )
    }
    let (encoding, frame) = (record.encoding, record.frame)
    encoding.become(.keyed, frame)
    var others: [RecordValue.Member] = []
    for member in members {
      if let fields, !fields.contains(member.name) {
        others.append(member)
        continue
      }
      // The entity's own ID, as the type that wrote it would encode it.
      let value = member.name == "id" ? member.value.composed : member.value
      encoding.put(
        stored: value,
        like: references[member.name],
        at: encoding.place(of: PathKey.name(member.name), in: frame),
        in: frame
      )
    }
    if !others.isEmpty { encoding.add(UnknownFields(members: others), to: frame) }
  }
}
