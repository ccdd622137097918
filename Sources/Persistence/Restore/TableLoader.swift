import StrataNormalization

/// Turns the stored entities of a fold into the tables of a database.
struct TableLoaders<Database: DatabaseType> {
  private var byName: [String: any TableLoading<Database>] = [:]

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

  /// Decodes entities; those of a table this build does not know are passed over.
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
      } catch {
        throw PersistenceError(
          .opening,
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
  private let defaults: (bytes: [UInt8], layout: Layout)?
  /// Records of one layout mostly come one after another.
  private var loader: (layout: Int64, loader: RecordLoader)?

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

  func load(_ record: ArraySlice<UInt8>, _ layout: Int64, _ catalog: LayoutCatalog) throws {
    let loader = try loader(of: layout, catalog)
    entities.append(try loader.decode(Table.Entity.self, from: record))
  }

  private func loader(of layout: Int64, _ catalog: LayoutCatalog) throws -> RecordLoader {
    if let loader, loader.layout == layout { return loader.loader }
    let reader = try RecordReader(layout: try catalog.layout(layout), defaults: defaults)
    let loader = RecordLoader(reader)
    self.loader = (layout, loader)
    return loader
  }

  func place(in database: inout Table.Database) {
    database[keyPath: table.path] = table.makeTable(entities)
  }
}
