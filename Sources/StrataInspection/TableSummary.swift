import StrataJournal
import StrataRecords

/// An overview of one entity table of a file, or of one persisted value.
package struct TableSummary: Codable, Sendable, Equatable {
  package enum Kind: String, Codable, Sendable {
    case entities, value
  }

  package var name: String
  package var kind: Kind
  package var count: Int
  /// The bytes of the records.
  package var bytes: Int
  /// The fields of its newest layout; for a value that is not a record, one without a name.
  package var fields: [FieldSummary]
}

extension TableSummary {
  init(_ name: String, _ size: TableSize, _ catalog: LayoutCatalog) {
    let isValue = StoredValues.name(ofTable: name) != nil
    let fields = catalog.lastOfTable[name]?.fields ?? []
    self.init(
      name: name,
      kind: isValue ? .value : .entities,
      count: size.count,
      bytes: size.bytes,
      fields: isValue ? StoredValues.fields(in: fields) : fields.map(FieldSummary.init)
    )
  }
}

/// A field of a layout, in a ``TableSummary``.
package struct FieldSummary: Codable, Sendable, Equatable {
  package var name: String
  package var kind: String
  /// The tables that the IDs in it refer to, as text; nil if it has none.
  package var references: String?

  package init(name: String, kind: String, references: String? = nil) {
    self.name = name
    self.kind = kind
    self.references = references
  }
}

extension FieldSummary {
  init(_ field: Layout.Field) {
    self.init(
      name: field.name,
      kind: "\(field.kind)",
      references: field.references.map { "\($0)" }
    )
  }
}
