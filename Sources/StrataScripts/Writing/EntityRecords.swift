package import StrataJournal
package import StrataRecords

/// The records of one entity table, in the order of their encoded IDs, any number of times.
package struct EntityRecords {
  package let table: String
  /// The layouts of the records by their numbers.
  package private(set) var layouts: [Int64: Layout]
  /// Starts from the first entity; each call of the result gives the next one.
  package let start: () throws -> () throws -> StoredEntity?
  /// Fields of older layouts that no record has any more: a script does not see them.
  package internal(set) var hidden: Set<String>
  /// The columns that scripts have declared, in their order; a script sees them, with values or without.
  package let declared: [DeclaredColumn]
  /// The highest integer that was an ID, also of a record that was removed.
  let highestNumber: () throws -> Int64?

  package init(
    _ table: String,
    layouts: [Int64: Layout],
    hiding hidden: Set<String> = [],
    declaring declared: [DeclaredColumn] = [],
    above highestNumber: @escaping () throws -> Int64? = { nil },
    _ start: @escaping () throws -> () throws -> StoredEntity?
  ) {
    self.table = table
    self.layouts = layouts
    self.hidden = hidden
    self.declared = declared
    self.highestNumber = highestNumber
    self.start = start
  }

  /// The layouts, the oldest first.
  var ordered: [Layout] { layouts.sorted { $0.key < $1.key }.map(\.value) }

  /// The layouts that have its columns, the oldest first.
  var ofColumns: [Layout] {
    get throws { try declared.layout(besides: ordered).map { [$0] + ordered } ?? ordered }
  }

  /// The newest layout of records that are not sealed.
  var newest: Layout? { ordered.last { !$0.isOfSealedRecords } }

  func layout(_ number: Int64) throws -> Layout {
    guard let layout = layouts[number] else {
      throw CorruptionError("a record of \(table) names layout \(number), which it does not have")
    }
    return layout
  }

  /// Whether a field holds IDs of entities, as a layout or a script says.
  func refers(_ field: String) -> Bool {
    (layouts.values.flatMap(\.fields) + declared.map(\.field)).contains { known in
      guard known.name == field, case .table = known.references else { return false }
      return true
    }
  }

  /// Whether there is no record.
  var isEmpty: Bool { get throws { try start()() == nil } }

  /// Those of the given fields that no record has a value in; O(records) at most.
  func fields(withoutValues fields: Set<String>) throws -> Set<String> {
    var unused = fields
    let next = try start()
    while !unused.isEmpty, let entity = try next() {
      try layout(entity.layout).forEachValue(in: entity.record) { unused.remove($0) }
    }
    return unused
  }

  /// Hides the fields that migrations have dropped or renamed: the newest layout of the records lacks them, and
  /// none has a value in them.
  ///
  /// The layouts of another table, which had the name before, count no more if they say otherwise of a field.
  ///
  /// O(records) if some layout has a field that another one lacks, or of another kind.
  mutating func hideUnusedFields() throws {
    let clear = layouts.filter { !$0.value.isOfSealedRecords }
    let fields = clear.mapValues { Set($0.fields.map(\.name)) }
    let kinds = Dictionary(grouping: clear.values.flatMap(\.fields), by: \.name)
      .mapValues { Set($0.map(\.kind)).subtracting([.unknown]) }
    let differ = kinds.contains { $0.value.count > 1 }
    guard differ || Set(fields.values).count > 1 else { return }
    var used: Set<Int64> = []
    let next = try start()
    while let entity = try next() { used.insert(entity.layout) }
    if differ, !used.isEmpty { layouts = layouts.filter { used.contains($0.key) } }
    guard let newest = used.max(), let shown = fields[newest] else { return }
    let others = fields.values.reduce(into: Set<String>()) { $0.formUnion($1) }
      .subtracting(shown).subtracting(declared.map(\.field.name))
    if !others.isEmpty { hidden.formUnion(try self.fields(withoutValues: others)) }
  }
}
