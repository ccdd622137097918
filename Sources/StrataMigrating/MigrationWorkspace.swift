import StrataBase
import StrataJournal
import StrataRecords
import StrataSQLite
import StrataStorage

/// The entities of a store during a run of migrations: those of the file, and what the run has changed.
///
/// The file is read as it was when the run started. Changes are in ``MigrationStaging`` until a step is done; then
/// they become its delta.
final class MigrationWorkspace {
  /// The tables that are there: those of the store, those that the run has added, and none that it has ended.
  var tables: Set<String>
  /// What is known of tables besides their records.
  var shapes: TableShapes
  let session: WriterSession
  let staging: MigrationStaging
  /// Where entities have come since the revision that the run goes back to; nil in other runs.
  private(set) var reverted: (revision: Revision, moves: EntityMoves)?
  private let view: ReadView
  private let base: EntityState
  private var writers: [String: RecordWriter] = [:]
  private var numbers: [String: Int64] = [:]
  private var namesOfNumbers: [String] = []
  private var sequence: Int64 = 0
  /// The steps that are done, with the last number of a change of each.
  private var steps: [(name: String, end: Int64)] = []
  private var keptTables: Set<String> = []
  private var lookUps: [String: LookUp] = [:]
  /// The names that tables had before steps that are done.
  private var formerNames: [String: Set<String>] = [:]
  /// The step that runs; one without changes between two.
  private var step = Step()

  /// What a step has done so far.
  private struct Step {
    /// What opens and seals the records of a table.
    var seals: [String: any RecordSealing] = [:]
    /// The tables with operations in the staging.
    var tables: Set<String> = []
    /// The tables that it has renamed or dropped.
    var leftTables: Set<String> = []
    /// Whether it has stored a record.
    var hasPuts = false
  }

  init(_ view: ReadView, _ session: WriterSession) throws {
    self.view = view
    base = try view.state(at: view.last.revision)
    tables = view.tables
    shapes = TableShapes(view)
    staging = try MigrationStaging()
    self.session = session
  }

  /// Starts a step, with what opens and seals the records of a table.
  func startStep(sealing seals: [String: any RecordSealing]) { step = Step(seals: seals) }

  /// What opens and seals the records of a table in the step; nil for none.
  func sealing(of table: String) -> (any RecordSealing)? { step.seals[table] }

  /// Whether the step has an operation on a table.
  func changes(_ table: String) -> Bool { step.tables.contains(table) }

  /// Whether the step has stored a record.
  var hasPuts: Bool { step.hasPuts }

  /// The table of a number in the staging.
  func table(_ number: Int64) -> String { namesOfNumbers[Int(number) - 1] }

  /// The number of a table in the staging.
  func number(of table: String) -> Int64 {
    if let number = numbers[table] { return number }
    namesOfNumbers.append(table)
    numbers[table] = Int64(namesOfNumbers.count)
    return Int64(namesOfNumbers.count)
  }

  func layout(_ number: Int64) throws(CorruptionError) -> Layout {
    try session.catalog.layout(number)
  }

  func layouts(of table: String) -> [Int64: Layout] {
    session.catalog.numberedLayouts(of: table)
  }
}

/// Going back.
extension MigrationWorkspace {
  /// Notes that records become what they were at a revision.
  func revert(to revision: Revision) throws {
    let last = view.last.revision
    reverted = (revision, try EntityMoves(into: nil, in: view, after: revision, through: last))
  }
}

/// Integer IDs.
extension MigrationWorkspace {
  /// The highest integer that was an ID in a table of this name, or of one that it had: before the run, or at the end of a
  /// step.
  func highestNumber(in table: String) throws -> Int64? {
    var highest: Int64?
    for name in formerNames[table, default: []].union([table]) {
      let kept = try staging.highestID(of: .kept, number(of: name), before: EncodedID.endOfIntegers)
      let numbers = [try view.highestNumber(in: name), try kept.flatMap(EncodedID.integer)]
      highest = (numbers + [highest]).compactMap(\.self).max()
    }
    return highest
  }

  /// Notes the names that the step has given tables.
  private func noteFormerNames() {
    let before = formerNames
    for (former, table) in shapes.renamedTables {
      formerNames[table, default: []].formUnion(before[former, default: []].union([former]))
    }
  }
}

/// Reading.
extension MigrationWorkspace {
  /// The entities of a table, each as it is when it is asked for; those that are added after the start are left out.
  func scan(_ table: String) -> Peekable<StoredEntity> {
    let (number, start) = (number(of: table), sequence)
    var before = before(table)
    var rows =
      changes(table) ? staging.rows(of: .staged, number, upTo: start) : Peekable { nil }
    return Peekable { [self] in
      while true {
        guard let id = (try before.peek()?.id).orEarlier(try rows.peek()?.id[...]) else {
          return nil
        }
        let entity = try before.next { $0.id == id }
        _ = try rows.next { $0.id[...] == id }
        guard changes(table), let row = try staging.row(of: .staged, number, Array(id)) else {
          return try entity.map { try opened($0) }
        }
        // Another record was given this ID before this one was visited.
        if row.number > start, row.record != nil, row.formerID != nil {
          throw MigrationStepError.sameID(row.id, in: table)
        }
        if let entity = row.entity(in: table) { return try opened(entity) }
      }
    }
  }

  /// The entities of a table as it was when the step started.
  func before(_ table: String) -> Peekable<StoredEntity> {
    var scan = base.scan(table)
    guard keptTables.contains(table) else { return Peekable { try scan.next() } }
    var file = Peekable { try scan.next() }
    var rows = staging.rows(of: .kept, number(of: table))
    return Peekable {
      while true {
        guard let id = (try file.peek()?.id).orEarlier(try rows.peek()?.id[...]) else {
          return nil
        }
        let entity = try file.next { $0.id == id }
        guard let row = try rows.next(if: { $0.id[...] == id }) else { return entity }
        if let entity = row.entity(in: table) { return entity }
      }
    }
  }

  /// The entity of an ID.
  func entity(_ id: [UInt8], in table: String) throws -> StoredEntity? {
    try stored(id, in: table).map { try opened($0) }
  }

  /// The same as it is stored.
  func stored(_ id: [UInt8], in table: String) throws -> StoredEntity? {
    if changes(table), let row = try staging.row(of: .staged, number(of: table), id) {
      return row.entity(in: table)
    }
    return try before(id, in: table)
  }

  /// The entity of an ID as it was when the step started, as it is stored.
  func before(_ id: [UInt8], in table: String) throws -> StoredEntity? {
    if keptTables.contains(table), let row = try staging.row(of: .kept, number(of: table), id) {
      return row.entity(in: table)
    }
    return try lookUps[table, default: LookUp(base, table)].entity(id)
  }

  /// Lets the next entities that are looked up be those of one pass again.
  func startLookUps() { lookUps = [:] }

  /// Finds entities of the file one by one; IDs that come in order are found by one pass.
  private struct LookUp {
    private let base: EntityState
    private let table: String
    private var entities: Peekable<StoredEntity>

    init(_ base: EntityState, _ table: String) {
      (self.base, self.table) = (base, table)
      var scan = base.scan(table)
      entities = Peekable { try scan.next() }
    }

    mutating func entity(_ id: [UInt8]) throws -> StoredEntity? {
      var steps = 2_048
      while steps > 0, try entities.next(if: { $0.id.lexicographicallyPrecedes(id) }) != nil {
        steps -= 1
      }
      if let entity = try entities.peek(), entity.id == id[...] { return entity }
      var scan = base.scan(table, .ids([id]))
      return try scan.next()
    }
  }
}

extension MigrationStaging.Change {
  func entity(in table: String) -> StoredEntity? {
    record.map { StoredEntity(table: table, id: id[...], layout: $0.layout, record: $0.bytes[...]) }
  }
}

/// Writing.
extension MigrationWorkspace {
  /// Stores members as a record, with the newest layout of the table.
  func put(_ members: [RecordValue.Member], id: [UInt8], in table: String) throws {
    let (layout, record) = try encode(members, in: table)
    try put(record, layout, id: id, from: nil, in: table)
  }

  /// Members as a record, with the newest layout of the table.
  func encode(
    _ members: [RecordValue.Member],
    in table: String
  ) throws -> (layout: Layout, record: [UInt8]) {
    var writer = writers[table] ?? RecordWriter(resuming: session.catalog.lastLayout(of: table))
    writers[table] = nil
    defer { writers[table] = writer }
    var bytes: [UInt8] = []
    let object = StoredObject(members, referringAs: writer.layout)
    return (try writer.encode(object, into: &bytes), bytes)
  }

  /// Lets further records of a table start from a layout, which is the last one of the table from now on.
  func resume(_ table: String, with layout: Layout) throws {
    try session.number(of: layout, table: table, for: .next)
    writers[table] = RecordWriter(resuming: layout)
  }

  /// Adds layouts for records that keep their bytes, and lets further records start from the newest of them; returns
  /// their numbers by those that the records have.
  ///
  /// - Parameters:
  ///   - tables: The names of tables, and those to add the layouts to.
  ///   - change: Nil for a layout that stays as it is.
  func relabel(
    _ tables: [String: String],
    _ change: (Layout) throws -> Layout?
  ) throws -> [Int64: Int64] {
    let before = tables.sorted { $0.key < $1.key }.map { table, name in
      (name, newestLayout(of: table), layouts(of: table).sorted { $0.key < $1.key })
    }
    var numbers: [Int64: Int64] = [:]
    for (name, newest, layouts) in before {
      for (number, layout) in layouts {
        guard let changed = try change(layout) else { continue }
        numbers[number] = try session.number(of: changed, table: name)
      }
      guard let newest = try newest.flatMap(change) else { continue }
      try resume(name, with: newest)
      for (number, layout) in layouts where try change(layout) == newest {
        numbers[number] = try session.number(of: newest, table: name)
      }
    }
    return numbers
  }

  /// Stores the bytes of a record as they are, with the number of a layout for them.
  func put(_ entity: StoredEntity, as layout: Int64) throws {
    try put((layout, Array(entity.record)), id: Array(entity.id), from: nil, in: entity.table)
  }

  /// The layout that further records of a table start from.
  func newestLayout(of table: String) -> Layout? {
    writers[table]?.layout ?? session.catalog.lastLayout(of: table)
  }

  /// Stores a record's bytes.
  ///
  /// - Parameter origin: Where it came from; nil for the record that is there now, if there is one.
  func put(
    _ record: [UInt8],
    _ layout: Layout,
    id: [UInt8],
    from origin: MigrationStaging.Origin?,
    in table: String
  ) throws {
    try checkSize(record, in: table)
    let number = try session.number(of: layout, table: table)
    try put((number, record), id: id, from: origin, in: table)
  }

  func checkSize(_ record: [UInt8], in table: String) throws {
    do throws(EncodingFailure) {
      try EntityEncoder.checkSize(record.count)
    } catch {
      if case .refused(let reason) = error { throw MigrationStepError("\(table): \(reason)") }
    }
  }

  /// The same with the number of its layout.
  func put(
    _ record: MigrationStaging.Record,
    id: [UInt8],
    from origin: MigrationStaging.Origin?,
    in table: String
  ) throws {
    let record = try sealed(record, id: id, in: table)
    tables.insert(table)
    step.hasPuts = true
    try staging.put(
      record,
      at: id,
      of: number(of: table),
      from: origin == .moved(from: id) ? .place : origin,
      number: nextNumber(in: table)
    )
  }

  /// Stores members under another ID than their record has now.
  ///
  /// - Throws: `MigrationStepError` where the step has put another record under that ID. One that is there and was
  ///   not changed is found when the step ends.
  func move(
    _ members: [RecordValue.Member],
    from before: [UInt8],
    to id: [UInt8],
    in table: String
  ) throws {
    guard try staging.row(of: .staged, number(of: table), id)?.record == nil else {
      throw MigrationStepError.sameID(id, in: table)
    }
    let origin = try origin(of: before, in: table)
    try clear(before, in: table, .moved)
    let (layout, record) = try encode(members, in: table)
    try put(
      record,
      layout,
      id: id,
      from: origin == .place ? .moved(from: before) : origin,
      in: table
    )
  }

  /// Where the record of an ID came from.
  func origin(of id: [UInt8], in table: String) throws -> MigrationStaging.Origin {
    guard changes(table) else { return .place }
    return try staging.row(of: .staged, number(of: table), id)?.origin ?? .place
  }

  /// Removes the record of an ID, if there is one.
  func remove(_ id: [UInt8], from table: String) throws {
    if try stored(id, in: table) != nil { try clear(id, in: table, .removed) }
  }

  /// Removes a record that was read, or notes that it has another ID.
  func clear(_ id: [UInt8], in table: String, _ reason: MigrationStaging.Reason) throws {
    try staging.clear(id, of: number(of: table), reason, number: nextNumber(in: table))
  }

  /// The same for the record that had an ID before the step, unless another one has it already.
  func clearFormer(_ id: [UInt8], in table: String, _ reason: MigrationStaging.Reason) throws {
    try staging.clearFormer(id, of: number(of: table), reason, number: nextNumber(in: table))
  }

  private func nextNumber(in table: String) -> Int64 {
    sequence += 1
    step.tables.insert(table)
    return sequence
  }
}

/// Ending a step.
extension MigrationWorkspace {
  /// The tables that the step has changed, sorted by name.
  var changedTables: [String] {
    step.tables.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Lets records of a table be sealed as those of another one, whose name it gets.
  func copySealing(of table: String, to name: String) {
    step.seals[name] = step.seals[name] ?? step.seals[table]
  }

  /// Adds a table, or keeps one that was left.
  func addTable(_ table: String) {
    tables.insert(table)
    step.leftTables.remove(table)
  }

  /// Notes that the step has renamed or dropped a table.
  func noteLeft(_ table: String) { step.leftTables.insert(table) }

  /// Ends the tables that the step has renamed or dropped, and returns them; one that has records is there still.
  func endLeftTables() throws -> [String] {
    let ended = try step.leftTables.filter { table in
      var scan = scan(table)
      return try scan.next() == nil
    }
    step.leftTables = []
    tables.subtract(ended)
    for table in ended { shapes.end(table) }
    return ended.sorted()
  }

  /// Makes what the step of a name has changed the start of the next one.
  func keepStaged(of name: String) throws {
    steps.append((name, sequence))
    try staging.keepStaged()
    keptTables.formUnion(step.tables)
    noteFormerNames()
    step = Step()
    shapes.endStep()
  }
}

extension MigrationWorkspace {
  /// An estimate of the number of entities.
  var expectedCount: Int { base.expectedCount }

  /// The steps of the run that are done.
  var namesOfSteps: [String] { steps.map(\.name) }

  /// The step that has changed a record last; nil if none of the run has.
  ///
  /// - Parameter id: The ID as a person writes it.
  func lastStep(changing id: String, of table: String) throws -> String? {
    for candidate in EncodedID.candidates(for: id) {
      guard let row = try staging.row(of: .kept, number(of: table), candidate) else { continue }
      return steps.first { row.number <= $0.end }?.name
    }
    return nil
  }
}

/// Why a step failed that is not the step's own error.
struct MigrationStepError: Error, CustomStringConvertible {
  let description: String
  /// Whether records cannot have the IDs that a step gives them.
  private(set) var isOfIDs = false

  init(_ description: String) { self.description = description }

  static func sameID(_ id: [UInt8], in table: String) -> MigrationStepError {
    ofIDs("two records of \(table) would have the ID \(EncodedID.text(of: id[...]))")
  }

  /// The way back of a change of IDs has none for a record.
  static func noEarlierID(_ id: RecordValue, in table: String) -> MigrationStepError {
    ofIDs("\(table) \(EncodedID.text(of: EncodedID.bytes(of: id)[...])) has no ID from before it")
  }

  private static func ofIDs(_ description: String) -> MigrationStepError {
    var error = MigrationStepError(description)
    error.isOfIDs = true
    return error
  }
}

extension ReadView {
  /// The highest integer that was an ID in a table, as far as the file knows: also that of a record which was removed, and
  /// under a former name of the table.
  ///
  /// O(entities of the table, and changes since the oldest snapshot).
  ///
  /// - Throws: as ``JournalReplay/next()``.
  fileprivate func highestNumber(in table: String) throws -> Int64? {
    var highest: Int64?
    func note(_ id: ArraySlice<UInt8>) throws {
      guard let number = try EncodedID.integer(of: Array(id)) else { return }
      highest = max(highest ?? number, number)
    }
    let moves = try EntityMoves(into: table, in: self, after: oldest, through: last.revision)
    for table in [table] + moves.formerTables {
      var scan = try state(at: oldest, scope: .table(table)).scan(table, .all)
      while let entity = try scan.next() { try note(entity.id) }
      var changes = EntityChanges(
        of: table,
        .all,
        in: try self.changes(after: oldest),
        through: last.revision
      )
      while let change = try changes.next() { try note(change.id) }
    }
    return highest
  }
}
