import StrataBase
import StrataJournal
import StrataRecords
import StrataStorage

/// The references that a step has added, to find those that lead to no record.
///
/// What a changed record refers to is counted up, and what it referred to before is counted down. So a reference that
/// already led to nothing before the step, and that the step kept or moved, does not count.
struct MigrationReferences {
  /// A field with references, in a table.
  struct Place: Hashable {
    let table: String
    let reference: Layout.Reference
  }

  private let workspace: MigrationWorkspace
  private var readers: [Int64: Reader] = [:]
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

    func forEachID(
      in values: [RecordValue],
      _ body: (Layout.Reference, RecordValue) throws -> Void
    ) throws {
      for reference in references {
        guard let index = names.firstIndex(of: reference.field) else { continue }
        _ = try values[index].replacing(reference.path.dropFirst()) { id in
          try body(reference, id)
          return id
        }
      }
    }
  }

  private mutating func reader(of entity: StoredEntity, in table: String) throws -> Reader? {
    let reader: Reader
    if let known = readers[entity.layout] {
      reader = known
    } else {
      let layout = try workspace.layout(entity.layout)
      let references = try workspace.references(from: table, in: layout)
      reader = Reader(layout.isOfSealedRecords ? [] : references, in: layout)
      readers[entity.layout] = reader
    }
    return reader.references.isEmpty ? nil : reader
  }

  /// Notes that one record of a table has taken the place of another; nil for none.
  ///
  /// O(references of both), nothing for records without such fields.
  ///
  /// - Parameter table: The name that the table has now.
  mutating func note(
    _ new: StoredEntity?,
    replacing old: StoredEntity?,
    in table: String
  ) throws {
    let old = try old.map { try workspace.opened($0) }
    let new = try new.map { try workspace.opened($0) }
    let before = try old.flatMap { try reader(of: $0, in: table) }
    let after = try new.flatMap { try reader(of: $0, in: table) }
    let had = try before.flatMap { reader in try old.map { try reader.values(in: $0) } } ?? []
    let has = try after.flatMap { reader in try new.map { try reader.values(in: $0) } } ?? []
    if let before, let after, before.names == after.names, had == has { return }
    if let before { try add(-1, before, had, of: table) }
    if let after { try add(1, after, has, of: table) }
  }

  private mutating func add(
    _ count: Int64,
    _ reader: Reader,
    _ values: [RecordValue],
    of table: String
  ) throws {
    try reader.forEachID(in: values) { reference, id in
      let bytes = reference.candidates(for: id).first ?? []
      let target = workspace.number(of: reference.table)
      let place = number(of: Place(table: table, reference: reference))
      try workspace.staging.noteReference(to: bytes, of: target, from: place, count)
    }
  }

  private mutating func number(of place: Place) -> Int64 {
    if let number = numbers[place] { return number }
    places.append(place)
    numbers[place] = Int64(places.count)
    return Int64(places.count)
  }

  /// How many references lead to no record, as the step has added them or has removed the record; forgets all that is
  /// noted.
  ///
  /// One pass over each table that refers to one of which records are removed.
  ///
  /// - Parameter removed: Tables that the step has removed records from.
  mutating func dangling(besides removed: Set<String>) throws -> [Place: Int] {
    var counts = try missing(besides: removed)
    for table in workspace.tables.sorted() {
      let targets = Set(try workspace.references(from: table).map(\.table))
      if targets.isDisjoint(with: removed) { continue }
      var scan = workspace.scan(table)
      while let entity = try scan.next() {
        guard let reader = try reader(of: entity, in: table) else { continue }
        try reader.forEachID(in: reader.values(in: entity)) { reference, id in
          guard removed.contains(reference.table) else { return }
          let target = workspace.number(of: reference.table)
          let rows = try reference.candidates(for: id).compactMap {
            try workspace.staging.row(of: .staged, target, $0)
          }
          guard let row = rows.first, row.record == nil else { return }
          counts[Place(table: table, reference: reference), default: 0] += 1
        }
      }
    }
    return counts
  }

  /// How many of those that it has added lead to no record, and forgets all.
  ///
  /// The records are looked up in the order of their IDs.
  ///
  /// - Parameter removed: Tables that the step has removed records from. What leads to one of those is left out.
  private func missing(besides removed: Set<String>) throws -> [Place: Int] {
    var missing: [Place: Int] = [:]
    workspace.startLookUps()
    var references = workspace.staging.references()
    while let (target, id, _, _) = try references.peek() {
      var counts: [(place: Int64, count: Int64)] = []
      while let next = try references.next(if: { $0.target == target && $0.id == id }) {
        counts.append((next.place, next.count))
      }
      let added = counts.reduce(0) { $0 + $1.count }
      let table = workspace.table(target)
      if added <= 0 { continue }
      if try workspace.stored(id, in: table) != nil { continue }
      if removed.contains(table),
        let row = try workspace.staging.row(of: .staged, target, id), row.record == nil
      {
        continue
      }
      for (number, count) in counts where count > 0 {
        let place = places[Int(number) - 1]
        if try isElsewhere(id, place) { continue }
        missing[place, default: 0] += Int(min(count, added))
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
    let declared = shapes[table].declared.map(\.field)
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
