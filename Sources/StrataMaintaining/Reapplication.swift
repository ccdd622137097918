import Foundation
import StrataBase
package import StrataInspection
package import StrataJournal
package import StrataRecords
import StrataSQLite
import StrataSchema
package import StrataStorage

/// Commits again what the last revisions of another file of a store changed, such as one that was set aside.
///
/// The two files have the same commits up to a revision. Three states of each entity are compared: the one at that
/// revision, the one at the end of the other file, and the present one of the store. An entity that the store still has as
/// at that revision gets the state of the other file; one that both have changed is a conflict. All of it becomes one
/// commit, or nothing is written. The rules of the database are checked when the program opens the store.
package struct Reapplication: Sendable {
  /// An entity, or a persisted value, that the revisions changed.
  package struct Change: Sendable {
    /// What the revisions did with it.
    package typealias Kind = StateDifference.Entity.Kind

    /// How the store has it.
    package enum Standing: String, Sendable, Codable {
      /// As before the revisions.
      case applies
      /// As after them.
      case present
      /// Otherwise: the store has changed it too.
      case conflict
    }

    package let table: String
    /// Nil for a persisted value.
    package let id: RecordValue?
    package let kind: Kind
    package let standing: Standing
  }

  /// What was found and written.
  package struct Result: Sendable {
    /// The revisions that only the other file has; nil if there are none.
    package var revisions: ClosedRange<Revision>?
    /// In the order of tables and IDs.
    package var changes: [Change] = []
    /// Why nothing can be written besides conflicts, as sentences.
    package var refusals: [String] = []
    /// The revision of the commit; nil if nothing was written.
    package var revision: Revision?

    package func count(_ standing: Change.Standing) -> Int {
      changes.count(where: { $0.standing == standing })
    }
  }

  /// What to do about entities that the store has changed too.
  package enum Conflicts: Sendable {
    /// Write nothing.
    case refuse
    /// Give them the state of the other file.
    case overwrite
  }

  private let source: String
  private let first: Revision?
  private let conflicts: Conflicts
  private let references: ReferencePolicy

  /// - Parameters:
  ///   - source: The other file of the store.
  ///   - first: The first revision that only it has; nil to find it by the hashes of the two.
  package init(
    of source: String,
    from first: Revision? = nil,
    conflicts: Conflicts = .refuse,
    references: ReferencePolicy = .refuse
  ) {
    self.source = source
    self.first = first
    self.conflicts = conflicts
    self.references = references
  }

  /// What ``write(to:_:)`` would do; changes nothing, and works beside a writer.
  ///
  /// O(deltas that only one of the two files has, and entities that they changed; with a removal or a reference, entities).
  package func plan(_ store: String) throws(PersistenceError) -> Result {
    try Inspector(path: store).query { try plan($0).result }
  }

  /// Commits the changes again, in a store that no program has open.
  ///
  /// Nothing is written if the result has a refusal, or a conflict and none is accepted.
  package func write(
    to store: String,
    _ configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) throws(PersistenceError) -> Result {
    let path = try StorePath(store, for: .importing)
    return try OwnedStore.write(path, for: .importing, configuration) { session, file in
      let (plan, writes) = try plan(try ReadView(session.connection))
      var result = plan
      let isRefused = conflicts == .refuse && result.count(.conflict) > 0
      if isRefused || !result.refusals.isEmpty || writes.isEmpty { return result }
      let tables = try ReadView(session.connection).allTables
      let time = max(configuration.now().microseconds, file.lastTime)
      try session.transaction {
        for table in Set(writes.map(\.key.table)).subtracting(tables).sorted() {
          try ListedTable.add(table, since: session.written.revision.next, to: session.connection)
        }
        _ = try session.append(named: name(result), time: time) { delta in
          for write in writes { try write.append(to: &delta, session) }
        }
      }
      result.revision = session.written.revision
      return result
    }
  }

  /// The name of the commit.
  private func name(_ result: Result) -> String {
    let path = PathParts(source)
    let directory = PathParts(path.directory).name
    let name = directory.hasPrefix(path.name) ? directory : path.name
    let revisions = result.revisions.map { "\($0.lowerBound) to \($0.upperBound) " } ?? ""
    return "reapply \(revisions)of \(name)"
  }
}

/// Finding.
extension Reapplication {
  /// An entity with the record that it gets.
  private struct Write {
    let key: Key
    /// Nil to remove it.
    let record: Record?

    func append(to delta: inout DeltaEncoder, _ session: WriterSession) throws {
      guard let record else { return try delta.remove(key.id, from: key.table) }
      let number = try session.number(of: record.layout, table: key.table)
      if !record.layout.isOfSealedRecords {
        try session.note(record.bytes, record.layout, table: key.table)
      }
      try delta.put(
        StoredEntity(table: key.table, id: key.id[...], layout: number, record: record.bytes[...])
      )
    }
  }

  private struct Key: Hashable {
    let table: String
    let id: [UInt8]

    /// Whether it comes first in the order of tables and IDs.
    func precedes(_ other: Key) -> Bool {
      EntityKey(table: table, id: id[...]) < EntityKey(table: other.table, id: other.id[...])
    }
  }

  /// A record with what it is read with, so that it can be copied to another file as it is.
  private struct Record {
    let bytes: [UInt8]
    let layout: Layout

    /// Whether both have the same fields; those of sealed records are not known.
    func isEqual(to other: Record) throws -> Bool {
      if bytes == other.bytes, layout.id == other.layout.id { return true }
      if layout.isOfSealedRecords || other.layout.isOfSealedRecords { return false }
      return try value().hasSameFields(as: other.value())
    }

    func value() throws -> RecordValue { try RecordValue(record: bytes[...], layout: layout) }
  }

  private func plan(_ store: ReadView) throws -> (result: Result, writes: [Write]) {
    var result = Result()
    var writes: [Write] = []
    try Inspector(path: source).query { other in
      result = Result()
      writes = []
      guard other.identity.id == store.identity.id else {
        result.refusals.append("\(source) is a file of another store.")
        return
      }
      guard try migrations(of: other) == migrations(of: store) else {
        result.refusals.append(
          """
          The migrations that ran on \(source) are not those of the store, so its records may have another shape: commit \
          them again through the program.
          """
        )
        return
      }
      guard let common = try first?.previous ?? commonRevision(of: other, and: store) else {
        result.refusals.append(
          """
          \(source) and the store have no revision in common that both still know: name the first revision that only \
          \(source) has.
          """
        )
        return
      }
      guard common < other.last.revision else { return }
      result.revisions = common.next...other.last.revision
      let keys = try keys(changedAfter: common, in: other)
      let before = try records(keys, in: other, at: common)
      let after = try records(keys, in: other, at: other.last.revision)
      let now = try records(keys, in: store, at: store.last.revision)
      for key in keys.sorted(by: { $0.precedes($1) }) {
        let (old, new, present) = (before[key], after[key], now[key])
        // One that the revisions have added and removed, or changed and changed back.
        if try Self.areEqual(old, new) { continue }
        var standing = Change.Standing.conflict
        if try Self.areEqual(new, present) {
          standing = .present
        } else if try Self.areEqual(old, present) {
          standing = .applies
        }
        let isValue = StoredValues.name(ofTable: key.table) != nil
        result.changes.append(
          Change(
            table: key.table,
            id: try isValue ? nil : EncodedID.value(of: key.id),
            kind: old == nil ? .added : new == nil ? .removed : .changed,
            standing: standing
          )
        )
        if standing != .present { writes.append(Write(key: key, record: new)) }
      }
      if references == .refuse { result.refusals += try dangling(after: writes, in: store, other) }
    }
    return (result, writes)
  }

  /// What determines the shape of records: the names and numbers of the migrations.
  private func migrations(of view: ReadView) throws -> [String] {
    try DataLedger.entries(on: view.journal.connection).map { "\($0.number) \($0.name)" }
  }

  /// The last revision at which both files have the same chain.
  private func commonRevision(of other: ReadView, and store: ReadView) throws -> Revision? {
    var revision = other.last.revision.next
    while true {
      let headers = try other.journal.headers(before: revision, limit: 1_000)
      guard let last = headers.last else { break }
      for (header, hash) in headers where try store.chain(at: header.revision) == hash {
        return header.revision
      }
      revision = last.header.revision
    }
    // Before its first delta it has a snapshot.
    guard let anchor = other.anchors.last?.header,
      try store.chain(at: anchor.revision) == anchor.chain
    else { return nil }
    return anchor.revision
  }

  private func keys(changedAfter revision: Revision, in view: ReadView) throws -> Set<Key> {
    var keys: Set<Key> = []
    var changes = try view.changes(after: revision)
    while changes.revision < view.last.revision, let (_, blocks) = try changes.next() {
      for block in blocks {
        for entry in block.entries {
          keys.insert(Key(table: block.table(of: entry), id: Array(block.id(of: entry))))
        }
      }
    }
    return keys
  }

  private func records(
    _ keys: Set<Key>,
    in view: ReadView,
    at revision: Revision
  ) throws -> [Key: Record] {
    var records: [Key: Record] = [:]
    let scope = ReadScope.entities(keys.map { EntityKey(table: $0.table, id: $0.id[...]) })
    let state = try view.state(at: revision, scope: scope)
    for (table, keys) in Dictionary(grouping: keys, by: \.table)
    where view.allTables.contains(table) {
      var scan = state.scan(table, .ids(Set(keys.map(\.id))))
      while let entity = try scan.next() {
        records[Key(table: table, id: Array(entity.id))] = Record(
          bytes: Array(entity.record),
          layout: try view.catalog.layout(entity.layout)
        )
      }
    }
    return records
  }

  private static func areEqual(_ one: Record?, _ other: Record?) throws -> Bool {
    switch (one, other) {
    case (nil, nil): true
    case (let one?, let other?): try one.isEqual(to: other)
    default: false
    }
  }

  /// References that would lead nowhere: of entities that are written, and to entities that are removed.
  private func dangling(
    after writes: [Write],
    in store: ReadView,
    _ other: ReadView
  ) throws -> [String] {
    let written = Dictionary(uniqueKeysWithValues: writes.map { ($0.key, $0.record) })
    let found =
      try dangling(from: writes, written, in: store, other) + dangling(besides: written, in: store)
    return found.prefix(Self.listed).map { key, table, id in
      """
      \(EncodedID.text(of: key.id[...])) of \(key.table) would refer to \(EncodedID.text(of: id[...])) of \(table), which \
      would not be there.
      """
    }
  }

  /// A reference of an entity to an ID of a table.
  private typealias Dangling = (from: Key, table: String, id: [UInt8])

  /// Those of the entities that are written, to entities that the other file has.
  private func dangling(
    from writes: [Write],
    _ written: [Key: Record?],
    in store: ReadView,
    _ other: ReadView
  ) throws -> [Dangling] {
    var references: [(key: Key, place: Layout.Reference, ids: [[UInt8]])] = []
    var wanted: [String: Set<[UInt8]>] = [:]
    for write in writes {
      guard let record = write.record, !record.layout.isOfSealedRecords else { continue }
      for place in record.layout.references {
        let ids = place.encodedIDs(in: try record.value())
        references.append((write.key, place, ids))
        wanted[place.table, default: []].formUnion(ids)
      }
    }
    var (present, there): ([String: Set<[UInt8]>], [String: Set<[UInt8]>]) = ([:], [:])
    for (table, ids) in wanted {
      if store.allTables.contains(table) { present[table] = try store.present(ids, in: table) }
      if other.allTables.contains(table) { there[table] = try other.present(ids, in: table) }
    }
    for (key, record) in written {
      if record == nil {
        present[key.table]?.remove(key.id)
      } else {
        present[key.table, default: []].insert(key.id)
      }
    }
    return references.compactMap { key, place, ids in
      let known = present[place.table] ?? []
      // The key of a dictionary may mean several IDs.
      if place.path.last == .key, !known.isDisjoint(with: ids) { return nil }
      let missing = ids.first { !known.contains($0) && there[place.table]?.contains($0) == true }
      return missing.map { (key, place.table, $0) }
    }
  }

  /// Those of other entities to the ones that are removed; O(entities of the tables that refer to theirs).
  private func dangling(besides written: [Key: Record?], in store: ReadView) throws -> [Dangling] {
    var removed: [String: Set<[UInt8]>] = [:]
    for (key, record) in written where record == nil {
      removed[key.table, default: []].insert(key.id)
    }
    var found: [Dangling] = []
    for table in store.allTables.sorted() where !removed.isEmpty {
      let places = store.catalog.numberedLayouts(of: table).mapValues { layout in
        layout.references.filter { removed[$0.table] != nil }
      }
      guard places.values.contains(where: { !$0.isEmpty }) else { continue }
      var scan = try store.state(at: store.last.revision, scope: .table(table)).scan(table)
      while found.count < Self.listed, let entity = try scan.next() {
        let key = Key(table: table, id: Array(entity.id))
        guard let places = places[entity.layout], !places.isEmpty, written[key] == nil else {
          continue
        }
        let layout = try store.catalog.layout(entity.layout)
        let value = try RecordValue(record: entity.record, layout: layout)
        for place in places {
          let ids = place.encodedIDs(in: value)
          guard let id = ids.first(where: { removed[place.table]?.contains($0) == true }) else {
            continue
          }
          found.append((key, place.table, id))
          break
        }
      }
    }
    return found
  }

  /// How many references are named.
  private static var listed: Int { 20 }
}

extension RecordValue {
  /// Whether two records have equal members, whatever their order.
  fileprivate func hasSameFields(as other: RecordValue) -> Bool {
    guard case .object(let members) = self, case .object(let otherMembers) = other else {
      return self == other
    }
    let (own, others) = (Array(members), Array(otherMembers))
    let values = Dictionary(others.map { ($0.name, $0.value) }) { first, _ in first }
    return own.count == others.count && own.allSatisfy { values[$0.name] == $0.value }
  }
}
