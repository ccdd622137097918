import StrataNormalization

/// Turns the stored entities of a fold into the tables of a database.
struct TableLoaders<Database: DatabaseType> {
  private var byName: [String: any TableLoading<Database>] = [:]
  /// Entities come table by table, so the last one used is nearly always the next.
  private var current: (name: String, loader: (any TableLoading<Database>)?)?

  /// Loaders for the tables of the schema that the file knows; the others keep what they have.
  init(for schema: DatabaseSchema<Database>, in known: Set<String>) throws {
    names = Set(schema.tables.map(\.name.text))
    for table in schema.tables where known.contains(table.name.text) {
      byName[table.name.text] = try table.makeLoader()
    }
  }

  /// The tables this build knows.
  let names: Set<String>
  /// How many entities were loaded.
  private(set) var count = 0

  /// Decodes one entity; one of a table this build does not know is passed over.
  mutating func load(
    _ entity: StoredEntity,
    _ catalog: LayoutCatalog,
    _ path: StorePath
  ) throws {
    if current?.name != entity.table { current = (entity.table, byName[entity.table]) }
    guard let loader = current?.loader else { return }
    do {
      try loader.load(entity.record, try catalog.layout(entity.layout))
      count += 1
    } catch let error as DamageFound {
      throw error
    } catch {
      throw PersistenceError(
        .opening,
        path: path.file,
        .undecodable(
          table: entity.table,
          id: EncodedID.text(of: entity.id),
          detail: "\(error)"
        )
      )
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

  func load(_ record: ArraySlice<UInt8>, _ layout: Layout) throws
  func place(in database: inout Database)
}

extension SchemaTable {
  func makeLoader() throws -> any TableLoading<Database> { try TableLoader(self) }
}

/// Collects the entities of one table.
private final class TableLoader<Table: SchemaTable>: TableLoading {
  private let table: Table
  private var entities: [Table.Entity] = []
  private let defaults: (bytes: [UInt8], layout: Layout)?
  /// Records of one layout mostly come one after another.
  private var reader: RecordReader?

  init(_ table: Table) throws {
    self.table = table
    let type = Table.Entity.self as? any DefaultingEntityType.Type
    defaults = try type.map { try Self.record(of: $0) }
  }

  private static func record<Entity: DefaultingEntityType>(
    of type: Entity.Type
  ) throws -> (bytes: [UInt8], layout: Layout) {
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    let layout = try writer.encode(type.defaults, into: &bytes)
    return (bytes, layout)
  }

  func load(_ record: ArraySlice<UInt8>, _ layout: Layout) throws {
    if let reader, reader.layout === layout {
      entities.append(try reader.decode(Table.Entity.self, from: record))
    } else {
      let reader = try RecordReader(layout: layout, defaults: defaults)
      self.reader = reader
      entities.append(try reader.decode(Table.Entity.self, from: record))
    }
  }

  func place(in database: inout Table.Database) {
    database[keyPath: table.path] = table.makeTable(entities)
  }
}
