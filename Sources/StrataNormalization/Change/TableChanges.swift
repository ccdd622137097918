/// What happened to the entities of one table, the type of the entities erased.
public protocol AnyTableChanges: Sendable {
  /// What the table holds.
  associatedtype Entity: EntityType

  /// The name of the table.
  var table: TableName { get }
  /// One change for each entity that changed, in unspecified order.
  var changes: [EntityChange<Entity>] { get }
}

/// What happened to the entities of one table: at most one change for each ID.
public struct TableChanges<Entity: EntityType>: AnyTableChanges {
  /// The name of the table.
  public let table: TableName
  /// One change for each entity that changed, in unspecified order.
  public let changes: [EntityChange<Entity>]

  /// Creates the changes of a table; no ID may occur twice.
  package init(table: TableName, changes: [EntityChange<Entity>]) {
    self.table = table
    self.changes = changes
  }
}

extension TableChanges: Equatable {
  /// Equal when the same entities changed in the same way, in whatever order.
  public static func == (a: TableChanges, b: TableChanges) -> Bool {
    guard a.table == b.table, a.changes.count == b.changes.count else { return false }
    let byID = Dictionary(b.changes.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    return a.changes.allSatisfy { byID[$0.id] == $0 }
  }
}

extension AnyTableChanges {
  func isEqual(to other: any AnyTableChanges) -> Bool {
    guard let other = other as? TableChanges<Entity> else { return false }
    return TableChanges(table: table, changes: changes) == other
  }

  /// These changes and then the `later` ones, as one; of two changes of an entity the later stays.
  ///
  /// Nil when the other table holds entities of another type. O(changes of both).
  func merging(_ later: any AnyTableChanges) -> (any AnyTableChanges)? {
    guard let later = later as? TableChanges<Entity> else { return nil }
    let laterIDs = Set(later.changes.lazy.map(\.id))
    let kept = changes.filter { !laterIDs.contains($0.id) }
    return TableChanges(table: table, changes: kept + later.changes)
  }
}
