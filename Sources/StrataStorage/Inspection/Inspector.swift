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
  package func answer<R>(_ question: (ReadView) throws -> R) throws(PersistenceError) -> R {
    var attempts = access.mode == .live ? 3 : 1
    while true {
      attempts -= 1
      do {
        return try question(try ReadView(access.connection))
      } catch is CorruptionError where attempts > 0 {
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
      let head = try HeadFile.read(path.head, on: access.disk)
      let (tables, values) = view.tables.splitIntoTablesAndValues()
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
            names: view.names.filter { $0.revision == snapshot.header.revision }.map(\.name)
          )
        },
        head: head.map {
          HeadSummary(durable: $0.durable.revision.number, written: $0.written.revision.number)
        },
        writer: access.mode == .live ? LockFile.owner(at: path.lock) : nil,
        sqlite: Connection.libraryVersion
      )
    }
  }

  /// The entity tables with how much is in them, and the persisted values.
  ///
  /// O(entities).
  package func tables() throws(PersistenceError) -> [TableSummary] {
    try answer { view in
      try view.read(at: view.last.revision) { merge in
        var summaries: [String: TableSummary] = [:]
        for name in view.tables { summaries[name] = TableSummary(empty: name, view.catalog) }
        while let entity = try merge.next() {
          summaries[entity.table]?.count += 1
          summaries[entity.table]?.bytes += entity.record.count
        }
        return summaries.values.sorted { $0.name < $1.name }
      }.contents
    }
  }

  /// The entities of a table in the order of their IDs, or the one with an ID; a persisted value as
  /// the only one of its table.
  ///
  /// Reads up to the end of the table, or up to the ID; of the table nothing else is decoded. The
  /// entities are all in memory.
  ///
  /// Throws `.notFound` for a table the file does not have, or an ID the table does not have.
  package func show(table: String, id: String? = nil) throws(PersistenceError) -> [ShownEntity] {
    let shown = try answer { view in
      guard view.tables.contains(table) else {
        throw PersistenceError(.inspecting, path: path.file, .notFound("table \(table)"))
      }
      let wanted = id.map { id in
        EncodedID.candidates(for: id).map { EntityKey(table: table, id: $0[...]) }
      }
      return try view.read(at: view.last.revision, extent: .visited) { merge in
        try Self.shown(&merge, table, wanted, view.catalog)
      }.contents
    }
    if let id, shown.isEmpty {
      throw PersistenceError(.inspecting, path: path.file, .notFound("entity \(id) in \(table)"))
    }
    return shown
  }

  /// The entities of a table, or those with the wanted keys; stops behind the last of them.
  private static func shown(
    _ merge: inout MergeIterator,
    _ table: String,
    _ wanted: [EntityKey]?,
    _ catalog: LayoutCatalog
  ) throws -> [ShownEntity] {
    let last = wanted?.max()
    var shown: [ShownEntity] = []
    while let entity = try merge.next() {
      if let last, last < entity.key { break }
      guard entity.table == table else {
        if table.utf8.lexicographicallyPrecedes(entity.table.utf8) { break }
        continue
      }
      guard wanted?.contains(entity.key) ?? true else { continue }
      let value = try RecordValue(
        record: entity.record,
        layout: try catalog.layout(entity.layout)
      )
      if let value = StoredValues.value(in: value, of: table) {
        shown.append(ShownEntity(table: table, id: nil, value: value))
      } else {
        let id = try EncodedID.value(of: Array(entity.id))
        shown.append(ShownEntity(table: table, id: id, value: value))
      }
    }
    return shown
  }
}

extension TableSummary {
  /// A table with nothing counted yet.
  fileprivate init(empty name: String, _ catalog: LayoutCatalog) {
    let isValue = StoredValues.name(ofTable: name) != nil
    let fields = catalog.lastOfTable[name]?.fields ?? []
    self.init(
      name: name,
      kind: isValue ? .value : .entities,
      count: 0,
      bytes: 0,
      fields: isValue ? StoredValues.fields(in: fields) : fields.map(FieldSummary.init)
    )
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
