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
  /// Deltas of the journal in order, with which entities each changed, verified by their hashes.
  ///
  /// O(their entities).
  package func log(_ range: LogRange) throws(PersistenceError) -> [DeltaSummary] {
    try answer { view in
      let (start, limit) = try view.start(of: range)
      guard let start else { return [] }
      var replay = view.replay(
        after: Revision(start.number - 1),
        chain: try view.chain(before: start)
      )
      var deltas: [DeltaSummary] = []
      while deltas.count < limit, replay.revision < view.last.revision,
        let (header, blocks) = try replay.next()
      {
        deltas.append(DeltaSummary(header, blocks))
      }
      return deltas
    }
  }
}

extension ReadView {
  /// The first revision of the first delta in a range, and how many deltas there are at most; nil where
  /// there is none.
  fileprivate func start(of range: LogRange) throws -> (start: Revision?, limit: Int) {
    switch range {
    case .last(let count):
      let headers = try journal.headers(before: last.revision.next, limit: count)
      return (headers.last?.header.first, count)
    case .after(let revision, let limit):
      let headers = try journal.headers(after: revision, limit: 1)
      return (headers.first?.header.first, limit)
    }
  }
}

extension DeltaSummary {
  fileprivate init(_ header: DeltaHeader, _ blocks: [ChangeBlock]) {
    var changes: [TableChangeSummary] = []
    for block in blocks {
      // A delta has no order of its own; people look for one.
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
