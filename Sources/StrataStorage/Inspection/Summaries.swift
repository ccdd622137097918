package import Foundation
package import StrataRecords

/// What a store's file is, at a glance.
package struct StoreSummary: Codable, Sendable, Equatable {
  package var path: String
  package var format: Int
  package var store: UUID
  package var epoch: Int64
  package var revision: Int64
  package var chain: String
  package var created: Date
  /// Bytes of the file, and of SQLite's WAL beside it.
  package var fileBytes: Int64
  package var walBytes: Int64
  package var tables: [String]
  /// The names of persisted values.
  package var values: [String]
  package var layouts: Int
  package var journal: JournalSummary
  package var snapshots: [SnapshotSummary]
  package var head: HeadSummary?
  /// Who has the store open for writing, if anyone.
  package var writer: String?
  package var sqlite: String
}

package struct JournalSummary: Codable, Sendable, Equatable {
  package var deltas: Int64
  package var first: Int64?
  package var bytes: Int64
}

package struct SnapshotSummary: Codable, Sendable, Equatable {
  package var revision: Int64
  package var time: Date
  package var entities: Int
  package var bytes: Int
  package var chunks: Int
  package var verified: Bool
  package var names: [String]
}

package struct HeadSummary: Codable, Sendable, Equatable {
  package var durable: Int64
  package var written: Int64
}

/// One entity table of a file, or one persisted value.
package struct TableSummary: Codable, Sendable, Equatable {
  package enum Kind: String, Codable, Sendable {
    case entities, value
  }

  package var name: String
  package var kind: Kind
  package var count: Int
  /// Of the records.
  package var bytes: Int
  /// Of a value that is no record: one without a name.
  package var fields: [FieldSummary]
}

package struct FieldSummary: Codable, Sendable, Equatable {
  package var name: String
  package var kind: String
}

/// One entity, or a persisted value, read without its type.
package struct ShownEntity: Sendable {
  package var table: String
  /// Nil for a persisted value, which has none.
  package var id: RecordValue?
  package var value: RecordValue

  package init(table: String, id: RecordValue?, value: RecordValue) {
    self.table = table
    self.id = id
    self.value = value
  }
}

/// One delta of the journal.
package struct DeltaSummary: Codable, Sendable, Equatable {
  package var revision: Int64
  /// The first revision it covers: less than `revision` where commits were merged.
  package var first: Int64
  package var time: Date
  package var name: String
  package var place: String
  package var entities: Int
  package var bytes: Int
  package var changes: [TableChangeSummary]
}

package struct TableChangeSummary: Codable, Sendable, Equatable {
  package var table: String
  package var put: [String] = []
  package var removed: [String] = []
  /// Changed in memory, but not in the file: the entity's `encode(to:)` refused.
  package var notPersisted: [String] = []
}

/// What was proved about a file, and what contradicts itself.
package struct Verification: Codable, Sendable, Equatable {
  package struct Check: Codable, Sendable, Equatable {
    package var name: String
    package var passed: Bool
    package var detail: String
  }

  package var path: String
  package var checks: [Check] = []

  /// Whether every check passed.
  package var isSound: Bool { checks.allSatisfy(\.passed) }
}
