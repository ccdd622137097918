/// The common origin of tables: a table that was made by copying and changing another has the same
/// lineage, a table that was built separately has its own.
///
/// An object, because its identity is unique in the process as long as any of the tables is held.
@usableFromInline
final class TableLineage: Sendable {
  @usableFromInline
  init() {}
}
