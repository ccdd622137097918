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
  /// The columns that are declared and those that were dropped.
  var columns: MigrationColumns
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
  /// The highest numbers that scripts of the run have given as IDs.
  private var givenNumbers: [String: Int64] = [:]
  /// The step that runs; one without changes between two.
  private var step = Step()

  /// What a step has done so far.
  private struct Step {
    /// What opens and seals the records of a table.
    var seals: [String: any RecordSealing] = [:]
    /// The tables with changes in the staging.
    var tables: Set<String> = []
    /// The tables that it has renamed or dropped.
    var leftTables: Set<String> = []
    /// Whether it has stored a record.
    var hasPuts = false
    var renames = MigrationRenames()
    /// The tables in which it has given records other IDs.
    var movedTables: Set<String> = []
    /// The tables that it has given other names, and changed since.
    var tablesChangedSinceRename: Set<String> = []
  }

  init(_ view: ReadView, _ session: WriterSession) throws {
    self.view = view
    base = try view.state(at: view.last.revision)
    tables = view.tables
    columns = MigrationColumns(view)
    staging = try MigrationStaging()
    self.session = session
  }

  /// Starts a step, with what opens and seals the records of a table.
  func startStep(sealing seals: [String: any RecordSealing]) { step = Step(seals: seals) }

  /// What opens and seals the records of a table in the step; nil for none.
  func sealing(of table: String) -> (any RecordSealing)? { step.seals[table] }

  /// Whether the step has stored a record.
  var hasPuts: Bool { step.hasPuts }

  /// What the step has given other names.
  var renames: MigrationRenames {
    get { step.renames }
    _modify { yield &step.renames }
  }

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
  /// The highest integer that was an ID in a table, before the run or in it.
  func highestNumber(in table: String) throws -> Int64? {
    let known = try view.highestNumber(in: table)
    return givenNumbers[table].map { max($0, known ?? $0) } ?? known
  }

  /// Notes the highest number that a script has given to a row of a table.
  func noteNumber(_ number: Int64, in table: String) { givenNumbers[table] = number }
}

/// Reading.
extension MigrationWorkspace {
  /// Goes through a table as it is when it is asked for each entity; entities that are added after the start are
  /// left out.
  struct Scan {
    private let workspace: MigrationWorkspace
    private let table: String
    private let number: Int64
    private let start: Int64
    private var before: Before
    private var page: ArraySlice<MigrationStaging.Change> = []
    private var isPaged: Bool
    private var upcoming: StoredEntity?
    private var hasUpcoming = false

    fileprivate init(_ workspace: MigrationWorkspace, _ table: String) {
      self.workspace = workspace
      self.table = table
      number = workspace.number(of: table)
      start = workspace.sequence
      before = Before(workspace, table)
      isPaged = !workspace.step.tables.contains(table)
    }

    /// The next entity; nil at the end.
    mutating func next() throws -> StoredEntity? {
      try nextStored().map { try workspace.opened($0) }
    }

    private mutating func nextStored() throws -> StoredEntity? {
      while true {
        if !hasUpcoming {
          upcoming = try before.next()
          hasUpcoming = true
        }
        let added = try nextAdded()
        if let entity = upcoming, added.map({ !$0.lexicographicallyPrecedes(entity.id) }) ?? true {
          hasUpcoming = false
          if let added, added[...] == entity.id { page = page.dropFirst() }
          guard workspace.step.tables.contains(table),
            let row = try workspace.staging.row(of: .staged, number, Array(entity.id))
          else { return entity }
          // Another record was given this ID before this one was visited.
          if row.number > start, row.record != nil, row.origin != nil {
            throw MigrationStepError.sameID(row.id, in: table)
          }
          if let entity = row.entity(in: table) { return entity }
          continue
        }
        guard let added else { return nil }
        page = page.dropFirst()
        let row = try workspace.staging.row(of: .staged, number, added)
        if let entity = row?.entity(in: table) { return entity }
      }
    }

    /// The ID of the next row that was staged before the start.
    private mutating func nextAdded() throws -> [UInt8]? {
      while true {
        while let row = page.first {
          if row.number <= start { return row.id }
          lastID = row.id
          page = page.dropFirst()
        }
        if isPaged { return nil }
        page = try workspace.staging.page(of: .staged, number, after: lastID)[...]
        lastID = page.last?.id
        if page.isEmpty { isPaged = true }
      }
    }

    private var lastID: [UInt8]?
  }

  /// Goes through a table as it was when the step started.
  struct Before {
    private let workspace: MigrationWorkspace
    private let table: String
    private let number: Int64
    private var base: EntityScan
    private var upcoming: StoredEntity?
    private var hasUpcoming = false
    private var page: ArraySlice<MigrationStaging.Change> = []
    private var lastID: [UInt8]?
    private var isPaged: Bool

    fileprivate init(_ workspace: MigrationWorkspace, _ table: String) {
      self.workspace = workspace
      self.table = table
      number = workspace.number(of: table)
      base = workspace.base.scan(table)
      isPaged = !workspace.keptTables.contains(table)
    }

    mutating func next() throws -> StoredEntity? {
      while true {
        if !hasUpcoming {
          upcoming = try base.next()
          hasUpcoming = true
        }
        if page.isEmpty, !isPaged {
          page = try workspace.staging.page(of: .kept, number, after: lastID)[...]
          lastID = page.last?.id
          isPaged = page.isEmpty
        }
        guard let row = page.first else {
          hasUpcoming = false
          return upcoming
        }
        if let upcoming, upcoming.id.lexicographicallyPrecedes(row.id) {
          hasUpcoming = false
          return upcoming
        }
        if upcoming.map({ $0.id == row.id[...] }) ?? false { hasUpcoming = false }
        page = page.dropFirst()
        if let entity = row.entity(in: table) { return entity }
      }
    }
  }

  /// The entities of a table.
  func scan(_ table: String) -> Scan { Scan(self, table) }

  /// The entities of a table before the step.
  func before(_ table: String) -> Before { Before(self, table) }

  /// The entity of an ID.
  func entity(_ id: [UInt8], in table: String) throws -> StoredEntity? {
    try stored(id, in: table).map { try opened($0) }
  }

  /// The same as it is stored.
  private func stored(_ id: [UInt8], in table: String) throws -> StoredEntity? {
    let number = number(of: table)
    if step.tables.contains(table), let row = try staging.row(of: .staged, number, id) {
      return row.entity(in: table)
    }
    if keptTables.contains(table), let row = try staging.row(of: .kept, number, id) {
      return row.entity(in: table)
    }
    return try lookUps[table, default: LookUp(base, table)].entity(id)
  }

  /// Whether a table had an entity before the step.
  func wasThere(_ id: [UInt8], in table: String) throws -> Bool {
    if keptTables.contains(table), let row = try staging.row(of: .kept, number(of: table), id) {
      return row.record != nil
    }
    return try lookUps[table, default: LookUp(base, table)].entity(id) != nil
  }

  /// Finds entities of the file one by one; IDs that come in order are found by one pass.
  private struct LookUp {
    private let base: EntityState
    private let table: String
    private var scan: EntityScan
    private var current: StoredEntity?
    private var isStarted = false

    init(_ base: EntityState, _ table: String) {
      self.base = base
      self.table = table
      scan = base.scan(table)
    }

    mutating func entity(_ id: [UInt8]) throws -> StoredEntity? {
      if !isStarted {
        isStarted = true
        current = try scan.next()
      }
      var steps = 2_048
      while let entity = current, entity.id.lexicographicallyPrecedes(id), steps > 0 {
        current = try scan.next()
        steps -= 1
      }
      if let entity = current, entity.id == id[...] { return entity }
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
  func put(
    _ members: [RecordValue.Member],
    id: [UInt8],
    movedFrom: [UInt8]? = nil,
    in table: String
  ) throws {
    let (layout, record) = try encode(members, in: table)
    try put(record, layout, id: id, movedFrom: movedFrom, in: table)
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

  /// Lets further records of a table start from a layout.
  func resume(_ table: String, with layout: Layout) {
    writers[table] = RecordWriter(resuming: layout)
  }

  /// The layout that further records of a table start from.
  func newestLayout(of table: String) -> Layout? {
    writers[table]?.layout ?? session.catalog.lastLayout(of: table)
  }

  /// Stores a record's bytes.
  func put(
    _ record: [UInt8],
    _ layout: Layout,
    id: [UInt8],
    movedFrom: [UInt8]? = nil,
    in table: String
  ) throws {
    try checkSize(record, in: table)
    let number = try session.number(of: layout, table: table)
    try put((number, record), id: id, movedFrom: movedFrom, in: table)
  }

  /// Stores the bytes of a record whose former ID another record has now.
  func put(
    _ record: [UInt8],
    _ layout: Layout,
    id: [UInt8],
    leaving former: [UInt8],
    in table: String
  ) throws {
    try checkSize(record, in: table)
    let number = try session.number(of: layout, table: table)
    try stage((number, record), id: id, origin: former, in: table)
  }

  func checkSize(_ record: [UInt8], in table: String) throws {
    do throws(EncodingFailure) {
      try EntityEncoder.checkSize(record.count)
    } catch {
      if case .refused(let reason) = error { throw MigrationStepError("\(table): \(reason)") }
    }
  }

  func put(
    _ record: (layout: Int64, bytes: [UInt8]),
    id: [UInt8],
    movedFrom: [UInt8]?,
    in table: String
  ) throws {
    if let movedFrom {
      let earlier = try staging.row(of: .staged, number(of: table), id)
      if let origin = earlier?.origin, earlier?.record != nil, origin != movedFrom {
        throw MigrationStepError.sameID(id, in: table)
      }
      try removeMoved(movedFrom, from: table)
    }
    try stage(record, id: id, origin: movedFrom, in: table)
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
    let row = try staging.row(of: .staged, number(of: table), before)
    // The record may have had another ID at the start of the step, or may be new.
    let earlier = row?.origin.flatMap { $0.isEmpty ? nil : $0 }
    let isNew = try row != nil && earlier == nil && hasMoved(before, in: table)
    let origin = isNew ? nil : earlier ?? before
    try stage(
      .init(id: before, record: nil, origin: origin == before ? [] : nil, number: sequence + 1),
      in: table
    )
    let (layout, bytes) = try encode(members, in: table)
    try checkSize(bytes, in: table)
    let number = try session.number(of: layout, table: table)
    try stage((number, bytes), id: id, origin: origin == id ? nil : origin, in: table)
  }

  /// Stores a record that had another ID before the step, or this one if there is no origin.
  func stage(
    _ record: (layout: Int64, bytes: [UInt8]),
    id: [UInt8],
    origin: [UInt8]?,
    in table: String
  ) throws {
    let record = try sealed(record, id: id, in: table)
    tables.insert(table)
    if origin != nil { step.movedTables.insert(table) }
    try stage(.init(id: id, record: record, origin: origin, number: sequence + 1), in: table)
  }

  /// Removes the record of an ID, if there is one.
  func remove(_ id: [UInt8], from table: String) throws {
    if try stored(id, in: table) != nil { try removeKnown(id, from: table) }
  }

  /// Removes a record that was read.
  func removeKnown(_ id: [UInt8], from table: String) throws {
    try stage(
      .init(id: id, record: nil, origin: nil, number: sequence + 1, isRemoved: true),
      in: table
    )
  }

  /// Removes a record that was read, unless the step has stored another one under its ID.
  func removeUnlessStaged(_ id: [UInt8], from table: String) throws {
    if try staging.row(of: .staged, number(of: table), id)?.record != nil { return }
    try removeKnown(id, from: table)
  }

  /// Notes that a record has another ID now, which it is stored under later.
  func leave(_ id: [UInt8], in table: String) throws {
    try stage(.init(id: id, record: nil, origin: [], number: sequence + 1), in: table)
  }

  /// Removes a record that has another ID now, unless another one has its ID already.
  private func removeMoved(_ id: [UInt8], from table: String) throws {
    let row = try staging.row(of: .staged, number(of: table), id)
    if row?.record != nil, row?.origin?.isEmpty == false { return }
    try stage(.init(id: id, record: nil, origin: [], number: sequence + 1), in: table)
  }

  private func stage(_ row: MigrationStaging.Change, in table: String) throws {
    sequence += 1
    step.tables.insert(table)
    if row.record != nil { step.hasPuts = true }
    if renames.tables[table] != nil { step.tablesChangedSinceRename.insert(table) }
    try staging.stage(number(of: table), row)
  }
}

/// Ending a step.
extension MigrationWorkspace {
  /// The tables that the step has changed, sorted by name.
  var changedTables: [String] {
    step.tables.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The ID that a record had before the step; nil where it is the same.
  func origin(of id: [UInt8], in table: String) throws -> [UInt8]? {
    guard step.movedTables.contains(table) else { return nil }
    return try staging.row(of: .staged, number(of: table), id)?.origin
  }

  /// Lets records of a table be sealed as those of another one, whose name it gets.
  func copySealing(of table: String, to name: String) {
    step.seals[name] = step.seals[name] ?? step.seals[table]
  }

  /// Notes that tables have other names; their records were put under them.
  func noteRename(of names: [String: String]) {
    renames.renameTables(names)
    columns.rename(names)
    let changed = step.tablesChangedSinceRename
    step.tablesChangedSinceRename.subtract(names.values)
    step.tablesChangedSinceRename.subtract(names.keys)
    for (table, name) in names where changed.contains(table) {
      step.tablesChangedSinceRename.insert(name)
    }
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
    for table in ended { columns.end(table) }
    return ended.sorted()
  }

  /// Whether the step has given records of a table other IDs.
  func hasMoves(in table: String) -> Bool { step.movedTables.contains(table) }

  /// Whether a record of a table had this ID before the step and has another one now.
  func hasMoved(_ id: [UInt8], in table: String) throws -> Bool {
    guard step.movedTables.contains(table) else { return false }
    return try staging.hasMoved(id, of: number(of: table))
  }

  /// Whether the step has changed a table since it gave it another name.
  func isChangedSinceRename(_ table: String) -> Bool {
    step.tablesChangedSinceRename.contains(table)
  }

  /// Makes what the step of a name has changed the start of the next one.
  func keepStaged(of name: String) throws {
    steps.append((name, sequence))
    try staging.keepStaged()
    keptTables.formUnion(step.tables)
    step = Step()
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
