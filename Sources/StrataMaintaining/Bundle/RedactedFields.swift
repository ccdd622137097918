package import StrataJournal
package import StrataRecords
import StrataSchema

/// The fields whose values are replaced, checked against a store, with every name that they have had in it.
package struct RedactedFields: Sendable {
  package let fields: [StoreBundle.Field]
  /// What their names depend on; nil where there are no fields.
  private var source: Source?
  /// The paths of the fields in records, by the names of tables in the file.
  private var paths: [String: Set<FieldPath>] = [:]
  /// The paths of the fields of which no layout says that they are there, as those within dictionaries.
  private(set) var open: [StoreBundle.Field: [String: Set<FieldPath>]] = [:]

  /// Checks fields; O(layouts of their tables), and what `FormerFields` reads.
  ///
  /// - Throws: `.notFound` for a table that the file does not have; `.notRedactable` for an ID, for a field of IDs alone,
  ///   for one that no record has, and for a table whose records are sealed.
  package init(_ fields: [StoreBundle.Field], in view: ReadView) throws {
    self.fields = fields
    if fields.isEmpty { return }
    source = try Source(view)
    let former = try FormerFields(in: view)
    for field in fields {
      let (places, isOpen) = try Self.places(of: field, in: view)
      let all = places.reduce(into: Set()) { $0.formUnion(former.all(of: $1)) }
      for place in all {
        let layouts = view.catalog.numberedLayouts(of: place.table).values
        if layouts.contains(where: \.isOfSealedRecords) {
          throw MaintenanceError.notRedactable(
            field: "\(field)",
            detail: "the records of \(place.table) are sealed, and stay so"
          )
        }
        paths[place.table, default: []].insert(place.path)
        if isOpen { open[field, default: [:]][place.table, default: []].insert(place.path) }
      }
    }
  }

  /// The tables and the list of migrations of a file.
  ///
  /// The list has a migration also where its delta was trimmed.
  private struct Source: Equatable {
    let tables: [ListedTable]
    let migrations: [DataLedger.Entry]
    let ends: [Int64?]

    init(_ view: ReadView) throws {
      tables = view.listed
      let history = try DataLedger.history(on: view.journal.connection)
      (migrations, ends) = (history.map(\.entry), history.map(\.until))
    }
  }

  /// Whether the fields have no other names in a view of the same store; O(migrations).
  package func isCurrent(in view: ReadView) throws -> Bool { try source == Source(view) }

  /// Adds the names that fields had in an earlier state of the same store.
  package mutating func formUnion(_ earlier: RedactedFields) {
    paths.merge(earlier.paths) { $0.union($1) }
  }

  /// The tables that have such fields.
  package var tables: Set<String> { Set(paths.keys) }

  /// Whether a field at the top of the records of a table, or a part of it, is one of them.
  func has(_ table: String, _ field: String) -> Bool {
    paths[table]?.contains { $0.rest(behind: field) != nil } ?? false
  }

  /// The value of a record with the fields replaced; nil if it has none of them.
  ///
  /// The ID of an entity stays.
  package func replacing(
    in record: RecordValue,
    of table: String,
    _ layout: Layout,
    _ replacement: RecordValue.Replacement
  ) -> RecordValue? {
    paths[table].flatMap { Self.replacing($0, in: record, of: table, layout, replacement) }
  }

  static func replacing(
    _ paths: Set<FieldPath>,
    in record: RecordValue,
    of table: String,
    _ layout: Layout,
    _ replacement: RecordValue.Replacement
  ) -> RecordValue? {
    guard let replaced = record.replacing(paths, layout, replacement) else { return nil }
    guard StoredValues.name(ofTable: table) == nil, let id = record["id"],
      let members = replaced.members
    else { return replaced }
    return .object(.init(members.map { $0.name == "id" ? .init("id", id) : $0 }))
  }
}

/// What a person means by a field.
extension RedactedFields {
  /// The places of a field in records, and whether layouts leave open that it is there.
  ///
  /// Where names have dots, `crm.people.email` has several readings, and all of them that are there are meant.
  private static func places(
    of field: StoreBundle.Field,
    in view: ReadView
  ) throws -> ([FormerFields.Place], isOpen: Bool) {
    let readings = try readings(of: field, in: view)
    guard !readings.isEmpty else {
      throw PersistenceError.Reason.notFound("table \(field.table)")
    }
    func refuse(_ detail: String) -> MaintenanceError {
      .notRedactable(field: "\(field)", detail: detail)
    }
    if readings.contains(where: \.isOfSealedRecords) {
      throw refuse("the records of \(field.table) are sealed, and stay so")
    }
    if readings.allSatisfy(\.isID) { throw refuse("IDs stay, because others refer to them") }
    let there = readings.filter { $0.findings.hasValues && !$0.isID }
    if !there.isEmpty { return (there.map(\.place), false) }
    let open = readings.filter { $0.findings.isOpen && !$0.isID }
    if !open.isEmpty { return (open.map(\.place), true) }
    if let table = readings.flatMap(\.findings.ids).min() {
      throw refuse("it has IDs of \(table), which stay")
    }
    throw refuse("no record has it")
  }

  /// A table and a path that a person may mean.
  private struct Reading {
    let place: FormerFields.Place
    var findings = Layout.PathFindings()
    let isOfSealedRecords: Bool

    init(_ table: String, _ path: FieldPath, in view: ReadView) throws {
      place = .init(table: table, path: path)
      let layouts = view.catalog.numberedLayouts(of: table).values
      isOfSealedRecords = layouts.contains(where: \.isOfSealedRecords)
      for layout in layouts { layout.find(path, &findings) }
      let declared = view.declared.filter { $0.table == table }.map(\.field)
      for field in declared { try Layout([field]).find(path, &findings) }
    }

    var isID: Bool {
      StoredValues.name(ofTable: place.table) == nil && place.path == FieldPath("id")
    }
  }

  private static func readings(
    of field: StoreBundle.Field,
    in view: ReadView
  ) throws -> [Reading] {
    let text = field.description
    var readings: [Reading] = []
    for dot in text.indices where text[dot] == "." {
      let name = String(text[..<dot])
      let path = FieldPath(String(text[text.index(after: dot)...]))
      guard
        let table = [name, StoredValues.table(of: name)].first(where: view.allTables.contains)
      else { continue }
      if StoredValues.name(ofTable: table) == nil {
        readings.append(try Reading(table, path, in: view))
        continue
      }
      // A persisted value is a field of its record.
      readings.append(try Reading(table, path.behind(StoredValues.field), in: view))
      if path.rest(behind: StoredValues.field) != nil {
        readings.append(try Reading(table, path, in: view))
      }
    }
    return readings
  }
}
