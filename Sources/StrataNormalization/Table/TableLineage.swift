/// Which tables came from one another: every table that was made by copying and changing this one
/// has its lineage, a table made anew has one of its own.
///
/// An object, as its identity is unique in the process for as long as any of the tables is there.
@usableFromInline
final class TableLineage: Sendable {
  @usableFromInline
  init() {}
}
