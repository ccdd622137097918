import StrataBase
import StrataJournal
import StrataRecords
import StrataStorage

/// The references that a step has added, to find those that lead to no record.
///
/// What a changed record refers to is counted up, and what it referred to before is counted down. So a reference that
/// led to nothing before the step, and was kept or moved, is none of the step's.
struct MigrationReferences {
  /// A field with references, in a table.
  struct Place: Hashable {
    let table: String
    let reference: Layout.Reference
  }

  private let workspace: MigrationWorkspace
  private var readers: [String: [Int64: Reader]] = [:]
  private var numbers: [Place: Int64] = [:]
  private var places: [Place] = []

  init(_ workspace: MigrationWorkspace) { self.workspace = workspace }

  /// Reads the fields with references of the records of one layout.
  private struct Reader {
    let references: [Layout.Reference]
    let names: [String]
    let fields: RecordFields

    init(_ references: [Layout.Reference], in layout: Layout) {
      self.references = references
      names = Set(references.map(\.field)).sorted()
      fields = RecordFields(names, in: layout)
    }

    func values(in entity: StoredEntity) throws -> [RecordValue] {
      var places = [RecordFields.Place](repeating: .none, count: names.count)
      try fields.locate(in: entity.record, &places)
      return try places.map { try fields.value(at: $0, in: entity.record) ?? .null }
    }
  }

  private mutating func reader(of entity: StoredEntity) throws -> Reader? {
    let reader: Reader
    if let known = readers[entity.table]?[entity.layout] {
      reader = known
    } else {
      let layout = try workspace.layout(entity.layout)
      let references = try workspace.references(from: entity.table, in: layout)
      reader = Reader(layout.isOfSealedRecords ? [] : references, in: layout)
      readers[entity.table, default: [:]][entity.layout] = reader
    }
    return reader.references.isEmpty ? nil : reader
  }

  /// Notes that one record has taken the place of another; nil for none.
  ///
  /// O(references of both), nothing for records without such fields.
  mutating func note(_ new: StoredEntity?, replacing old: StoredEntity?) throws {
    let old = try old.map { try workspace.opened($0) }
    let new = try new.map { try workspace.opened($0) }
    let before = try old.flatMap { try reader(of: $0) }
    let after = try new.flatMap { try reader(of: $0) }
    let had = try before.flatMap { reader in try old.map { try reader.values(in: $0) } } ?? []
    let has = try after.flatMap { reader in try new.map { try reader.values(in: $0) } } ?? []
    if let before, let after, before.names == after.names, had == has { return }
    if let before, let old { try add(-1, before, had, of: old.table) }
    if let after, let new { try add(1, after, has, of: new.table) }
  }

  private mutating func add(
    _ count: Int64,
    _ reader: Reader,
    _ values: [RecordValue],
    of table: String
  ) throws {
    for reference in reader.references {
      guard let index = reader.names.firstIndex(of: reference.field) else { continue }
      let target = workspace.number(of: reference.table)
      let place = number(of: Place(table: table, reference: reference))
      _ = try values[index].replacing(reference.path.dropFirst()) { id in
        let bytes = reference.candidates(for: id).first ?? []
        try workspace.staging.noteReference(to: bytes, of: target, from: place, count)
        return id
      }
    }
  }

  private mutating func number(of place: Place) -> Int64 {
    if let number = numbers[place] { return number }
    places.append(place)
    numbers[place] = Int64(places.count)
    return Int64(places.count)
  }

  /// How many of them lead to no record, and forgets all.
  ///
  /// One pass over each table that is referred to, in the order of its IDs; a few are looked up one by one.
  ///
  /// - Parameter removed: Tables that the step has removed records from. What leads to one of those is left out.
  func missing(besides removed: Set<String>) throws -> [Place: Int] {
    var missing: [Place: Int] = [:]
    for (target, count) in try workspace.staging.referredTables() {
      let table = workspace.table(target)
      var scan = count > 64 ? workspace.scan(table) : nil
      var current = try scan?.next()
      var last: [UInt8] = []
      while true {
        let page = try workspace.staging.referred(of: target, after: last)
        guard let end = page.last else { break }
        last = end.id
        for (id, added) in page {
          while let entity = current, entity.id.lexicographicallyPrecedes(id) {
            current = try scan?.next()
          }
          if let entity = current, entity.id == id[...] { continue }
          if scan == nil, try workspace.entity(id, in: table) != nil { continue }
          if removed.contains(table),
            let row = try workspace.staging.row(of: .staged, target, id), row.record == nil
          {
            continue
          }
          for (number, count) in try workspace.staging.places(referringTo: id, of: target) {
            let place = places[Int(number) - 1]
            if try isElsewhere(id, place) { continue }
            missing[place, default: 0] += Int(min(count, added))
          }
        }
      }
    }
    try workspace.staging.dropReferences()
    return missing
  }

  /// Whether the key of a dictionary, which is a text, leads to a record whose ID is of another kind.
  private func isElsewhere(_ id: [UInt8], _ place: Place) throws -> Bool {
    guard place.reference.path.last == .key else { return false }
    let candidates = place.reference.candidates(for: try EncodedID.value(of: id))
    return try candidates.contains {
      try workspace.entity($0, in: place.reference.table) != nil
    }
  }
}

extension Layout.Reference {
  /// The field at the top.
  var field: String { if case .field(let name)? = path.first { name } else { "" } }
}

extension MigrationWorkspace {
  /// The places where IDs are in the records of a table, as its layouts and what is declared of its columns say; O(layouts).
  func references(from table: String) throws -> [Layout.Reference] {
    var layouts = layouts(of: table).sorted { $0.key < $1.key }.map(\.value)
    let declared = columns[table].map(\.field)
    if !declared.isEmpty { layouts.append(try Layout(declared)) }
    var found: [Layout.Reference] = []
    for reference in layouts.flatMap(\.references) where !found.contains(reference) {
      found.append(reference)
    }
    return found
  }

  /// The places where IDs are in the records of one layout: what it says itself, else what is said of the table last.
  func references(from table: String, in layout: Layout) throws -> [Layout.Reference] {
    var found = layout.references
    for reference in try references(from: table).reversed()
    where !found.contains(where: { $0.path == reference.path }) {
      found.append(reference)
    }
    return found
  }
}
