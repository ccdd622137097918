import Foundation
import StrataBase
import StrataRecords

/// Which deltas of the journal are asked for.
package enum LogRange: Sendable, Equatable {
  /// The last so many.
  case last(Int)
  /// Up to so many after a revision.
  case after(Revision, limit: Int)
}

extension Inspector {
  /// Deltas of the journal in order, with which entities each changed.
  ///
  /// O(their entities).
  package func log(_ range: LogRange) throws(PersistenceError) -> [DeltaSummary] {
    try answer { view in
      let headers: [DeltaHeader]
      switch range {
      case .last(let count):
        let found = try view.journal.headers(before: view.last.revision.next, limit: count)
        headers = found.map(\.header).reversed()
      case .after(let revision, let limit):
        headers = try view.journal.headers(after: revision, limit: limit).map(\.header)
      }
      return try headers.map { try summary(of: $0, view) }
    }
  }

  private func summary(of header: DeltaHeader, _ view: ReadView) throws -> DeltaSummary {
    var changes: [TableChangeSummary] = []
    for number in 0..<header.parts {
      let place = "part \(number) of the delta at revision \(header.revision)"
      guard let body = try view.journal.part(number, of: header.revision) else {
        throw DamageFound("\(place) is missing")
      }
      let part = try Part(body, of: place)
      // A delta has no order of its own; people look for one.
      let entries = part.entries.sorted { a, b in
        a.table != b.table
          ? a.table < b.table : part.id(of: a).lexicographicallyPrecedes(part.id(of: b))
      }
      for entry in entries {
        let table = part.table(of: entry)
        if changes.last?.table != table { changes.append(TableChangeSummary(table: table)) }
        let id = EncodedID.text(of: part.id(of: entry))
        switch entry.change {
        case .put: changes[changes.count - 1].put.append(id)
        case .remove: changes[changes.count - 1].removed.append(id)
        case .notPersisted: changes[changes.count - 1].notPersisted.append(id)
        }
      }
    }
    return DeltaSummary(
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
