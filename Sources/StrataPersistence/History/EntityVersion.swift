public import Foundation
public import StrataCore
public import StrataJournal
public import StrataNormalization
public import StrataRecords

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
    /// It was put before a migration of the data, which has changed it since: its record as it was then.
    indirect case earlier(EarlierRecord)
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

  /// The name of the commit; nil for a snapshot and an erasure.
  public var name: String? {
    if case .commit(let name, _) = origin { name } else { nil }
  }

  /// The place of the commit in the source; nil for a snapshot and an erasure.
  public var place: String? {
    if case .commit(_, let place) = origin { place } else { nil }
  }

  /// The entity; nil if it was removed, erased, not persisted, or cannot be read as its type.
  public var entity: Entity? {
    if case .put(let entity) = content { return entity }
    return nil
  }
}

/// The record of an entity from before a migration of the data: without the types of this build, with the names of its time.
///
/// ```swift
/// case .earlier(let record): print(record)   // notes n1, before 0002_memos: {"text":"milk"}
/// ```
public struct EarlierRecord: Sendable, Equatable {
  /// The first migration that has changed the entity since: it ran, or was taken back.
  public let migration: String
  /// The table that it was in.
  public let table: String
  /// The ID that it had.
  public let id: RecordValue
  /// Its fields.
  public let fields: RecordValue
}

extension EarlierRecord: CustomStringConvertible {
  /// Its table and ID, the migration, and its fields as JSON.
  public var description: String {
    "\(table) \(EncodedID.text(of: EncodedID.bytes(of: id)[...])), before \(migration): \(fields)"
  }
}
