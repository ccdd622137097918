import StrataBase
package import StrataJournal
package import StrataRecords

/// An entity that refers to another one, or is referred to.
package struct EntityReference: Sendable {
  /// The other entity.
  package let table: String
  package let id: RecordValue
  /// The place of the ID, as `lines[].product → products`.
  package let place: String
}

/// The entities that an entity refers to, and those that refer to it.
package struct EntityReferences: Sendable {
  package var outgoing: [EntityReference] = []
  package var incoming: [EntityReference] = []
  /// The revision of the entities.
  package let revision: Revision
  /// Whether there are more than these.
  package var isCut = false
}

extension Inspector {
  /// What an entity refers to and what refers to it, as far as layouts note references.
  ///
  /// O(entities of the tables that refer to its table), up to the limit. Entities that it refers to are
  /// listed even if they do not exist.
  ///
  /// - Throws: `.notFound` for a table or an entity that is not there at the revision.
  package func references(
    table: String,
    id: String,
    at expression: RevisionExpression = .head(back: 0),
    limit: Int = 200
  ) throws(PersistenceError) -> EntityReferences {
    let found = try scanning { view, skipping -> EntityReferences? in
      guard view.allTables.contains(table) else { throw noTable(table, among: view.allTables) }
      let revision = try view.revision(of: expression)
      var references = EntityReferences(revision: revision)
      let (scope, filter) = try view.entities(of: table, meantBy: id)
      let own = try view.state(at: revision, skipping: skipping, scope: scope)
      var scan = own.scan(table, filter)
      guard let entity = try scan.next() else { return nil }
      let key = Array(entity.id)
      let layout = try view.catalog.layout(entity.layout)
      let record = try RecordValue(record: entity.record, layout: layout)
      for place in layout.references {
        for id in place.encodedIDs(in: record) {
          guard references.outgoing.count < limit else {
            references.isCut = true
            break
          }
          references.outgoing.append(
            EntityReference(
              table: place.table,
              id: try EncodedID.value(of: id),
              place: place.description
            )
          )
        }
      }
      for other in view.allTables.sorted() {
        let layouts = view.catalog.numberedLayouts(of: other).mapValues { layout in
          ReferringFields(of: layout, to: table)
        }
        guard layouts.values.contains(where: { !$0.isEmpty }) else { continue }
        let state = try view.state(at: revision, skipping: skipping, scope: .table(other))
        var scan = state.scan(other)
        while let entity = try scan.next() {
          guard let fields = layouts[entity.layout], !fields.isEmpty,
            let hit = try fields.place(of: key, in: entity.record)
          else { continue }
          guard references.incoming.count < limit else {
            references.isCut = true
            return references
          }
          let isValue = StoredValues.name(ofTable: other) != nil
          references.incoming.append(
            EntityReference(
              table: other,
              id: isValue ? .string(StoredValues.id) : try EncodedID.value(of: Array(entity.id)),
              place: hit.description
            )
          )
        }
      }
      return references
    }
    guard let found else { throw try missing(id, in: table) }
    return found
  }
}

/// The fields of the records of one layout that may refer to entities of a table.
private struct ReferringFields {
  private let places: [Layout.Reference]
  private let fields: RecordFields
  /// For each place the number of its field.
  private let numbers: [Int]
  private let count: Int

  init(of layout: Layout, to table: String) {
    places = layout.references.filter { $0.table == table }
    var names: [String] = []
    numbers = places.map { place in
      guard case .field(let name)? = place.path.first else { return 0 }
      if let known = names.firstIndex(of: name) { return known }
      names.append(name)
      return names.count - 1
    }
    fields = RecordFields(names, in: layout)
    count = names.count
  }

  var isEmpty: Bool { places.isEmpty }

  /// The first place where a record has an ID; the fields between are not read.
  func place(of id: [UInt8], in record: ArraySlice<UInt8>) throws -> Layout.Reference? {
    var found = [RecordFields.Place](repeating: .none, count: count)
    try fields.locate(in: record, &found)
    for (place, number) in zip(places, numbers) {
      guard let value = try fields.value(at: found[number], in: record) else { continue }
      if place.encodedIDs(in: value, behind: 1).contains(id) { return place }
    }
    return nil
  }
}
