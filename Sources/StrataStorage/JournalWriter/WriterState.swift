import Foundation
import StrataJournal

/// What the ``JournalWriter`` holds of its file.
///
/// The queue and the status have no condition of their own: the writer sets it at each transition.
///
/// | from | to | when |
/// | --- | --- | --- |
/// | `unopened` | `reading` | the file was opened for reading only |
/// | `unopened` | `writing` | it was opened |
/// | `writing` | `replacing` | another file is put in its place, as after an erasure |
/// | `writing`, `replacing`, `recovering` | `degraded` | the disk failed |
/// | `degraded`, `replacing`, `suspended` | `recovering` | it was opened again, and is the one that was left |
/// | `recovering` | `writing` | what was committed meanwhile is in it, and synced |
/// | `writing`, `degraded` | `suspended` | it was released |
/// | `recovering` | `suspended` | a resume failed |
/// | `writing`, `degraded`, `suspended` | `closed` | it was closed |
enum WriterState {
  /// The file was not opened yet.
  case unopened
  /// Nothing is held.
  case reading
  case writing(WriterSession, OwnedStore)
  /// The lock is held, but no connection: the file at the path may be another one by now.
  case replacing(OwnedStore, Position)
  /// Commits reach the file again, and the condition is still the one that it was.
  case recovering(WriterSession, OwnedStore, from: PersistenceStatus.Condition)
  /// The lock is held, but no connection.
  case degraded(OwnedStore, Position, PersistenceError, since: Date)
  /// Nothing is held until the file is resumed.
  case suspended(Position, since: Date)
  case closed

  var session: WriterSession? {
    switch self {
    case .writing(let session, _), .recovering(let session, _, _): session
    case .unopened, .reading, .replacing, .degraded, .suspended, .closed: nil
    }
  }

  var store: OwnedStore? {
    switch self {
    case .writing(_, let store), .recovering(_, let store, _), .replacing(let store, _),
      .degraded(let store, _, _, _):
      store
    case .unopened, .reading, .suspended, .closed: nil
    }
  }

  /// The position of the file, or the one at which it was left; nil if it is not written to.
  var position: Position? {
    switch self {
    case .writing(let session, _), .recovering(let session, _, _): session.position
    case .replacing(_, let position), .degraded(_, let position, _, _), .suspended(let position, _):
      position
    case .unopened, .reading, .closed: nil
    }
  }

  var condition: PersistenceStatus.Condition {
    switch self {
    case .unopened, .reading, .writing, .replacing: .healthy
    case .recovering(_, _, let before): before
    case .degraded(_, _, let error, let since): .degraded(error, since: since)
    case .suspended(_, let since): .suspended(since: since)
    case .closed: .closed
    }
  }

  /// Why nothing can be written at this moment.
  var refusal: PersistenceError.Reason {
    switch self {
    case .degraded(_, _, let error, _): error.reason
    case .suspended: .suspended
    case .reading: .readOnly
    case .writing, .replacing, .recovering: .busy("the file is being opened again")
    case .unopened, .closed: .closed
    }
  }
}
