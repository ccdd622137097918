public import StrataCore
public import StrataNormalization

/// What one commit did to one table.
public struct EntityChanges<Entity: EntityType>: Sendable {
  /// One change for each entity that was put or removed, in unspecified order; never empty.
  public let changes: [EntityChange<Entity>]
  /// The table after the commit.
  public let table: EntityTable<Entity>
  /// The table before it: where what was removed or replaced can be looked up.
  public let previous: EntityTable<Entity>
  /// The version of the store that the commit made.
  public let version: UInt64
  /// Who made it: the commit, then the actions that led to it, from the inside out.
  public let traces: [CommitTrace]

  init(_ told: Changes<KeyedChanges<EntityDifference<Entity>>>) {
    changes = told.value.elements
    table = told.value.new
    previous = told.value.old
    version = told.version
    traces = told.traces
  }
}

extension EntityChanges {
  /// The entities that were put: added or replaced.
  ///
  /// O(changes).
  public var put: [Entity] {
    changes.compactMap { if case .put(let entity) = $0 { entity } else { nil } }
  }

  /// The IDs of the entities that are no longer there.
  ///
  /// O(changes).
  public var removed: [EntityID<Entity>] {
    changes.compactMap { if case .remove(let id) = $0 { id } else { nil } }
  }
}
