package import Foundation
import StrataBase
import StrataRecords

/// One delta of the journal, with the entities it changed.
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

/// The changes of one table, in a ``DeltaSummary``.
package struct TableChangeSummary: Codable, Sendable, Equatable {
  package var table: String
  package var put: [String] = []
  package var removed: [String] = []
  /// Changed in memory but not in the file, because the entity's `encode(to:)` threw.
  package var notPersisted: [String] = []
}

extension DeltaSummary {
  init(_ header: DeltaHeader, _ blocks: [ChangeBlock]) {
    var changes: [TableChangeSummary] = []
    for block in blocks {
      // A delta's entries are in no order; people expect one.
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
    self.init(
      revision: header.revision.number,
      first: header.first.number,
      time: Date(microseconds: header.time),
      name: header.name,
      place: header.place,
      entities: header.entities,
      bytes: header.bytes,
      changes: changes
    )
  }
}
