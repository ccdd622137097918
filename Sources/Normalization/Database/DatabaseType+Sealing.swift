extension DatabaseType {
  /// Starts the recording of what is touched in each table from here.
  ///
  /// O(tables), and free for those that nothing touched.
  package mutating func seal(_ schema: DatabaseSchema<Self>) {
    for table in schema.tables { table.seal(in: &self) }
  }
}

extension SchemaTable {
  func seal(in database: inout Database) { database[keyPath: path].seal() }
}
