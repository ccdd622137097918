import StrataInspection
package import StrataJournal
import StrataRecords

extension ReadView {
  /// Which of some encoded IDs a table has at a revision, or at the last one.
  package func present(
    _ ids: Set<[UInt8]>,
    in table: String,
    at revision: Revision? = nil
  ) throws -> Set<[UInt8]> {
    var present: Set<[UInt8]> = []
    guard allTables.contains(table) else { return present }
    var scan = try state(at: revision ?? last.revision, scope: .table(table))
      .scan(table, .ids(ids))
    while let entity = try scan.next() { present.insert(Array(entity.id)) }
    return present
  }

  /// Calls a closure with each entity of the last revision that refers to some others, and with the first of these; it
  /// returns false to end.
  ///
  /// Only references that layouts note are known, so none of sealed records is. O(entities of the tables that refer to theirs).
  ///
  /// - Parameter others: The encoded IDs of the others, by their tables.
  func forEachEntity(
    referringTo others: [String: Set<[UInt8]>],
    _ body: (_ key: EntityKey, _ table: String, _ id: [UInt8]) throws -> Bool
  ) throws {
    for table in allTables.sorted() {
      let places = catalog.numberedLayouts(of: table).mapValues { layout in
        layout.references.filter { others[$0.table] != nil }
      }
      guard places.values.contains(where: { !$0.isEmpty }) else { continue }
      var scan = try state(at: last.revision, scope: .table(table)).scan(table)
      while let entity = try scan.next() {
        guard let places = places[entity.layout], !places.isEmpty else { continue }
        let layout = try catalog.layout(entity.layout)
        let value = try RecordValue(record: entity.record, layout: layout)
        for place in places {
          let ids = place.encodedIDs(in: value)
          guard let id = ids.first(where: { others[place.table]?.contains($0) == true }) else {
            continue
          }
          let key = EntityKey(table: table, id: Array(entity.id)[...])
          guard try body(key, place.table, id) else { return }
          break
        }
      }
    }
  }
}
