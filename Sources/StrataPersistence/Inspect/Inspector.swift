import Foundation
import StrataBase
import StrataRecords
import StrataSQLite

/// Answers questions about a store's file without the types of its entities, changing nothing.
///
/// No read transaction outlives a statement (`info` and the start of each answer use one short
/// transaction), so a writer is never held up by someone who looks.
package final class Inspector {
  package let path: StorePath
  let access: ReadAccess

  /// Opens a file to read, in whatever way changes nothing; see ``ReadAccess``.
  ///
  /// - Parameter disk: the system's for a command, which has no configuration that names another.
  package init(path: String, on disk: Disk = .system) throws(PersistenceError) {
    self.path = try StorePath(path, for: .inspecting)
    do {
      access = try ReadAccess(self.path, on: disk)
      try RestoredFile.check(access.connection, self.path, .inspecting)
    } catch {
      throw PersistenceError(.inspecting, path: self.path.file, wrapping: error)
    }
  }

  /// Runs a question; where a writer is at work, what was asked for may be trimmed under it, and
  /// it is asked again.
  func answer<R>(_ question: (ReadView) throws -> R) throws(PersistenceError) -> R {
    var attempts = access.manner == .live ? 3 : 1
    while true {
      attempts -= 1
      do {
        return try question(try ReadView(access.connection))
      } catch is DamageFound where attempts > 0 {
        continue
      } catch {
        throw PersistenceError(.inspecting, path: path.file, wrapping: error)
      }
    }
  }
}

extension Inspector {
  /// The file at a glance.
  ///
  /// O(deltas) for their sum, no entity is read.
  package func info() throws(PersistenceError) -> StoreSummary {
    try answer { view in
      let connection = access.connection
      let extent = try view.journal.extent()
      let names = try SnapshotStore(connection: connection).names()
      let head = try HeadFile.read(path.head, on: access.disk)
      let (tables, values) = try StoreIdentity.tables(of: connection).partedByKind()
      return StoreSummary(
        path: path.file,
        format: Int(try connection.userVersion()),
        store: view.identity.id,
        epoch: view.identity.epoch,
        revision: view.last.revision.number,
        chain: view.last.chain.description,
        created: Date(microseconds: view.identity.created),
        fileBytes: path.fileSize,
        walBytes: path.walSize,
        tables: tables,
        values: values,
        layouts: view.catalog.count,
        journal: JournalSummary(
          deltas: extent.count,
          first: extent.first?.number,
          bytes: extent.bytes
        ),
        snapshots: view.snapshots.map { snapshot in
          SnapshotSummary(
            snapshot.header,
            names: names.filter { $0.revision == snapshot.header.revision }.map(\.name)
          )
        },
        head: head.map {
          HeadSummary(durable: $0.durable.revision.number, written: $0.written.revision.number)
        },
        writer: access.manner == .live ? LockFile.owner(at: path.lock) : nil,
        sqlite: Connection.libraryVersion
      )
    }
  }

  /// The entity tables with how much is in them, and the persisted values.
  ///
  /// O(entities).
  package func tables() throws(PersistenceError) -> [TableSummary] {
    try answer { view in
      var summaries: [String: TableSummary] = [:]
      for name in try StoreIdentity.tables(of: access.connection) {
        let isValue = StoredValues.name(ofTable: name) != nil
        let fields = view.catalog.lastOfTable[name]?.fields ?? []
        summaries[name] = TableSummary(
          name: name,
          kind: isValue ? .value : .entities,
          count: 0,
          bytes: 0,
          fields: isValue ? StoredValues.fields(in: fields) : fields.map(FieldSummary.init)
        )
      }
      var fold = try view.fold()
      while let entity = try fold.next() {
        summaries[entity.table]?.count += 1
        summaries[entity.table]?.bytes += entity.record.count
      }
      return summaries.values.sorted { $0.name < $1.name }
    }
  }

  /// The entities of a table in the order of their IDs, or the one with an ID; a persisted value as
  /// the only one of its table.
  ///
  /// O(entities).
  ///
  /// Throws `.notFound` for a table the file does not have, or an ID the table does not have.
  package func show(table: String, id: String? = nil) throws(PersistenceError) -> [ShownEntity] {
    let shown = try answer { view in
      guard try StoreIdentity.tables(of: access.connection).contains(table) else {
        throw PersistenceError(.inspecting, path: path.file, .notFound("table \(table)"))
      }
      let wanted = id.map { Set(EncodedID.candidates(for: $0)) }
      var shown: [ShownEntity] = []
      var fold = try view.fold()
      while let entity = try fold.next() {
        guard entity.table == table, wanted?.contains(Array(entity.id)) ?? true else { continue }
        let layout = try view.catalog.layout(entity.layout)
        let value = try RecordValue(record: entity.record, layout: layout)
        let id = try EncodedID.value(of: Array(entity.id))
        shown.append(
          StoredValues.value(in: value, of: table).map {
            ShownEntity(table: table, id: nil, value: $0)
          } ?? ShownEntity(table: table, id: id, value: value)
        )
      }
      return shown
    }
    if let id, shown.isEmpty {
      throw PersistenceError(.inspecting, path: path.file, .notFound("entity \(id) in \(table)"))
    }
    return shown
  }
}

extension SnapshotSummary {
  init(_ header: SnapshotHeader, names: [String]) {
    self.init(
      revision: header.revision.number,
      time: Date(microseconds: header.time),
      entities: header.entities,
      bytes: header.bytes,
      chunks: header.chunks,
      verified: header.state == .verified,
      names: names
    )
  }
}
