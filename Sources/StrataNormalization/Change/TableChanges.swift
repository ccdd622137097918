/// The change of one entity: it was put (inserted or replaced), or removed.
public enum EntityChange<Entity: EntityType>: Sendable, Equatable {
  /// The entity after the change.
  case put(Entity)
  /// The ID of the removed entity.
  case remove(EntityID<Entity>)

  /// The ID of the changed entity.
  public var id: EntityID<Entity> {
    switch self {
    case .put(let entity): entity.id
    case .remove(let id): id
    }
  }
}

/// The changes of the entities of one table, with the type of the entities erased.
public protocol AnyTableChanges: Sendable {
  /// The type of the entities in the table.
  associatedtype Entity: EntityType

  /// The name of the table.
  var table: TableName { get }
  /// One change for each entity that changed, in unspecified order.
  var changes: [EntityChange<Entity>] { get }
}

/// The changes of the entities of one table: at most one change for each ID.
public struct TableChanges<Entity: EntityType>: AnyTableChanges {
  /// The name of the table.
  public let table: TableName
  /// One change for each entity that changed, in unspecified order.
  public let changes: [EntityChange<Entity>]
  /// The tables that were compared; nil if the changes were made in another way.
  @usableFromInline let compared: ComparedTables?

  /// Creates the changes of a table; no ID may occur twice.
  package init(table: TableName, changes: [EntityChange<Entity>]) {
    self.init(table: table, changes: changes, between: nil)
  }

  @inlinable
  init(table: TableName, changes: [EntityChange<Entity>], between compared: ComparedTables?) {
    self.table = table
    self.changes = changes
    self.compared = compared
  }
}

/// The identities of two tables that were compared.
///
/// They are valid only while both tables are held: the identity of a freed node may be reused.
@usableFromInline
struct ComparedTables: Equatable, Sendable {
  private let old: ObjectIdentifier?
  private let new: ObjectIdentifier?

  @usableFromInline
  init(old: AnyObject?, new: AnyObject?) {
    self.old = old.map(ObjectIdentifier.init)
    self.new = new.map(ObjectIdentifier.init)
  }
}

extension TableChanges: Equatable {
  /// Equal when the same entities changed in the same way, in any order.
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

  /// These changes followed by the `later` ones, as one; of two changes of an entity, the later is kept.
  ///
  /// Nil if the other table holds entities of another type. O(changes of both).
  func merging(_ later: any AnyTableChanges) -> (any AnyTableChanges)? {
    guard let later = later as? TableChanges<Entity> else { return nil }
    let laterIDs = Set(later.changes.lazy.map(\.id))
    let kept = changes.filter { !laterIDs.contains($0.id) }
    return TableChanges(table: table, changes: kept + later.changes)
  }
}

extension EntityTable {
  /// The changes that make `old` equal to this table: one for each entity that differs, in unspecified
  /// order.
  ///
  /// If one of the tables was made by copying and changing the other, or both from a third, an entity that was written differs
  /// unless all its bytes are equal; its `==` is not called. O(different entities · log n).
  /// If they were built separately, entities of one ID are compared with `==`. O(n).
  @inlinable
  public func changes(from old: EntityTable) -> [EntityChange<Entity>] {
    let difference: TrieDifference<Entity>
    if origin === old.origin {
      difference = storage.difference(from: old.storage) { $0.hasBytes(of: $1) }
    } else {
      difference = storage.difference(from: old.storage) {
        $0.hasBytes(of: $1) || $0.pointee == $1.pointee
      }
    }
    if difference.put.isEmpty, difference.removed.isEmpty { return [] }
    var changes: [EntityChange<Entity>] = []
    changes.reserveCapacity(difference.put.count + difference.removed.count)
    withExtendedLifetime((self, old)) {
      for place in difference.put { changes.append(.put(place.pointee)) }
      for place in difference.removed { changes.append(.remove(place.pointee.id)) }
    }
    return changes
  }

  /// The same as the changes of a named table; nil if there are none.
  @inlinable
  func changes(from old: EntityTable, as name: TableName) -> TableChanges<Entity>? {
    if storage.root === old.storage.root { return nil }
    let changes = changes(from: old)
    if changes.isEmpty { return nil }
    let compared = ComparedTables(old: old.storage.root, new: storage.root)
    return TableChanges(table: name, changes: changes, between: compared)
  }
}
