import Foundation
import StrataNormalization
import StrataRecords

/// Turns the stored entities of a fold into the tables of a database, and into the values beside it.
struct TableLoaders<Database: DatabaseType> {
  private let operation: PersistenceError.Operation
  private var byName: [String: any TableLoading<Database>] = [:]
  private var values: [String: any TableChangesLoading] = [:]
  private var untreatedValues: Set<String> = []

  /// Loaders for the tables of the schema that the file knows, and for values; the others keep what
  /// they have.
  init(
    for schema: DatabaseSchema<Database>,
    in known: Set<String>,
    of store: UUID,
    as operation: PersistenceError.Operation,
    _ keeping: Keeping
  ) throws {
    self.operation = operation
    let tables = schema.tables(in: keeping)
    names = Set(tables.map(\.name.text)).union(keeping.values.tableNames)
    for value in keeping.values.tables {
      values[value.table.text] = value.makeChangesLoader(of: store, keeping)
    }
    for table in tables where known.contains(table.name.text) {
      byName[table.name.text] = try table.makeLoader(of: store, keeping)
    }
  }

  /// The tables this build keeps, those of values too.
  let names: Set<String>
  /// How many entities were loaded, values not counted.
  private(set) var count = 0
  /// Whether a record that cannot be decoded ends the loading.
  var policy = RestorePolicy.strict
  /// The records that were left out.
  private(set) var loss: RestoreLoss?

  /// Decodes entities; those of a table this build does not know are passed over, and under
  /// `.bestEffort` those it cannot decode.
  mutating func load(_ run: EntityRun, _ catalog: LayoutCatalog, _ path: StorePath) throws {
    guard let first = run.entries.first else { return }
    let part = run.part
    let table = part.table(of: part.entries[first])
    guard let loader = byName[table] else { return try loadValue(run, table, catalog, path) }
    for index in run.entries {
      guard case .put(let layout, let record) = part.entries[index].change else { continue }
      do {
        let id = part.id(of: part.entries[index])
        try loader.load(part.bytes[record], of: id, layout, catalog)
        count += 1
      } catch {
        try pass(over: error, table, part.id(of: part.entries[index]), path)
      }
    }
  }

  private mutating func loadValue(
    _ run: EntityRun,
    _ table: String,
    _ catalog: LayoutCatalog,
    _ path: StorePath
  ) throws {
    guard let loader = values[table] else { return }
    for index in run.entries {
      let entry = run.part.entries[index]
      guard case .put(let layout, let record) = entry.change else { continue }
      do {
        try loader.put(run.part.bytes[record], of: run.part.id(of: entry), layout, catalog)
        if !loader.isAsKept { untreatedValues.insert(table) }
      } catch {
        try pass(over: error, table, run.part.id(of: entry), path)
      }
    }
  }

  /// Notes that a record was left out, where the policy allows it.
  private mutating func pass(
    over error: any Error,
    _ table: String,
    _ id: ArraySlice<UInt8>,
    _ path: StorePath
  ) throws {
    if error is DamageFound { throw error }
    let reason = PersistenceError.Reason(
      reading: error,
      table: table,
      id: EncodedID.text(of: id)
    )
    switch reason {
    case .undecodable(_, let id, let detail) where policy == .bestEffort,
      .unopenable(_, let id, let detail) where policy == .bestEffort:
      loss = loss ?? RestoreLoss()
      loss?.add(.init(table: table, id: id, detail: detail))
    default: throw PersistenceError(operation, path: path.file, reason)
    }
  }

  /// The values that were found, and what is not stored as it is to be.
  func finish() -> (values: ChangeSet, untreated: ChangeSet) {
    let found = values.values.compactMap { $0.finish() }.sorted { $0.table < $1.table }
    let tables = byName.values.compactMap(\.untreated).sorted { $0.table < $1.table }
    return (
      ChangeSet(tables: found),
      ChangeSet(tables: tables).joined(
        by: found.filter { untreatedValues.contains($0.table.text) }
      )
    )
  }

  /// The database, over what `initial` has beside the loaded tables.
  func database(over initial: Database) -> Database {
    var database = initial
    for loader in byName.values { loader.place(in: &database) }
    return database
  }
}

/// Loads the records of one table.
protocol TableLoading<Database>: AnyObject {
  associatedtype Database: DatabaseType

  func load(
    _ record: ArraySlice<UInt8>,
    of id: ArraySlice<UInt8>,
    _ layout: Int64,
    _ catalog: LayoutCatalog
  ) throws
  func place(in database: inout Database)
  /// The entities that are not stored as the table's are to be; nil for none.
  var untreated: (any AnyTableChanges)? { get }
}

extension SchemaTable {
  func makeLoader(of store: UUID, _ keeping: Keeping) throws -> any TableLoading<Database> {
    try TableLoader(self, EntityRecords(of: name.text, in: store, keeping))
  }
}

/// Collects the entities of one table.
private final class TableLoader<Table: SchemaTable>: TableLoading {
  private let table: Table
  private var entities: [Table.Entity] = []
  private var records: EntityRecords<Table.Entity>

  private var changes: [EntityChange<Table.Entity>] = []

  init(_ table: Table, _ records: EntityRecords<Table.Entity>) {
    self.table = table
    self.records = records
  }

  func load(
    _ record: ArraySlice<UInt8>,
    of id: ArraySlice<UInt8>,
    _ layout: Int64,
    _ catalog: LayoutCatalog
  ) throws {
    entities.append(try records.entity(record, of: id, layout, catalog))
    if !records.isAsKept, let last = entities.last { changes.append(.put(last)) }
  }

  var untreated: (any AnyTableChanges)? {
    changes.isEmpty ? nil : TableChanges(table: table.name, changes: changes)
  }

  func place(in database: inout Table.Database) {
    database[keyPath: table.path] = table.makeTable(entities)
  }
}
