import StrataJournal
import StrataRecords

/// One delta of the journal, with the entities it changed.
///
/// In its JSON, the members of the commit are beside its own.
@dynamicMemberLookup
package struct DeltaSummary: Codable, Sendable, Equatable {
  package var commit: CommitSummary
  package var entities: Int
  package var bytes: Int
  /// Empty where only the header of the delta was read.
  package var changes: [TableChangeSummary]

  private enum CodingKeys: CodingKey {
    case entities, bytes, changes
  }

  init(_ header: DeltaHeader, changes: [TableChangeSummary] = []) throws(CorruptionError) {
    commit = try CommitSummary(header)
    (entities, bytes) = (header.entities, header.bytes)
    self.changes = changes
  }

  package init(from decoder: any Decoder) throws {
    commit = try CommitSummary(from: decoder)
    let container = try decoder.container(keyedBy: CodingKeys.self)
    entities = try container.decode(Int.self, forKey: .entities)
    bytes = try container.decode(Int.self, forKey: .bytes)
    changes = try container.decode([TableChangeSummary].self, forKey: .changes)
  }

  package func encode(to encoder: any Encoder) throws {
    try commit.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(entities, forKey: .entities)
    try container.encode(bytes, forKey: .bytes)
    try container.encode(changes, forKey: .changes)
  }

  package subscript<Member>(dynamicMember member: KeyPath<CommitSummary, Member>) -> Member {
    commit[keyPath: member]
  }
}

/// The changes of one table, in a ``DeltaSummary``.
package struct TableChangeSummary: Codable, Sendable, Equatable {
  package var table: String
  package var put: [String] = []
  /// Those of `put` that did not exist before; nil if that is not known.
  package var inserted: [String]?
  /// The names of the changed fields of those of `put` that existed before, by their IDs; nil if they were
  /// not asked for.
  package var fields: [String: [String]]?
  package var removed: [String] = []
  /// Changed in memory but not in the file, because the entity's `encode(to:)` threw.
  package var notPersisted: [String] = []
}

extension DeltaSummary {
  init(_ header: DeltaHeader, _ blocks: [ChangeBlock]) throws(CorruptionError) {
    var changes: [TableChangeSummary] = []
    for block in blocks {
      // The entries of a delta have no order; people expect one.
      let entries = block.entries.sorted { block.key(of: $0) < block.key(of: $1) }
      for entry in entries {
        let table = block.table(of: entry)
        if changes.last?.table != table { changes.append(TableChangeSummary(table: table)) }
        let id = EncodedID.text(of: block.id(of: entry))
        switch entry.change {
        case .put: changes[changes.count - 1].put.append(id)
        case .remove: changes[changes.count - 1].removed.append(id)
        case .notPersisted: changes[changes.count - 1].notPersisted.append(id)
        }
      }
    }
    try self.init(header, changes: changes)
  }
}
