/// Tables that a database has and its schema does not list.
///
/// Nothing of such a table would be stored or be part of a ``ChangeSet``.
public struct UnlistedTables: Error, Sendable, Equatable, CustomStringConvertible {
  /// The type of the database.
  public let database: String
  /// The properties, as paths from the database: `drafts`, `archive.posts`.
  public let properties: [String]
  /// For each of them, the line that the schema lacks.
  public let lines: [String]

  /// What is missing, followed by the lines to add.
  public var description: String {
    "\(sentence). Add to the schema: \(lines.joined(separator: "; "))"
  }

  private var sentence: String {
    let tables = properties.map { "\\.\($0)" }.joined(separator: ", ")
    return "The schema of \(database) does not list \(tables), so nothing of it would be stored"
  }
}

extension DatabaseType {
  /// Checks that the schema lists every stored `EntityTable` of the database.
  ///
  /// O(stored properties), by reflection; also inside structs that the database contains. Opening a
  /// file and ``DatabaseType`` stores with rules call it.
  ///
  /// Throws ``UnlistedTables`` with the properties and the lines to add.
  public static func checkSchema() throws(UnlistedTables) {
    var database = Self()
    let schema = Self.schema
    // A new origin for each listed table, since tables that are copies of one share theirs.
    for table in schema.tables { table.clear(&database) }
    let listed = Set(schema.tables.map { $0.origin(in: database) })
    var names = Set(schema.tables.map(\.name))
    var properties: [String] = []
    var lines: [String] = []
    UnlistedTables.forEachTable(in: database, at: []) { path, table in
      if listed.contains(table.originID) { return }
      let name = type(of: table).tableName
      let isNew = names.insert(name).inserted
      properties.append(path)
      lines.append(
        "Entities(\\.\(path)\(isNew ? "" : ", named: \"\(path.replacing(".", with: "_"))\""))"
      )
    }
    if properties.isEmpty { return }
    throw UnlistedTables(database: "\(Self.self)", properties: properties, lines: lines)
  }
}

extension UnlistedTables {
  private static let deepest = 8

  fileprivate static func forEachTable(
    in value: Any,
    at path: [String],
    _ body: (String, any ReflectedTable) -> Void
  ) {
    let mirror = Mirror(reflecting: value)
    guard path.count < deepest, mirror.displayStyle == .struct else { return }
    for child in mirror.children {
      guard let label = child.label else { continue }
      // The storage of a property wrapper has the name of its property with an underscore.
      let path = path + [label.hasPrefix("_") ? String(label.dropFirst()) : label]
      if let table = child.value as? any ReflectedTable {
        body(path.joined(separator: "."), table)
      } else {
        forEachTable(in: child.value, at: path, body)
      }
    }
  }
}

/// A table that reflection has found.
private protocol ReflectedTable {
  static var tableName: TableName { get }
  var originID: ObjectIdentifier { get }
}

extension EntityTable: ReflectedTable {
  fileprivate static var tableName: TableName { Entity.tableName }
  fileprivate var originID: ObjectIdentifier { ObjectIdentifier(origin) }
}

extension SchemaTable {
  fileprivate func clear(_ database: inout Database) { database[keyPath: path] = EntityTable() }

  fileprivate func origin(in database: Database) -> ObjectIdentifier {
    database[keyPath: path].originID
  }
}
