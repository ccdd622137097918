import StrataJournal
import StrataNormalization
import StrataRecords
import StrataStorage

/// A change set that waits for the writer, with the options of its tables.
struct DatabaseChanges: PendingChanges {
  let changes: ChangeSet
  /// The fields of the put entities that this build does not know.
  let fields: PutFields
  let policy: StoragePolicy

  var count: Int { changes.count }

  func merging(_ later: any PendingChanges) -> any PendingChanges {
    guard let later = later as? DatabaseChanges else {
      fatalError("DatabaseChanges.merging(_:) takes changes of the same store only.")
    }
    return DatabaseChanges(
      changes: changes.merging(later.changes),
      fields: fields.merging(later.fields, of: later.changes),
      policy: policy
    )
  }

  func encode(into delta: inout DeltaEncoder, _ encoder: inout EntityEncoder) throws {
    for changes in changes.tables { try encode(changes, into: &delta, &encoder) }
  }

  private func encode<Changes: AnyTableChanges>(
    _ changes: Changes,
    into delta: inout DeltaEncoder,
    _ encoder: inout EntityEncoder
  ) throws {
    let table = changes.table.text
    let transform: TableTransform<Changes.Entity>? = policy.transform(of: table)
    let fields = fields.fields(of: Changes.Entity.self, in: changes.table)
    for change in changes.changes {
      let id = try EncodedID.bytes(of: change.id.raw)
      switch change {
      case .remove: try delta.remove(id, from: table)
      case .put(let entity):
        try delta.put(id, in: table, &encoder, idText: "\(change.id)") {
          encoder,
          record throws(EncodingFailure) in
          let unknown = fields.isEmpty ? nil : fields[entity.id]
          return try encoder.encode(entity, unknown, id: id, table: table, transform, into: &record)
        }
      }
    }
  }

  func forEachEntity(_ body: (_ table: String, _ id: String) -> Void) {
    for changes in changes.tables { Self.forEachEntity(of: changes, body) }
  }

  private static func forEachEntity(
    of changes: some AnyTableChanges,
    _ body: (_ table: String, _ id: String) -> Void
  ) {
    for change in changes.changes { body(changes.table.text, "\(change.id)") }
  }
}
