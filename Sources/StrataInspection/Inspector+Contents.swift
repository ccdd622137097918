import Foundation
import StrataBase
package import StrataJournal
import StrataRecords
import StrataSQLite
import StrataSchema

extension Inspector {
  /// Runs a query that reads the entities of a state one after another.
  ///
  /// If it meets damage, it runs again with the next older snapshot, as far back as the journal goes. The
  /// closure receives the number of snapshots to skip.
  func scanning<R>(
    _ body: (ReadView, _ skipping: Int) throws -> R
  ) throws(PersistenceError) -> R {
    try query { view in
      var damage: CorruptionError?
      for skipping in 0..<4 {
        do {
          return try body(view, skipping)
        } catch let error as CorruptionError {
          if try isOfTrimming(error, since: view) { throw error }
          damage = damage ?? error
        } catch {
          // Without the damaged snapshots the revision may be out of reach.
          if let damage { throw damage }
          throw error
        }
      }
      throw damage ?? CorruptionError("its entities cannot be read")
    }
  }

  /// Throws `.notFound` for a table that the file does not have.
  package func check(table: String?) throws(PersistenceError) {
    guard let table else { return }
    let tables = try query { $0.allTables }
    if !tables.contains(table) { throw noTable(table, among: tables) }
  }

  /// The error for a table that the file does not have, with the one that is probably meant.
  package func noTable(_ table: String, among tables: some Sequence<String>) -> PersistenceError {
    notFound("table \(table)\(table.question(among: tables))")
  }

  /// The checks and unique keys of tables, which only a program with their types can check: `stock (parts)`.
  package func rules(of tables: Set<String>) throws(PersistenceError) -> [String] {
    try query { view in
      view.listed.filter { tables.contains($0.name) }.flatMap { table in
        table.rules.map { "\($0) (\(table.name))" }
      }
    }
  }

  /// The error for an entity that a table does not have; it mentions an erasure.
  func missing(_ id: String, in table: String) throws(PersistenceError) -> PersistenceError {
    let erasure = try query { view in
      try view.erasure(
        of: view.ids(meantBy: id, in: table).map { EntityKey(table: table, id: $0[...]) }
      )
    }
    guard let erasure else { return notFound("entity \(id) in \(table)") }
    return notFound("entity \(id) in \(table): it was erased at \(Measures.time(erasure.time))")
  }

  /// The error for something that the file does not have.
  package func notFound(_ what: String) -> PersistenceError {
    PersistenceError(.inspecting, path: path.file, .notFound(what))
  }
}

extension Inspector {
  /// An overview of the file.
  ///
  /// O(deltas), to add up their sizes; no entity is read.
  package func info() throws(PersistenceError) -> StoreSummary {
    try query { view in
      let connection = access.connection
      let extent = try view.journal.extent()
      let head = try HeadFile.read(path.head, on: access.disk)
      let (tables, values) = view.tables.splitIntoTablesAndValues()
      let erased = ErasureSummary.all(in: try ErasureLedger.entries(on: connection))
      return StoreSummary(
        path: path.file,
        format: Int(try connection.userVersion()),
        store: view.identity.id,
        application: view.identity.application,
        lineage: view.identity.lineage,
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
          bytes: extent.bytes,
          trimmed: view.trimmed?.number,
          readable: view.oldest.number
        ),
        snapshots: try view.snapshots.map { snapshot in
          SnapshotSummary(
            snapshot.header,
            values: try view.countOfValues(in: snapshot.header.revision),
            names: view.names.filter { $0.revision == snapshot.header.revision }.map(\.name)
          )
        },
        head: head.map {
          HeadSummary(durable: $0.durable.revision.number, written: $0.written.revision.number)
        },
        heldTimes: try view.heldTimes(at: Scheduling.date),
        lineages: view.identity.lineages.map(LineageSummary.init),
        erased: erased.isEmpty ? nil : erased,
        writer: access.mode == .live ? LockFile.owner(at: path.lock) : nil,
        sqlite: Connection.libraryVersion
      )
    }
  }

  /// The revision that a person means.
  ///
  /// Throws `.notFound` for a name, `.notReached` and `.beforeHistory`.
  package func revision(
    of expression: RevisionExpression
  ) throws(PersistenceError) -> Revision { try query { try $0.revision(of: expression) } }

  /// The entity tables with their sizes at a revision, and the persisted values.
  ///
  /// O(chunks of the newest snapshot, and the deltas after it); only chunks with changes in their range of
  /// keys are read.
  package func tables(
    at expression: RevisionExpression = .head(back: 0)
  ) throws(PersistenceError) -> [TableSummary] {
    try query { view in
      let revision = try view.revision(of: expression)
      let sizes = try view.read(at: revision, extent: .visited) { try $0.sizes() }.contents
      return view.tables(at: revision).sorted().map { name in
        TableSummary(
          name,
          sizes[name] ?? TableSize(),
          view.catalog,
          without: view.droppedColumns(of: name, at: revision)
        )
      }
    }
  }

  /// The entities of a table at a revision in the order of their IDs, or only the one with an ID.
  ///
  /// A persisted value is the only entity of its table.
  ///
  /// O(chunks of the newest snapshot, and the deltas after it); reads one chunk for an ID, else all chunks of
  /// the table. Only the returned entities are decoded, and all of them are in memory.
  ///
  /// Throws `.notFound` for a table that the file does not have, or an ID that the table does not have.
  package func show(
    table: String,
    id: String? = nil,
    at expression: RevisionExpression = .head(back: 0)
  ) throws(PersistenceError) -> [UntypedEntity] {
    let entities = try scanning { view, skipping in
      let revision = try view.revision(of: expression)
      let tables = view.tables(at: revision)
      guard tables.contains(table) else { throw noTable(table, among: tables) }
      let (scope, filter) = try view.entities(of: table, meantBy: id)
      let state = try view.state(at: revision, skipping: skipping, scope: scope)
      var scan = state.scan(table, filter)
      var entities: [UntypedEntity] = []
      while let entity = try scan.next() {
        entities.append(try UntypedEntity(entity, view.catalog))
      }
      return entities
    }
    if let id, entities.isEmpty { throw try missing(id, in: table) }
    return entities
  }
}
