import Foundation
import StrataBase
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

    fileprivate func members() throws(RecordError) -> [RecordValue.Member] {
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
  private var record: [UInt8] = []

  package init(to table: String, named name: String) {
    self.table = table
    self.name = name
  }

  /// Adds an entity with its fields, whose ID no other one has; returns why there is no record of it, else nil.
  package mutating func add(_ id: [UInt8], _ members: [RecordValue.Member]) -> String? {
    record.removeAll(keepingCapacity: true)
    do {
      let layout = try writer.encode(StoredObject(members), into: &record)
      try EntityEncoder.checkSize(record.count)
      entities.append(Entity(id: id, record: Array(record), layout: layout))
      return nil
    } catch EncodingFailure.refused(let reason) {
      return reason
    } catch {
      return "\(error)"
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
          for index in changed {
            let entity = entities[index]
            record.removeAll(keepingCapacity: true)
            let object = try entity.object(referringAs: writer.layout)
            let layout = try writer.encode(object, into: &record)
            let number = try session.number(of: layout, table: table)
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

  /// The indexes of the entities that are missing, or have other fields.
  private func changes(in view: ReadView) throws -> (counts: Counts, changed: [Int]) {
    var counts = Counts()
    var isUnchanged = [Bool](repeating: false, count: entities.count)
    let indexes = Dictionary(
      uniqueKeysWithValues: entities.indices.lazy.map { (entities[$0].id, $0) }
    )
    let state = try view.state(at: view.last.revision, scope: .table(table))
    var scan = state.scan(table, .ids(Set(indexes.keys)))
    while let entity = try scan.next() {
      guard let index = indexes[Array(entity.id)] else { continue }
      let members = try view.catalog.members(entity.layout, entity.record, of: table)
      if Self.areEqual(members, try entities[index].members()) {
        isUnchanged[index] = true
        counts.unchanged += 1
      } else {
        counts.updated += 1
      }
    }
    counts.inserted = entities.count - counts.updated - counts.unchanged
    return (counts, entities.indices.filter { !isUnchanged[$0] })
  }

  /// Whether members are equal, whatever their order.
  private static func areEqual(_ a: [RecordValue.Member], _ b: [RecordValue.Member]) -> Bool {
    guard a.count == b.count else { return false }
    let values = Dictionary(a.map { ($0.name, $0.value) }) { first, _ in first }
    return b.allSatisfy { values[$0.name] == $0.value }
  }
}

extension ReadView {
  /// The fields of the records of a table, those of its newest layout first, and which of them every record has
  /// with a value that is not null.
  ///
  /// A field that the layout lacks has the kind of its values; `.tagged` where they are of several, or have
  /// parts. O(records).
  package func fieldsInUse(
    of table: String
  ) throws -> (fields: [Layout.Field], required: Set<String>) {
    var fields = catalog.lastLayout(of: table)?.fields ?? []
    let known = Set(fields.filter { $0.kind != .unknown }.map(\.name))
    var kinds: [String: Set<Layout.Kind>] = [:]
    var required: Set<String>?
    var scan = try state(at: last.revision, scope: .table(table)).scan(table)
    while let entity = try scan.next() {
      let members = try catalog.members(entity.layout, entity.record, of: table)
      let present = members.filter { $0.value != .null }
      for member in present where !known.contains(member.name) {
        let kind = member.value.scalar.map { Layout.Kind.scalar($0) } ?? .tagged
        kinds[member.name, default: []].insert(kind)
      }
      let names = Set(present.map(\.name))
      required = required.map { $0.intersection(names) } ?? names
    }
    let places = Dictionary(fields.indices.lazy.map { (fields[$0].name, $0) }) { first, _ in first }
    for (name, kinds) in kinds.sorted(by: { $0.key < $1.key }) {
      let field = Layout.Field(name, kinds.count == 1 ? kinds.first ?? .tagged : .tagged)
      if let index = places[name] {
        fields[index] = field
      } else {
        fields.append(field)
      }
    }
    return (fields, required ?? [])
  }

  /// Which of some encoded IDs a table has at the last revision.
  package func present(_ ids: Set<[UInt8]>, in table: String) throws -> Set<[UInt8]> {
    var present: Set<[UInt8]> = []
    var scan = try state(at: last.revision, scope: .table(table)).scan(table, .ids(ids))
    while let entity = try scan.next() { present.insert(Array(entity.id)) }
    return present
  }
}
