import Foundation
import StrataBase
import StrataInspection
import StrataJournal
import StrataRecords
import StrataSQLite
import StrataSchema
import StrataStorage

/// Writes one bundle.
final class BundleWriter {
  private let view: ReadView
  private let contexts: StoreBundle.Contexts
  private let fields: RedactedFields
  private var redaction: Redaction
  /// The layouts of the bundle: those of the store, and those of redacted records.
  private var catalog: LayoutCatalog
  /// The writers of redacted records, by the layouts of the originals.
  private var writers: [Int64: RecordWriter] = [:]
  /// The fields that no layout lists, as those within dictionaries, and that no record has had yet.
  private var missing: [StoreBundle.Field: [String: Set<FieldPath>]]

  init(
    _ view: ReadView,
    _ fields: RedactedFields,
    _ contexts: StoreBundle.Contexts,
    _ random: any RandomNumberGenerator
  ) {
    self.view = view
    self.fields = fields
    self.contexts = contexts
    missing = fields.open
    redaction = Redaction(random)
    catalog = view.catalog
  }

  /// Fills the file; returns a closure that makes the report once the size is known.
  func write(
    _ file: NewFile,
    last count: Int
  ) throws -> (_ path: String, _ bytes: Int64) -> StoreBundle.Report {
    let base = try baseRevision(last: count)
    let state = try view.state(at: base)
    let entities = try self.entities(in: state, after: base)
    let time = try view.time(of: view.last.revision)
    // It has only a part of the entities, so it is a continuation of nothing.
    let identity = StoreIdentity(
      id: view.identity.id,
      epoch: view.identity.epoch,
      created: view.identity.created,
      application: view.identity.application,
      lineages: [Lineage(.bundled, after: nil, at: time)]
    )
    let deltas = try file.createStore(now: time.microseconds) { connection in
      // A DEFAULT is in records as a value, too.
      try StoreCopy(from: view.journal.connection, to: connection)
        .allButHistory(of: view, as: identity, scripts: false) { !fields.has($0, $1) }
      let chain = Position.genesis(of: identity.id, identity.lineage)
      try writeSnapshot(of: entities, at: base, chain: chain, identity, to: connection)
      return try writeDeltas(after: base, chain: chain, identity, to: connection)
    }
    if let field = fields.fields.first(where: { missing[$0] != nil }) {
      throw MaintenanceError.notRedactable(
        field: "\(field)",
        detail: "no record of the bundle has it"
      )
    }
    let (last, replaced) = (view.last.revision, redaction.count)
    return { path, bytes in
      StoreBundle.Report(
        path: path,
        base: base,
        last: last,
        deltas: deltas,
        entities: entities.count,
        replacedValues: replaced,
        bytes: bytes
      )
    }
  }

  /// The revision before the last commits, as far as it can be read; the last one of a store without commits.
  private func baseRevision(last count: Int) throws -> Revision {
    let headers = try view.journal.headers(before: view.last.revision.next, limit: count)
    guard let first = headers.last?.header.first else { return view.last.revision }
    return max(first.previous, view.oldest)
  }
}

/// What is redacted.
extension BundleWriter {
  /// A record with its fields replaced; nil if it has none of them.
  private func redacted(
    _ number: Int64,
    _ record: ArraySlice<UInt8>,
    of table: String,
    in connection: Connection
  ) throws -> (layout: Int64, record: [UInt8])? {
    guard fields.tables.contains(table) else { return nil }
    let layout = try view.catalog.layout(number)
    let value = try RecordValue(record: record, layout: layout)
    let replaced = fields.replacing(in: value, of: table, layout) { value, kind, references in
      redaction.replacement(for: value, kind, references)
    }
    guard let replaced = replaced?.members, let before = value.members else { return nil }
    noteFound(in: value, of: table, layout)
    let patch = RecordPatch(layout)
    let values = zip(before, replaced).filter { $0 != $1 }.map { _, member in
      (field: patch.field(named: member.name), value: Optional(member.value))
    }
    if values.allSatisfy({ $0.field != nil }),
      let patched = try patch.replacing(
        values.map { (field: $0.field ?? 0, value: $0.value) },
        in: record
      )
    {
      return (number, patched)
    }
    var writer = writers[number] ?? RecordWriter(resuming: layout)
    var bytes: [UInt8] = []
    let object = StoredObject(replaced, referringAs: writer.layout)
    let new = try writer.encode(object, into: &bytes)
    writers[number] = writer
    return (try catalog.number(of: new, table: table, in: connection), bytes)
  }

  /// Notes that a record has fields that no layout lists.
  private func noteFound(in value: RecordValue, of table: String, _ layout: Layout) {
    for (field, paths) in missing {
      guard let paths = paths[table] else { continue }
      let found = RedactedFields.replacing(paths, in: value, of: table, layout) { value, _, _ in
        value
      }
      if found != nil { missing[field] = nil }
    }
  }
}

/// What is in the bundle.
extension BundleWriter {
  /// The entities at the base that the commits after it touch, and those that they refer to; all where there is no commit.
  private func entities(
    in state: EntityState,
    after base: Revision
  ) throws -> [EntityKey: StoredEntity] {
    var entities: [EntityKey: StoredEntity] = [:]
    for table in view.allTables where base == view.last.revision {
      var scan = state.scan(table)
      while let entity = try scan.next() {
        entities[EntityKey(table: table, id: Array(entity.id)[...])] = entity
      }
    }
    var known: Set<EntityKey> = []
    var next: [String: Set<[UInt8]>] = [:]
    func add(_ table: String, _ id: [UInt8]) {
      guard known.insert(EntityKey(table: table, id: id[...])).inserted else { return }
      next[table, default: []].insert(id)
    }
    func addReferences(_ number: Int64, _ record: ArraySlice<UInt8>) throws {
      let layout = try view.catalog.layout(number)
      let places = layout.references
      if places.isEmpty { return }
      let value = try RecordValue(record: record, layout: layout)
      for place in places {
        for id in place.encodedIDs(in: value) { add(place.table, id) }
      }
    }
    var replay = try view.changes(after: base)
    while replay.revision < view.last.revision, let (_, blocks) = try replay.next() {
      for block in blocks {
        for entry in block.entries {
          add(block.table(of: entry), Array(block.id(of: entry)))
          guard case .put(let layout, let record) = entry.change else { continue }
          try addReferences(layout, block.bytes[record])
        }
      }
    }
    while !next.isEmpty {
      let wanted = next
      next = [:]
      for (table, ids) in wanted.sorted(by: { $0.key < $1.key }) {
        var scan = state.scan(table, .ids(ids))
        while let entity = try scan.next() {
          entities[EntityKey(table: table, id: Array(entity.id)[...])] = entity
          try addReferences(entity.layout, entity.record)
        }
      }
    }
    return entities
  }

  private func writeSnapshot(
    of entities: [EntityKey: StoredEntity],
    at revision: Revision,
    chain: Checksum,
    _ identity: StoreIdentity,
    to connection: Connection
  ) throws {
    let snapshots = SnapshotStore(connection: connection)
    var chunks = try ChunkWriter(
      revision: revision,
      time: try view.time(of: revision).microseconds,
      chain: chain,
      of: identity,
      in: snapshots
    )
    var table: String?
    for (key, entity) in entities.sorted(by: { $0.key < $1.key }) {
      if key.table != table { try chunks.endRun(in: snapshots, catalog) }
      table = key.table
      var entity = entity
      if let new = try redacted(entity.layout, entity.record, of: key.table, in: connection) {
        entity = StoredEntity(
          table: key.table,
          id: entity.id,
          layout: new.layout,
          record: new.record[...]
        )
      }
      chunks.add(entity)
      if chunks.isFull { try chunks.writeChunk(to: snapshots, catalog) }
    }
    try chunks.finish(in: snapshots, catalog)
    for snapshot in try snapshots.all() {
      var cursor = try ChunkCursor(snapshot, of: identity, in: snapshots, catalog)
      try cursor.verifyAll()
    }
    try snapshots.markVerified(revision)
  }

  /// Writes the deltas, and returns how many there are.
  private func writeDeltas(
    after base: Revision,
    chain: Checksum,
    _ identity: StoreIdentity,
    to connection: Connection
  ) throws -> Int {
    var rewriter = HistoryRewriter(
      view,
      try view.changes(after: base),
      to: connection,
      of: identity,
      chain: chain,
      contexts == .keep ? .kept : .removed
    )
    try rewriter.rewriteDeltas(layouts: { try self.catalog.hashes(of: $0) }) {
      builder,
      _,
      block,
      entry in
      guard case .put(let layout, let record) = entry.change else { return false }
      let (table, id) = (block.table(of: entry), block.id(of: entry))
      guard let new = try self.redacted(layout, block.bytes[record], of: table, in: connection)
      else { return false }
      builder.put(
        id,
        in: table,
        layout: new.layout,
        record: new.record,
        former: block.former(of: entry)
      )
      return true
    }
    return rewriter.deltas
  }
}
