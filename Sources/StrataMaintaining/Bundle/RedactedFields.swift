package import StrataJournal
package import StrataRecords

/// The fields whose values are replaced, checked against a store.
package struct RedactedFields: Sendable {
  package let fields: [StoreBundle.Field]
  /// The names of the fields, by the names of tables in the file.
  package private(set) var names: [String: Set<String>] = [:]
  /// The fields that a layout of the file has.
  package private(set) var known: Set<StoreBundle.Field> = []

  /// Checks fields; O(layouts of their tables).
  ///
  /// - Throws: `.notFound` for a table that the file does not have; `.notRedactable` for an ID, for a field with
  ///   references, and for a table whose records are sealed.
  package init(_ fields: [StoreBundle.Field], in view: ReadView) throws {
    self.fields = fields
    for field in fields { try add(field, view) }
  }

  private mutating func add(_ field: StoreBundle.Field, _ view: ReadView) throws {
    let value = StoredValues.table(of: field.table)
    let table = view.allTables.contains(field.table) ? field.table : value
    guard view.allTables.contains(table) else {
      throw PersistenceError.Reason.notFound("table \(field.table)")
    }
    func refuse(_ detail: String) -> MaintenanceError {
      .notRedactable(field: "\(field)", detail: detail)
    }
    let layouts = view.catalog.numberedLayouts(of: table).values
    if layouts.contains(where: \.isOfSealedRecords) {
      throw refuse("the records of \(field.table) are sealed, and stay so")
    }
    if field.name == "id", StoredValues.name(ofTable: table) == nil {
      throw refuse("IDs stay, because others refer to them")
    }
    for layout in layouts {
      let places = layout.references.filter { place in
        place.path.first == .field(field.name)
          || place.path.dropFirst().first == .field(field.name) && table == value
      }
      if let place = places.first { throw refuse("it has IDs of \(place.table), which stay") }
      if layout.kind(ofField: field.name, in: table) != nil { known.insert(field) }
    }
    names[table, default: []].insert(field.name)
  }
}

extension Layout {
  /// The kind of a field of an entity, or of a persisted value; nil for a field that no layout has.
  package func kind(ofField name: String, in table: String) -> Layout.Kind? {
    var fields = fields
    if StoredValues.name(ofTable: table) != nil {
      guard let value = fields.first(where: { $0.name == StoredValues.field }) else { return nil }
      guard case .record(let inner) = value.kind else {
        return name == StoredValues.field ? value.kind : nil
      }
      fields = inner
    }
    return fields.first { $0.name == name }?.kind
  }
}
