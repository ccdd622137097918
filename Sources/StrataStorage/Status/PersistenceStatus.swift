public import Foundation
package import StrataBase
public import StrataJournal

/// The state of a store's file at one moment, for operators and metrics.
///
/// ```swift
/// let status = persistence.status
/// metrics.gauge("strata.queue", status.queue.entities)
/// if case .degraded(let error, let since) = status.condition { alarm("\(error) since \(since)") }
/// ```
///
/// The parts are read one after another, so while the writer is busy they may differ by one group.
public struct PersistenceStatus: Sendable, Equatable {
  /// Whether commits reach the file.
  public enum Condition: Sendable, Equatable {
    /// Commits reach the file.
    case healthy
    /// Writing has failed since then; the store continues in memory and the writer keeps trying.
    case degraded(PersistenceError, since: Date)
    /// The file is closed until `resume()` opens it again; the store continues in memory.
    case suspended(since: Date)
    /// The persistence was closed.
    case closed
  }

  /// What waits for the writer.
  public struct Queue: Sendable, Equatable {
    /// How many commits are not in the file yet.
    public var commits: Int
    /// How many changed entities they have; an entity counts once while commits are merged.
    public var entities: Int
    /// From how many entities on commits wait, while the disk works.
    public var capacity: Int
  }

  /// The last revisions in memory, in the file and on the medium.
  public struct Revisions: Sendable, Equatable {
    /// The last commit that changed the database.
    public var committed: Revision
    /// The last one in the file: it survives the end of the process.
    public var written: Revision
    /// The last one that is certainly on the medium: it survives a power cut.
    public var durable: Revision
    /// The last one that the archive has: it survives the loss of the machine.
    ///
    /// Nil without an archive, and until it was reached.
    public var replicated: Revision?
  }

  /// How much space the parts of the file take.
  public struct Bytes: Sendable, Equatable {
    /// The database file; 0 when there is none.
    public var database: Int64
    /// SQLite's write-ahead log beside it; 0 when there is none.
    public var wal: Int64
    /// The deltas that are kept; nil until they are counted, shortly after opening.
    public var journal: Int64?
    /// The snapshots that are kept.
    public var snapshots: Int64
  }

  /// A snapshot that was read back and verified.
  public struct Snapshot: Sendable, Equatable {
    /// Its revision.
    public var revision: Revision
    /// When that revision was committed.
    public var time: Date
    /// How many entities it holds; each persisted value counts as one.
    public var entities: Int
    /// The bytes of the entities: the size of one copy of the database.
    public var bytes: Int64
  }

  /// An error.
  public struct Failure: Sendable, Equatable {
    /// What went wrong, and the remedy.
    public var message: String
    /// When it happened.
    public var time: Date

    package init(message: String, time: Date) {
      self.message = message
      self.time = time
    }
  }

  /// A write-ahead log of SQLite's that cannot be copied into the database.
  public struct PinnedWAL: Sendable, Equatable {
    /// When a checkpoint first could not finish; there were at least two since, and none could.
    public var since: Date
    /// How many bytes of the log were not in the database at the last attempt.
    public var bytes: Int64

    package init(since: Date, bytes: Int64) {
      self.since = since
      self.bytes = bytes
    }
  }

  /// Whether commits reach the file.
  public var condition: Condition
  /// What waits for the writer.
  public var queue: Queue
  /// The last revisions in memory, in the file and on the medium.
  public var revisions: Revisions
  /// How much space the parts of the file take.
  public var bytes: Bytes
  /// When everything written was last made durable; nil if there was no sync since opening.
  public var lastSync: Date?
  /// The last error, even if its cause is gone.
  public var lastFailure: Failure?
  /// Entities whose last change is in memory alone, because their `encode(to:)` threw.
  public var notPersisted: [NotPersisted]
  /// Set while a reader holds one transaction open for long: the log grows meanwhile.
  ///
  /// The reader is another connection, of this process or another one; `lsof` on the file names it.
  public var pinnedWAL: PinnedWAL?
  /// The times of the last commits, while they are ahead of the clock; nil otherwise.
  public var heldTimes: HeldTimes?
  /// The newest snapshot.
  public var newestSnapshot: Snapshot?
  /// How what runs beside the writer is.
  package var parts = ReportParts()
  /// The last revision whose delta was removed, by the `SnapshotPolicy` or by `compact()`; nil if the
  /// whole history is there.
  public var trimmed: Revision?
}

/// An event of a store's file while it is open.
public enum PersistenceEvent: Sendable, Equatable {
  /// Deltas up to this revision are in the file.
  case appended(through: Revision)
  /// A snapshot was written, read back and verified.
  case snapshot(Revision)
  /// History was removed: the deltas up to this revision, as the policy allows it.
  case trimmed(through: Revision)
  /// A snapshot or the trimming after it failed; the journal is not affected.
  case snapshotFailed(String)
  /// Writing failed: the store continues in memory, and the writer keeps trying.
  case degraded(PersistenceError)
  /// The disk works again and has everything up to this revision.
  case recovered(through: Revision)
  /// These entities changed in memory but could not be encoded; the file has older records of them.
  case notPersisted([NotPersisted])
}

extension PersistenceEvent: BroadcastEvent {
  package func absorbing(_ earlier: PersistenceEvent) -> PersistenceEvent? {
    switch (self, earlier) {
    case (.appended, .appended), (.snapshot, .snapshot), (.trimmed, .trimmed),
      (.recovered, .recovered),
      (.snapshotFailed, .snapshotFailed), (.degraded, .degraded):
      self
    case (.notPersisted(let later), .notPersisted(let entities)):
      .notPersisted(entities.filter { !later.contains($0) } + later)
    default: nil
    }
  }
}

/// A store in the process that has it open: its file, and what only that process knows.
///
/// `Persistence.live` makes it, and `StateInspector.serve` of the product `StrataInspector` shows it. It keeps
/// neither the store nor its persistence alive.
public struct LiveStore: Sendable {
  /// The resolved path of the file.
  package let path: String
  /// The state of the writer; nil once the persistence is gone.
  package let status: @Sendable () -> PersistenceStatus?
  /// Who follows the store; nil while there is none.
  package let subscribers: @Sendable () -> StoreSubscribers?

  package init(
    path: String,
    status: @escaping @Sendable () -> PersistenceStatus?,
    subscribers: @escaping @Sendable () -> StoreSubscribers?
  ) {
    self.path = path
    self.status = status
    self.subscribers = subscribers
  }
}
