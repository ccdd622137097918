public import Foundation
public import StrataNormalization
public import StrataStorage

/// A delta of the journal as this build's types: what one commit changed in the database, when, and
/// who committed it.
///
/// Tables this build does not know are left out; so a delta may be without changes.
public struct Delta: Sendable, Equatable {
  /// The revisions it covers: one, except where commits were merged while the disk refused.
  public let revisions: ClosedRange<Revision>
  /// When it was committed; of several, the last one.
  ///
  /// Never before the time of the delta before, whatever the clock did.
  public let time: Date
  /// The name given to `commit("name") { … }`; empty when none was.
  public let name: String
  /// Where in the source the commit was made.
  public let place: String
  /// What it changed.
  public let changes: ChangeSet
  /// What it made of persisted values that this build lists.
  let valueChanges: ChangeSet
  /// Entities it changed in memory alone, as their `encode(to:)` refused.
  public let notPersisted: [NotPersisted]

  /// Its number: the last revision it covers.
  public var revision: Revision { revisions.upperBound }

  /// The names of the persisted values it changed, of those that this build lists; sorted.
  public var values: [String] {
    valueChanges.tables.compactMap { StoredValues.name(ofTable: $0.table.text) }
  }

  /// What it changed a persisted value to; nil when it did not, or the value is of another type than
  /// it is in the state.
  public func value<Value: Codable & Equatable & Sendable>(
    _ name: String,
    as type: Value.Type = Value.self
  ) -> Value? {
    let table = StoredValues.tableName(of: name)
    for change in valueChanges.changes(of: StoredValue<Value>.self, in: table) {
      if case .put(let stored) = change { return stored.value }
    }
    return nil
  }
}

/// One version of an entity, from one change of it to the next.
public struct EntityVersion<Entity: EntityType>: Sendable, Equatable {
  /// What became of the entity.
  public enum Content: Sendable, Equatable {
    /// It was put: this is how it was from then on.
    case put(Entity)
    /// It was removed.
    case removed
    /// It was put in memory, but its `encode(to:)` refused; what it was then is not known.
    case notPersisted
  }

  /// Where the version comes from.
  public enum Origin: Sendable, Equatable {
    /// The oldest snapshot that is kept: the entity became so then, or at any time before.
    case snapshot
    /// A commit, by its name and its place in the source.
    case commit(name: String, place: String)
  }

  /// What became of the entity.
  public let content: Content
  /// Where the version comes from.
  public let origin: Origin
  /// The revisions of the delta that made it: one, except where commits were merged.
  public let revisions: ClosedRange<Revision>
  /// When.
  public let time: Date

  /// The revision from which on the entity was so.
  public var revision: Revision { revisions.upperBound }

  /// The entity; nil where it was removed or not persisted.
  public var entity: Entity? {
    if case .put(let entity) = content { return entity }
    return nil
  }
}
