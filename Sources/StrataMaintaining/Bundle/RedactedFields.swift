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
    for field in fields {
      for place in Self.places(of: field, in: view) { try add(place, for: field, view) }
    }
  }

  private mutating func add(
    _ place: StoreBundle.Field,
    for field: StoreBundle.Field,
    _ view: ReadView
  ) throws {
    let value = StoredValues.table(of: place.table)
    guard let table = Self.table(place.table, in: view) else {
      throw PersistenceError.Reason.notFound("table \(field.table)")
    }
    func refuse(_ detail: String) -> MaintenanceError {
      .notRedactable(field: "\(field)", detail: detail)
    }
    let layouts = view.catalog.numberedLayouts(of: table).values
    if layouts.contains(where: \.isOfSealedRecords) {
      throw refuse("the records of \(place.table) are sealed, and stay so")
    }
    if place.name == "id", StoredValues.name(ofTable: table) == nil {
      throw refuse("IDs stay, because others refer to them")
    }
    for layout in layouts {
      let references = layout.references.filter { reference in
        reference.path.first == .field(place.name)
          || reference.path.dropFirst().first == .field(place.name) && table == value
      }
      if let target = references.first?.table {
        throw refuse("it has IDs of \(target), which stay")
      }
      if layout.kind(ofField: place.name, in: table) != nil { known.insert(field) }
    }
    names[table, default: []].insert(place.name)
  }

  /// The table of a name, or that of the persisted value of the name; nil if there is none.
  private static func table(_ name: String, in view: ReadView) -> String? {
    [name, StoredValues.table(of: name)].first(where: view.allTables.contains)
  }

  /// The fields that are there: where names have dots, `crm.people.email` has several readings, and all of them are meant.
  private static func places(
    of field: StoreBundle.Field,
    in view: ReadView
  ) -> [StoreBundle.Field] {
    let text = field.description
    let readings = text.indices.filter { text[$0] == "." }.map { dot in
      StoreBundle.Field(String(text[..<dot]), String(text[text.index(after: dot)...]))
    }
    let places = readings.filter { reading in
      guard let table = table(reading.table, in: view) else { return false }
      return view.catalog.numberedLayouts(of: table).values.contains {
        $0.kind(ofField: reading.name, in: table) != nil
      }
    }
    return places.isEmpty ? [field] : places
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
