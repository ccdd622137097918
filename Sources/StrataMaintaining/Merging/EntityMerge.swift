import Foundation
import StrataBase
package import StrataInspection
package import StrataJournal
package import StrataRecords
package import StrataStorage

/// Records that entities of a store get in one commit, each compared with what the store has now.
///
/// An ``EntityMergeSource`` finds them. The rules of the database are checked when the program opens the store.
package struct EntityMerge {
  /// An entity, or a persisted value, that gets another record.
  package struct Change: Sendable {
    /// What happens to it.
    package typealias Kind = StateDifference.Entity.Kind

    /// How the store has it.
    package enum Standing: String, Sendable, Codable {
      /// As the change expects it.
      case applies
      /// As after the change already.
      case present
      /// Otherwise: another commit has changed it since.
      case conflict
    }

    package let table: String
    /// Nil for a persisted value.
    package let id: RecordValue?
    package let kind: Kind
    package let standing: Standing
    /// The last commit that has changed it since, where that is known.
    package let changedSince: DeltaHeader?

    /// The table, and the ID.
    package var name: String { table + (id.map { " \($0.lineText)" } ?? "") }
  }

  /// What was found and written.
  package struct Result: Sendable {
    /// The revisions whose changes are made or undone, as the ranges of their deltas, in order.
    package var revisions: [ClosedRange<Revision>] = []
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

  /// What to do about entities that other commits have changed since.
  package enum Conflicts: Sendable {
    /// Write nothing.
    case refuse
    /// Give them the record all the same.
    case overwrite
  }

  /// The key of an entity.
  struct Key: Hashable {
    let table: String
    let id: [UInt8]

    /// Whether it comes first in the order of tables and IDs.
    func precedes(_ other: Key) -> Bool {
      EntityKey(table: table, id: id[...]) < EntityKey(table: other.table, id: other.id[...])
    }
  }

  /// A record with what it is read with, so that it can be copied to another file as it is.
  struct Record {
    let bytes: [UInt8]
    let layout: Layout

    func value() throws -> RecordValue { try RecordValue(record: bytes[...], layout: layout) }

    /// Whether both have the same fields; those of sealed records are not known.
    private func isEqual(to other: Record) throws -> Bool {
      if bytes == other.bytes, layout.id == other.layout.id { return true }
      if layout.isOfSealedRecords || other.layout.isOfSealedRecords { return false }
      return try value().hasSameFields(as: other.value())
    }

    static func areEqual(_ one: Record?, _ other: Record?) throws -> Bool {
      switch (one, other) {
      case (nil, nil): true
      case (let one?, let other?): try one.isEqual(to: other)
      default: false
      }
    }
  }

  package internal(set) var result = Result()
  private var writes: [(key: Key, record: Record?, now: Record?)] = []

  /// Adds an entity that gets a record in place of the present one; nil is none.
  mutating func add(
    _ key: Key,
    _ kind: Change.Kind,
    _ record: Record?,
    now: Record?,
    _ standing: Change.Standing,
    changedSince: DeltaHeader? = nil
  ) throws {
    let isValue = StoredValues.name(ofTable: key.table) != nil
    result.changes.append(
      Change(
        table: key.table,
        id: try isValue ? nil : EncodedID.value(of: key.id),
        kind: kind,
        standing: standing,
        changedSince: changedSince
      )
    )
    if standing != .present { writes.append((key, record, now)) }
  }

  /// The present records of the entities that are written, and those that they get, as a program reads deltas.
  ///
  /// Both are of `view`.
  package func blocks(in view: ReadView) throws -> (now: ChangeBlock, then: ChangeBlock) {
    var builders = (now: ChangeBlockBuilder(), then: ChangeBlockBuilder())
    for write in writes {
      try Self.append(write.now, write.key, to: &builders.now, view)
      try Self.append(write.record, write.key, to: &builders.then, view)
    }
    return (try ChangeBlock(builders.now.finish()), try ChangeBlock(builders.then.finish()))
  }

  private static func append(
    _ record: Record?,
    _ key: Key,
    to block: inout ChangeBlockBuilder,
    _ view: ReadView
  ) throws {
    guard let record else { return block.remove(key.id, from: key.table) }
    let layouts = view.catalog.numberedLayouts(of: key.table)
    guard let number = layouts.first(where: { $0.value.id == record.layout.id })?.key else {
      throw CorruptionError("a layout of the table \(key.table) is missing")
    }
    block.put(key.id, in: key.table, layout: number, record: record.bytes)
  }

  private static func append(
    _ record: Record?,
    _ key: Key,
    to delta: inout DeltaEncoder,
    _ session: WriterSession
  ) throws {
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

/// Where the records of an ``EntityMerge`` come from: another file of the store, or its history.
package protocol EntityMergeSource: Sendable {
  /// What to do about entities that other commits have changed since.
  var conflicts: EntityMerge.Conflicts { get }

  /// What is to be written, and why it cannot be.
  func merge(in store: ReadView) throws -> EntityMerge

  /// The name of the commit.
  func name(of result: EntityMerge.Result) -> String
}

extension EntityMergeSource {
  /// What ``write(to:_:)`` would do; changes nothing, and works beside a writer.
  ///
  /// O(deltas of the source, and entities that they changed; with a removal or a reference, entities).
  package func plan(_ store: String) throws(PersistenceError) -> EntityMerge.Result {
    try Inspector(path: store).query { try merge(in: $0).result }
  }

  /// Commits the records, in a store that no program has open.
  ///
  /// Nothing is written if the result has a refusal, or a conflict and none is accepted.
  ///
  /// - Throws: what the source throws, such as `.notReached` and `.trimmed` for a revision that the store does not have, or
  ///   not any more; and what opening a store throws.
  package func write(
    to store: String,
    _ configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) throws(PersistenceError) -> EntityMerge.Result {
    let path = try StorePath(store, for: .importing)
    return try OwnedStore.write(path, for: .importing, configuration) { session, file in
      let merge = try merge(in: try ReadView(session.connection))
      let isRefused = conflicts == .refuse && merge.result.count(.conflict) > 0
      if isRefused || !merge.result.refusals.isEmpty { return merge.result }
      let time = max(configuration.now().microseconds, file.lastTime)
      return try merge.append(to: session, named: name(of: merge.result), time: time)
    }
  }
}

extension EntityMerge {
  /// Writes the records as one delta, unless there are none.
  fileprivate func append(
    to session: WriterSession,
    named name: String,
    time: Int64
  ) throws -> Result {
    if writes.isEmpty { return result }
    let tables = try ReadView(session.connection).allTables
    try session.transaction {
      for table in Set(writes.map(\.key.table)).subtracting(tables).sorted() {
        try ListedTable.add(table, since: session.written.revision.next, to: session.connection)
      }
      _ = try session.append(named: name, time: time) { delta in
        for write in writes { try Self.append(write.record, write.key, to: &delta, session) }
      }
    }
    var result = result
    result.revision = session.written.revision
    return result
  }
}

/// References.
extension EntityMerge {
  /// A reference of an entity to an ID of a table.
  private typealias Dangling = (from: Key, table: String, id: [UInt8])

  /// Refuses references that would lead nowhere: of entities that are written, and to entities that are removed.
  ///
  /// - Parameter had: Which of some IDs a table had where the records come from. A reference that led nowhere there may do
  ///   so again.
  mutating func refuseDangling(
    in store: ReadView,
    _ had: (_ ids: Set<[UInt8]>, _ table: String) throws -> Set<[UInt8]>
  ) throws {
    let written = Dictionary(uniqueKeysWithValues: writes.map { ($0.key, $0.record) })
    let found = try dangling(written, in: store, had) + dangling(besides: written, in: store)
    result.refusals += found.prefix(Self.listed).map { key, table, id in
      """
      \(EncodedID.text(of: key.id[...])) of \(key.table) would refer to \(EncodedID.text(of: id[...])) of \(table), which \
      would not be there.
      """
    }
  }

  /// Those of the entities that are written, to entities that were there where the records come from.
  private func dangling(
    _ written: [Key: Record?],
    in store: ReadView,
    _ had: (_ ids: Set<[UInt8]>, _ table: String) throws -> Set<[UInt8]>
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
      present[table] = try store.present(ids, in: table)
      there[table] = try had(ids, table)
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
    try store.forEachEntity(referringTo: removed) { entity, table, id in
      let key = Key(table: entity.table, id: Array(entity.id))
      if written[key] == nil { found.append((key, table, id)) }
      return found.count < Self.listed
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

extension ReadScope {
  /// Few entities by their keys; for many, everything, as each change is compared with each key.
  init(_ keys: Set<EntityMerge.Key>) {
    self =
      keys.count > 64
      ? .everything : .entities(keys.map { EntityKey(table: $0.table, id: $0.id[...]) })
  }
}

extension ReadView {
  /// The records of some entities at a revision, without those that are not there.
  func records(
    _ keys: Set<EntityMerge.Key>,
    at revision: Revision
  ) throws -> [EntityMerge.Key: EntityMerge.Record] {
    var records: [EntityMerge.Key: EntityMerge.Record] = [:]
    let state = try state(at: revision, scope: ReadScope(keys))
    for (table, keys) in Dictionary(grouping: keys, by: \.table) where allTables.contains(table) {
      var scan = state.scan(table, .ids(Set(keys.map(\.id))))
      while let entity = try scan.next() {
        records[EntityMerge.Key(table: table, id: Array(entity.id))] = EntityMerge.Record(
          bytes: Array(entity.record),
          layout: try catalog.layout(entity.layout)
        )
      }
    }
    return records
  }
}
