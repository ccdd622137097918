public import Foundation
public import StrataCore
public import StrataJournal
public import StrataNormalization

/// One version of an entity, from one change of it to the next.
public struct EntityVersion<Entity: EntityType>: Sendable, Equatable {
  /// What happened to the entity.
  public enum Content: Sendable, Equatable {
    /// It was put: this is its value from then on.
    case put(Entity)
    /// It was removed.
    case removed
    /// It was erased, with every version before.
    case erased
    /// It was put in memory, but its `encode(to:)` threw; its value is not known.
    case notPersisted
    /// It was put, and this build cannot read the stored record: the text says why, and what to do.
    case undecodable(String)
  }

  /// Where the version comes from.
  public enum Origin: Sendable, Equatable {
    /// The oldest kept snapshot: the entity got this value then, or at any time before.
    case snapshot
    /// An erasure.
    case erasure
    /// A commit, by its name and its place in the source.
    case commit(name: String, place: String)
  }

  /// What happened to the entity.
  public let content: Content
  /// Where the version comes from.
  public let origin: Origin
  /// The revisions of the delta that made it: one, except where commits were merged.
  public let revisions: ClosedRange<Revision>
  /// When the delta or the snapshot was made.
  public let time: Date
  /// Who wanted the commit and why; nil for a snapshot, and if that is not known.
  ///
  /// Where commits were merged, it is the context of the last one.
  public let context: CommitContext?

  /// The revision from which on this version holds.
  public var revision: Revision { revisions.upperBound }

  /// The entity; nil if it was removed, erased, not persisted, or cannot be read.
  public var entity: Entity? {
    if case .put(let entity) = content { return entity }
    return nil
  }
}
