import Foundation
import StrataBase
import StrataInspection
package import StrataJournal
package import StrataRecords
import StrataSQLite

/// Entities to be added to a table of a store that no program has open, without their type.
package struct EntityAddition: Sendable {
  /// An entity by its encoded ID, with its fields.
  package struct Entity: Sendable {
    package let id: [UInt8]
    package let members: [RecordValue.Member]

    package init(id: [UInt8], members: [RecordValue.Member]) {
      self.id = id
      self.members = members
    }

    fileprivate func object(referringAs layout: Layout?) -> StoredObject {
      StoredObject(members, fields: Set(members.map(\.name)), referringAs: layout)
    }

    /// Why it cannot be encoded; nil if it can.
    package func encodingProblem(_ writer: inout RecordWriter) -> String? {
      var record: [UInt8] = []
      do {
        _ = try writer.encode(object(referringAs: nil), into: &record)
        try EntityEncoder.checkSize(record.count)
        return nil
      } catch EncodingFailure.refused(let reason) {
        return reason
      } catch {
        return "\(error)"
      }
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
  /// No two have the same ID.
  package let entities: [Entity]
  /// The name of the commit.
  package let name: String

  package init(_ entities: [Entity], to table: String, named name: String) {
    self.entities = entities
    self.table = table
    self.name = name
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
        try Self.endMarks(session)
        var encoded: [StoredEntity] = []
        for entity in changed {
          var record: [UInt8] = []
          let object = entity.object(referringAs: writer.layout)
          let layout = try writer.encode(object, into: &record)
          let number = try session.number(of: layout, table: table)
          encoded.append(
            StoredEntity(table: table, id: entity.id[...], layout: number, record: record[...])
          )
        }
        if !view.tables.contains(table) {
          try ListedTable.add(
            table,
            since: session.written.revision.next,
            to: session.connection
          )
        }
        let time = max(configuration.now().microseconds, file.lastTime)
        _ = try session.append(named: name, time: time) { delta in
          for entity in encoded { try delta.put(entity) }
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
          var record: [UInt8] = []
          let object = entity.object(referringAs: nil)
          let layout = try encoder.encode(object, table: table, into: &record)
          return StoredEntity(table: table, id: entity.id[...], layout: layout, record: record[...])
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
    } catch {
      throw PersistenceError(.importing, path: path.file, wrapping: error)
    }
    var counts = Counts()
    counts.inserted = entities.count
    return counts
  }

  /// Ends the mark of an older build: what follows does not have its shape.
  private static func endMarks(_ session: WriterSession) throws {
    let before = try OlderBuildMarks.read(session.connection)
    var marks = before
    marks.add(.currentBuild, after: session.written)
    if marks != before { try marks.write(to: session.connection) }
  }

  /// The entities that are missing, or have other fields.
  private func changes(in view: ReadView) throws -> (counts: Counts, changed: [Entity]) {
    var counts = Counts()
    var present: [[UInt8]: [RecordValue.Member]] = [:]
    let state = try view.state(at: view.last.revision, scope: .table(table))
    var scan = state.scan(table, .ids(Set(entities.map(\.id))))
    while let entity = try scan.next() {
      present[Array(entity.id)] = try view.catalog.members(
        entity.layout,
        entity.record,
        of: table
      )
    }
    var changed: [Entity] = []
    for entity in entities {
      switch present[entity.id] {
      case nil: counts.inserted += 1
      case let members? where Self.areEqual(members, entity.members):
        counts.unchanged += 1
        continue
      case _?: counts.updated += 1
      }
      changed.append(entity)
    }
    return (counts, changed)
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
    for (name, kinds) in kinds.sorted(by: { $0.key < $1.key }) {
      let field = Layout.Field(name, kinds.count == 1 ? kinds.first ?? .tagged : .tagged)
      if let index = fields.firstIndex(where: { $0.name == name }) {
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
