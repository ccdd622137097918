public import Foundation

/// How it goes with the file of a store: what an operator wants to know, at one moment.
///
/// ```swift
/// let status = persistence.status
/// metrics.gauge("strata.queue", status.queue.entities)
/// if case .degraded(let reason, let since) = status.condition { alarm("\(reason) since \(since)") }
/// ```
///
/// The parts are read one after another, so beside a busy writer they may differ by a group.
public struct PersistenceStatus: Sendable, Equatable {
  /// Whether commits reach the file.
  public enum Condition: Sendable, Equatable {
    /// They do.
    case healthy
    /// The disk has refused since then; the state goes on in memory and the writer keeps trying.
    case degraded(PersistenceError.Reason, since: Date)
    /// The file is closed and to be opened again by `resume()`; the state goes on in memory.
    case suspended(since: Date)
    /// The persistence was closed.
    case closed
  }

  /// What waits for the writer.
  public struct Queue: Sendable, Equatable {
    /// How many commits are not in the file yet.
    public var commits: Int
    /// How many changed entities they have; merged while the disk refuses.
    public var entities: Int
    /// From how many entities on committers wait, while the disk does not refuse.
    public var capacity: Int
  }

  /// How far memory, file and medium are.
  public struct Revisions: Sendable, Equatable {
    /// The last commit that changed the database.
    public var committed: Revision
    /// The last one in the file: it survives the process.
    public var written: Revision
    /// The last one surely on the medium: it survives the power.
    public var durable: Revision
  }

  /// What takes how much room.
  public struct Bytes: Sendable, Equatable {
    /// The database file; 0 when it is not there.
    public var database: Int64
    /// SQLite's write-ahead log beside it; 0 when it is not there.
    public var wal: Int64
    /// The deltas that are kept; nil until they were counted, shortly after the opening.
    public var journal: Int64?
    /// The snapshots that are kept.
    public var snapshots: Int64
  }

  /// A snapshot that was read back and found whole.
  public struct Snapshot: Sendable, Equatable {
    /// The revision it is of.
    public var revision: Revision
    /// When that was committed.
    public var time: Date
    /// How many entities it has; each persisted value counts as one.
    public var entities: Int
    /// The bytes of the entities: what one copy of the database takes.
    public var bytes: Int64
  }

  /// Something that went wrong.
  public struct Failure: Sendable, Equatable {
    /// What, with the remedy.
    public var message: String
    /// When.
    public var time: Date
  }

  /// SQLite's write-ahead log that cannot be folded into the database.
  public struct PinnedWAL: Sendable, Equatable {
    /// When a checkpoint could not finish for the first time; since then none could, and there was
    /// more than one.
    public var since: Date
    /// How many bytes of the log were not yet in the database at the last attempt.
    public var bytes: Int64
  }

  /// Whether commits reach the file.
  public var condition: Condition
  /// What waits for the writer.
  public var queue: Queue
  /// How far memory, file and medium are.
  public var revisions: Revisions
  /// What takes how much room.
  public var bytes: Bytes
  /// When everything written was last made durable; nil if it was not since the opening.
  public var lastSync: Date?
  /// The last thing that went wrong, also if it is over.
  public var lastFailure: Failure?
  /// Entities whose last change is in memory alone, as their `encode(to:)` refused it.
  public var notPersisted: [NotPersisted]
  /// Set while someone reads the file in one transaction that lasts: the log grows meanwhile.
  ///
  /// It is another connection, of this process or another; `lsof` on the file names it.
  public var pinnedWAL: PinnedWAL?
  /// The newest snapshot.
  public var newestSnapshot: Snapshot?
}
