public import StrataCore
public import StrataNormalization

/// What one commit did to one table.
public struct EntityChanges<Entity: EntityType>: Sendable {
  /// One change for each entity that was put or removed, in unspecified order; never empty.
  public let changes: [EntityChange<Entity>]
  /// The table after the commit.
  public let table: EntityTable<Entity>
  /// The table before the commit, with the entities that were removed or replaced.
  public let previous: EntityTable<Entity>
  /// The version of the store that the commit made.
  public let version: UInt64
  /// Who made it: the commit, then the actions that led to it, the innermost first.
  public let traces: [CommitTrace]

  init(_ commit: Changes<KeyedChanges<IDDifference<Entity>>>) {
    changes = commit.value.elements
    table = commit.value.new
    previous = commit.value.old
    version = commit.version
    traces = commit.traces
  }
}

extension EntityChanges {
  /// The entities that were put: inserted or replaced.
  ///
  /// O(changes).
  public var put: [Entity] {
    changes.compactMap { if case .put(let entity) = $0 { entity } else { nil } }
  }

  /// The IDs of the entities that were removed.
  ///
  /// O(changes).
  public var removed: [EntityID<Entity>] {
    changes.compactMap { if case .remove(let id) = $0 { id } else { nil } }
  }
}
