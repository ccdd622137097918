import StrataNormalization
package import StrataRecords

extension EntityID: Referencing {
  /// The table of the entity's type.
  ///
  /// A database may store the type under another name as well (`Entities(_:named:)`); the reference is
  /// then to the name of the type.
  package static var referencedTables: ReferencedTables? { .table(Entity.tableName.text) }
}
