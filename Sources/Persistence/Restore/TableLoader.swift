import StrataNormalization

/// Turns the stored entities of a fold into the tables of a database.
struct TableLoaders<Database: DatabaseType> {
  private let operation: PersistenceError.Operation
  private var byName: [String: any TableLoading<Database>] = [:]

  /// Loaders for the tables of the schema that the file knows; the others keep what they have.
  init(
    for schema: DatabaseSchema<Database>,
    in known: Set<String>,
    as operation: PersistenceError.Operation
  ) throws {
    self.operation = operation
    names = Set(schema.tables.map(\.name.text))
    for table in schema.tables where known.contains(table.name.text) {
      byName[table.name.text] = try table.makeLoader()
    }
  }

  /// The tables this build knows.
  let names: Set<String>
  /// How many entities were loaded.
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
    guard let loader = byName[table] else { return }
    for index in run.entries {
      guard case .put(let layout, let record) = part.entries[index].change else { continue }
      do {
        try loader.load(part.bytes[record], layout, catalog)
        count += 1
      } catch let error as DamageFound {
        throw error
      } catch  where policy == .bestEffort {
        let id = EncodedID.text(of: part.id(of: part.entries[index]))
        loss = loss ?? RestoreLoss()
        loss?.add(.init(table: table, id: id, detail: "\(error)"))
      } catch {
        throw PersistenceError(
          operation,
          path: path.file,
          .undecodable(
            table: table,
            id: EncodedID.text(of: part.id(of: part.entries[index])),
            detail: "\(error)"
          )
        )
      }
    }
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

  func load(_ record: ArraySlice<UInt8>, _ layout: Int64, _ catalog: LayoutCatalog) throws
  func place(in database: inout Database)
}

extension SchemaTable {
  func makeLoader() throws -> any TableLoading<Database> { try TableLoader(self) }
}

/// Collects the entities of one table.
private final class TableLoader<Table: SchemaTable>: TableLoading {
  private let table: Table
  private var entities: [Table.Entity] = []
  private var records: EntityRecords<Table.Entity>

  init(_ table: Table) throws {
    self.table = table
    records = try EntityRecords()
  }

  func load(_ record: ArraySlice<UInt8>, _ layout: Int64, _ catalog: LayoutCatalog) throws {
    entities.append(try records.entity(record, layout, catalog))
  }

  func place(in database: inout Table.Database) {
    database[keyPath: table.path] = table.makeTable(entities)
  }
}
