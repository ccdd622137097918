package import Foundation
import StrataBase
package import StrataJournal
import StrataRecords
import StrataSchema

/// An overview of a store's file.
///
/// It is printed as JSON: the names of its properties are stable, those of its types are not.
package struct StoreSummary: Codable, Sendable, Equatable {
  package var path: String
  package var format: Int
  package var store: UUID
  /// The application that the store belongs to, if it was named.
  package var application: String?
  /// The lineage that it is in.
  package var lineage: Lineage.ID
  package var revision: Int64
  package var chain: String
  package var created: Date
  /// The bytes of the file, and of SQLite's WAL beside it.
  package var fileBytes: Int64
  package var walBytes: Int64
  package var tables: [String]
  /// The names of persisted values.
  package var values: [String]
  package var layouts: Int
  package var journal: JournalSummary
  package var snapshots: [SnapshotSummary]
  package var head: HeadSummary?
  /// The times of the last commits, if they are ahead of the clock; nil otherwise.
  package var heldTimes: HeldTimes?
  /// What happened to the file, the first first.
  package var lineages: [LineageSummary]
  /// What was erased; nil if nothing was.
  package var erased: [ErasureSummary]?
  /// The process that has the store open for writing, if there is one.
  package var writer: String?
  package var sqlite: String
}

/// The deltas of a file, in a ``StoreSummary``.
package struct JournalSummary: Codable, Sendable, Equatable {
  package var deltas: Int64
  package var first: Int64?
  package var bytes: Int64
  /// The last revision whose delta was removed; nil if there is none.
  package var trimmed: Int64?
  /// The first revision from which on every revision can be read.
  package var readable: Int64
}

/// A snapshot of a file, in a ``StoreSummary``.
package struct SnapshotSummary: Codable, Sendable, Equatable {
  package var revision: Int64
  package var time: Date
  package var entities: Int
  /// How many of the entities are persisted values.
  package var values: Int
  package var bytes: Int
  package var chunks: Int
  package var verified: Bool
  package var names: [String]
}

extension SnapshotSummary {
  init(_ header: SnapshotHeader, values: Int, names: [String]) {
    self.init(
      revision: header.revision.number,
      time: Date(microseconds: header.time),
      entities: header.entities,
      values: values,
      bytes: header.bytes,
      chunks: header.chunks,
      verified: header.state == .verified,
      names: names
    )
  }
}

/// A lineage of a file, in a ``StoreSummary``.
package struct LineageSummary: Codable, Sendable, Equatable {
  package var id: Lineage.ID
  /// Why it began.
  package var reason: Lineage.Reason
  package var time: Date
  /// The last revision whose commit it has from the one before; nil for the first.
  package var branch: Int64?

  init(_ lineage: Lineage) {
    (id, reason, time) = (lineage.id, lineage.reason, lineage.time)
    branch = lineage.branch?.number
  }
}

/// An erasure of entities, in a ``StoreSummary``.
package struct ErasureSummary: Codable, Sendable, Equatable {
  package var time: Date
  /// The last revision at that time.
  package var revision: Int64
  /// How many entities, by table.
  package var entities: [String: Int]
  /// The deltas whose hashes were computed again; nil if none.
  package var firstRewritten: Int64?
  package var lastRewritten: Int64?
}

extension ErasureSummary {
  /// The erasures that a ledger lists.
  static func all(in ledger: [ErasureLedger.Entry]) -> [ErasureSummary] {
    var all: [ErasureSummary] = []
    for entry in ledger {
      let time = Date(microseconds: entry.time)
      if all.last?.time != time || all.last?.revision != entry.revision {
        all.append(
          ErasureSummary(
            time: time,
            revision: entry.revision,
            entities: [:],
            firstRewritten: entry.rewritten?.lowerBound,
            lastRewritten: entry.rewritten?.upperBound
          )
        )
      }
      all[all.count - 1].entities[entry.table, default: 0] += 1
    }
    return all
  }
}

/// What the head file states, in a ``StoreSummary``.
package struct HeadSummary: Codable, Sendable, Equatable {
  package var durable: Int64
  package var written: Int64
}

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
  /// The fields of its records; a value that is not a record has one without a name.
  package var fields: [FieldSummary]
}

extension TableSummary {
  /// - Parameter dropped: Fields of layouts whose columns were dropped.
  init(
    _ name: String,
    _ size: TableSize,
    _ catalog: LayoutCatalog,
    without dropped: Set<String>
  ) {
    let isValue = StoredValues.name(ofTable: name) != nil
    let fields = catalog.fields(of: name).filter { !dropped.contains($0.name) }
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
