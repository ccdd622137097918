import Foundation
import StrataBase
import StrataColumns
import StrataInspection
package import StrataJournal
package import StrataRecords
import StrataSQLite
package import StrataStorage

/// Entities to be added to a table of a store that no program has open, without their type.
package struct EntityAddition: Sendable {
  /// An entity by its encoded ID.
  ///
  /// It has the bytes of a record, which take less memory than its values.
  package struct Entity: Sendable {
    package let id: [UInt8]
    fileprivate let record: [UInt8]
    fileprivate let layout: Layout

    /// Its fields as an object; O(bytes).
    package func value() throws(RecordError) -> RecordValue {
      try RecordValue(record: record, layout: layout)
    }

    /// Its fields; O(bytes).
    package func members() throws(RecordError) -> [RecordValue.Member] {
      guard case .object(let members) = try value() else { return [] }
      return Array(members)
    }

    /// Its fields as the type of the table would encode them.
    fileprivate func object(referringAs layout: Layout?) throws(RecordError) -> StoredObject {
      StoredObject(try members(), referringAs: layout)
    }
  }

  /// What was added.
  package struct Counts: Sendable, Equatable {
    package var inserted = 0
    package var updated = 0
    /// Entities that were there with the same fields.
    package var unchanged = 0
    /// The revision of the delta, or the last one if nothing changed; nil if nothing was to be written.
    package var revision: Revision?

    package init() {}
  }

  package let table: String
  /// The name of the commit.
  package let name: String
  /// The entities that were added.
  package private(set) var entities: [Entity] = []
  private var writer = RecordWriter()

  /// The fields of the entities that were added, with their kinds.
  package var fields: [Layout.Field] { writer.layout.fields }

  package init(to table: String, named name: String) {
    self.table = table
    self.name = name
  }

  /// Adds an entity with its fields, whose ID no other one has; returns why there is no record of it, else nil.
  package mutating func add(_ id: [UInt8], _ members: [RecordValue.Member]) -> String? {
    do {
      entities.append(try Self.entity(id, members, &writer))
      return nil
    } catch EncodingFailure.refused(let reason) {
      return reason
    } catch {
      return "\(error)"
    }
  }

  private static func entity(
    _ id: [UInt8],
    _ members: [RecordValue.Member],
    _ writer: inout RecordWriter
  ) throws -> Entity {
    var record: [UInt8] = []
    let layout = try writer.encode(StoredObject(members), into: &record)
    try EntityEncoder.checkSize(record.count)
    return Entity(id: id, record: record, layout: layout)
  }

  /// Turns the integers of some fields into doubles, which the others of these fields are; O(bytes).
  ///
  /// - Throws: what reading and writing the records throws.
  package mutating func makeDoubles(of fields: Set<String>) throws {
    if fields.isEmpty { return }
    writer = RecordWriter()
    for (index, entity) in entities.enumerated() {
      let members = try entity.members().map { member in
        guard fields.contains(member.name), let value = Scalar.double.stored(member.value) else {
          return member
        }
        return RecordValue.Member(member.name, value)
      }
      entities[index] = try Self.entity(entity.id, members, &writer)
    }
  }

  /// What ``write(to:_:)`` would do; changes nothing, and works beside a writer.
  package func plan(_ path: String) throws(PersistenceError) -> Counts {
    try Inspector(path: path).query { view in
      try changes(in: view).counts
    }
  }

  /// Adds the entities as one commit; those that are there are replaced.
  ///
  /// O(file, and entities). All of them are added, or none.
  package func write(
    to path: String,
    _ configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) throws(PersistenceError) -> Counts {
    let path = try StorePath(path, for: .importing)
    return try OwnedStore.write(path, for: .importing, configuration) { session, file in
      let view = try ReadView(session.connection)
      let (found, changed) = try changes(in: view)
      var counts = found
      var writer = RecordWriter(resuming: session.catalog.lastLayout(of: table))
      counts.revision = session.written.revision
      if changed.isEmpty { return counts }
      try session.transaction {
        if !view.tables.contains(table) {
          try ListedTable.add(
            table,
            since: session.written.revision.next,
            to: session.connection
          )
        }
        let time = max(configuration.now().microseconds, file.lastTime)
        _ = try session.append(named: name, time: time) { delta in
          var record: [UInt8] = []
          for entity in changed {
            record.removeAll(keepingCapacity: true)
            let object = try entity.object(referringAs: writer.layout)
            let layout = try writer.encode(object, into: &record)
            let number = try session.number(of: layout, table: table, for: .next)
            try session.note(record, layout, table: table)
            try delta.put(
              StoredEntity(table: table, id: entity.id[...], layout: number, record: record[...])
            )
          }
        }
      }
      counts.revision = session.written.revision
      return counts
    }
  }

  /// Creates a store with the entities in its first snapshot, at revision 0.
  ///
  /// All of them are in it, or there is no store.
  ///
  /// Throws `.fileExists` if there is one, or the write-ahead log of one.
  package func create(
    _ path: String,
    _ configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) throws(PersistenceError) -> Counts {
    let path = try StorePath(path, for: .importing)
    try OwnedStore.create(path, for: .importing, configuration) { snapshot in
      try snapshot.add(table: table) { encoder in
        try entities.map { entity in
          let number = try encoder.number(of: entity.layout, table: table)
          return StoredEntity(
            table: table,
            id: entity.id[...],
            layout: number,
            record: entity.record[...]
          )
        }
      }
    }
    var counts = Counts()
    counts.inserted = entities.count
    counts.revision = 0
    return counts
  }

  /// What ``create(_:_:)`` would do; changes nothing.
  ///
  /// Throws what it would throw for the path.
  package func planCreation(_ path: String) throws(PersistenceError) -> Counts {
    let path = try StorePath(path, for: .importing)
    do {
      if try Quarantine.hasInterruptedMove(path) {
        throw PersistenceError.Reason.busy(
          "moving its files was interrupted by a crash; open it once for writing"
        )
      }
      try path.checkIsFree(.importing)
      try path.checkLength(.importing, as: .store)
    } catch {
      throw PersistenceError(.importing, path: path.file, wrapping: error)
    }
    var counts = Counts()
    counts.inserted = entities.count
    return counts
  }

  /// The entities that are missing, or have other fields.
  ///
  /// A value whose text is that of the stored one is that one.
  private func changes(in view: ReadView) throws -> (counts: Counts, changed: [Entity]) {
    var counts = Counts()
    var changed = entities.map { Entity?.some($0) }
    let indexes = Dictionary(
      uniqueKeysWithValues: entities.indices.lazy.map { (entities[$0].id, $0) }
    )
    let kinds = Dictionary(
      (view.catalog.lastLayout(of: table)?.fields ?? []).map { ($0.name, $0.kind) }
    ) { first, _ in first }
    let state = try view.state(at: view.last.revision, scope: .table(table))
    var scan = state.scan(table, .ids(Set(indexes.keys)))
    var writer = RecordWriter()
    while let entity = try scan.next() {
      guard let index = indexes[Array(entity.id)] else { continue }
      let before = try view.catalog.members(entity.layout, entity.record, of: table)
      let members = try Self.stored(try entities[index].members(), like: before, kinds)
      if Self.areEqual(before, members) {
        changed[index] = nil
        counts.unchanged += 1
      } else {
        changed[index] = try Self.entity(Array(entity.id), members, &writer)
        counts.updated += 1
      }
    }
    counts.inserted = entities.count - counts.updated - counts.unchanged
    return (counts, changed.compactMap { $0 })
  }

  /// Members as they are stored: see ``RecordValue/stored(as:like:_:)``.
  ///
  /// A field that is null stays so where it is left out.
  private static func stored(
    _ members: [RecordValue.Member],
    like before: [RecordValue.Member],
    _ kinds: [String: Layout.Kind]
  ) throws -> [RecordValue.Member] {
    var old = Dictionary(before.map { ($0.name, $0.value) }) { first, _ in first }
    var stored = try members.map { member in
      let before = old.removeValue(forKey: member.name)
      let kind = kinds[member.name].flatMap { kind in
        kind.including(member.value) == kind ? kind : nil
      }
      return RecordValue.Member(member.name, try member.value.stored(as: kind, like: before))
    }
    for member in before where old[member.name] == .null { stored.append(member) }
    return stored
  }

  /// Whether members are equal, whatever their order.
  private static func areEqual(_ a: [RecordValue.Member], _ b: [RecordValue.Member]) -> Bool {
    guard a.count == b.count else { return false }
    let values = Dictionary(a.map { ($0.name, $0.value) }) { first, _ in first }
    return b.allSatisfy { values[$0.name] == $0.value }
  }
}
