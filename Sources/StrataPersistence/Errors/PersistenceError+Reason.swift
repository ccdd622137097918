public import Foundation
public import StrataNormalization

extension PersistenceError {
  /// What can go wrong with a file.
  public enum Reason: Sendable, Equatable {
    /// There is no file at the path.
    case missing
    /// The directory the file should be in does not exist.
    case missingDirectory(String)
    /// The file or its directory may not be written.
    case notWritable(String)
    /// The path leads to something that is no regular file: a link, a directory.
    case notAFile(String)
    /// The file has no bytes: not even a new store's file is ever empty.
    case empty
    /// The file is no SQLite database.
    case notADatabase
    /// The file is the SQLite database of another program.
    case foreign(applicationID: Int32)
    /// The file was written by a later version of this library.
    case newerFormat(found: Int, known: Int)
    /// The file is shorter than its header says.
    case truncated(expected: Int64, found: Int64)
    /// Another writer has the file open.
    case alreadyOpen(by: String)
    /// What the file holds contradicts itself; nothing was changed.
    case damaged(String)
    /// A stored record does not fit the entity type of this build, or a stored value that of the
    /// state; the table of a value is `value:` and its name.
    case undecodable(table: String, id: String, detail: String)
    /// The records of a table are sealed, and nothing was given to open them with.
    case sealed(table: String)
    /// A sealed record was not opened by what was given for it.
    case unopenable(table: String, id: String, detail: String)
    /// A table has a name that begins like those of persisted values, with `value:`.
    case reservedName(String)
    /// What the file holds breaks a rule that this build's schema has.
    case ruleBroken(RuleViolation)
    /// The schema of the file does not fit this build.
    case migration(String)
    /// There is no room on the disk.
    case diskFull
    /// The file is locked by another process at this moment.
    case busy(String)
    /// The disk or SQLite refused.
    case io(String)
    /// The persistence was closed before.
    case closed
    /// History ends before this revision.
    case notReached(Revision, last: Revision)
    /// The history of this revision was trimmed; from the oldest one on it is kept.
    case trimmed(Revision, oldest: Revision)
    /// The revision lies inside commits that became one delta while the disk refused.
    case merged(ClosedRange<Revision>)
    /// History that is kept begins later, at this time.
    case beforeHistory(Date)
    /// Something is where a new file was to be; nothing is overwritten.
    case fileExists(String)
    /// The file was let go of by `suspend()`.
    case suspended
    /// Another writer went on with the file, or another file stands in its place.
    case movedOn(from: Revision, to: Revision)
    /// Everything is on disk but these entities, whose `encode(to:)` refused their last change.
    case notPersisted([NotPersisted])
    /// The store shows another time: what is committed there is not kept.
    case previewing
    /// The store was opened only to be read.
    case readOnly
    /// There is no table, entity, revision or snapshot as asked for.
    case notFound(String)
  }
}

extension PersistenceError.Reason {
  /// What is wrong, without a full stop.
  var sentence: String {
    switch self {
    case .missing: "there is no file here"
    case .missingDirectory(let directory): "the directory \(directory) does not exist"
    case .notWritable(let detail): "this place cannot be written (\(detail))"
    case .notAFile(let kind): "this is \(kind), not a regular file"
    case .empty: "this file is empty, so it is not a Strata store"
    case .notADatabase: "this is not a Strata store: it is no SQLite database"
    case .foreign(let id):
      "this SQLite database belongs to another program (application id \(id)), not to Strata"
    case .newerFormat(let found, let known):
      "this store has format \(found), and this build knows formats up to \(known)"
    case .truncated(let expected, let found):
      "this file has \(found) bytes where its header says \(expected): it was cut off"
    case .alreadyOpen(let owner): "another writer has this store open (\(owner))"
    case .damaged(let detail): "this store is damaged: \(detail)"
    case .undecodable(let table, let id, let detail):
      if let name = StoredValues.name(ofTable: table) {
        "the value \(name) cannot be read as this build's type: \(detail)"
      } else {
        "the record \(id) of table \(table) cannot be read as this build's type: \(detail)"
      }
    case .sealed(let table):
      "\(StoredValues.title(ofTable: table)) is sealed, and nothing was given to open it with"
    case .unopenable(let table, let id, let detail):
      "the sealed record \(id) of \(StoredValues.title(ofTable: table)) was not opened: \(detail)"
    case .reservedName(let table): "the table \(table) has a name that is kept for values"
    case .ruleBroken(let violation):
      "the data of this store breaks a rule of this build's schema: \(violation.sentence)"
    case .migration(let detail): "the schema of this store does not fit this build: \(detail)"
    case .diskFull: "the disk is full"
    case .busy(let detail): "the store is busy (\(detail))"
    case .io(let detail): "the disk refused (\(detail))"
    case .closed: "this persistence was closed"
    case .notReached(let revision, let last):
      "there is no revision \(revision): the last one is \(last)"
    case .trimmed(let revision, let oldest):
      "revision \(revision) was trimmed: history is kept from revision \(oldest) on"
    case .merged(let run):
      """
      the commits \(run.lowerBound) to \(run.upperBound) became one delta while the disk refused, so \
      there is nothing between them
      """
    case .beforeHistory(let oldest):
      "history is kept from \(oldest.formatted(.iso8601)) on, and nothing from before"
    case .fileExists(let path): "there is something at \(path)"
    case .suspended: "this persistence is suspended"
    case .movedOn(let from, let to):
      """
      this file was left at revision \(from), and another writer has brought it to revision \(to) of \
      another history
      """
    case .notPersisted(let entities):
      """
      the last change of \(entities.count == 1 ? "an entity" : "\(entities.count) entities") is in \
      memory alone (\(entities.prefix(5).map { "\($0)" }.joined(separator: "; ")))
      """
    case .previewing: "the store shows another time, and what is committed there is not kept"
    case .readOnly: "this store was opened to be read"
    case .notFound(let what): "there is no \(what)"
    }
  }

  /// What to do about it.
  var remedy: String {
    switch self {
    case .missing: "Check the path; a store is created by opening it from a program."
    case .missingDirectory: "Create the directory first; Strata creates the file only."
    case .notWritable: "Choose another place, or allow this user to write here."
    case .notAFile: "Give the path of the file itself, which must have no other name."
    case .empty: "Remove it to start afresh, or put the right file here."
    case .notADatabase, .foreign: "Check the path; the file was not touched."
    case .newerFormat: "Use a newer version of Strata; the file was not touched."
    case .truncated: "Bring back a backup; the file was not touched, so what is left can be saved."
    case .alreadyOpen: "Close it there first, or open it read-only."
    case .damaged:
      """
      The file was not touched. Run `strata verify` on it, and bring back a backup; or open it with \
      RestorePolicy.bestEffort, which restores what can be proved and keeps the damaged file beside it.
      """
    case .undecodable(let table, _, _):
      if StoredValues.name(ofTable: table) != nil {
        """
        Make the field optional or its type as it was, or keep the value under another name; \
        RestorePolicy.bestEffort opens with the initial one and keeps what is stored. The file was not \
        touched.
        """
      } else {
        """
        Make the field optional, give the entity `static var defaults: Self` (DefaultingEntityType), \
        or migrate the data; RestorePolicy.bestEffort opens without such records and keeps them. The \
        file was not touched.
        """
      }
    case .sealed(let table):
      if let name = StoredValues.name(ofTable: table) {
        """
        Give its sealing: PersistedValue("\(name)", …, sealing: …). The file was not touched.
        """
      } else {
        """
        Give its sealing, with the key: tables: [.sealed(\\.\(table), with: …)]. The file was not touched.
        """
      }
    case .unopenable:
      """
      Open it with the key it was sealed with; RestorePolicy.bestEffort opens without such records and \
      keeps them. The file was not touched.
      """
    case .reservedName: "Give it another one: Entities(\\.table, named: \"other_name\")."
    case .ruleBroken:
      """
      Mend the data with the build that wrote it, or take the rule out of this one; the file was not \
      touched.
      """
    case .migration: "Use the build that wrote it, or restore the migration as it was."
    case .diskFull:
      "Free some space: the state goes on in memory and is written when there is room."
    case .busy: "Try again."
    case .io: "Check the disk: the state goes on in memory and is written when the disk works."
    case .closed: "Commit before close(), or open the store again."
    case .notReached: "Ask for that one or one before it."
    case .trimmed, .beforeHistory:
      "Ask for a later one; a SnapshotPolicy that wants more history keeps more from now on."
    case .merged(let run):
      "Ask for revision \(run.upperBound), or for \(run.lowerBound.number - 1), the one before them."
    case .fileExists: "Choose another path, or move away what is there, its -wal and -shm with it."
    case .suspended: "Call resume() first; what is committed is kept in memory."
    case .movedOn:
      """
      Close this persistence, which leaves the file alone, and open the file again; what was committed \
      since is in memory only.
      """
    case .notPersisted: "Put them again with values that their encode(to:) accepts."
    case .previewing: "Go back to the present, or keep what is shown, and commit then."
    case .readOnly: "Open it with RestorePolicy.strict or .bestEffort to change its database."
    case .notFound: "Check the spelling; `strata tables` lists what there is."
    }
  }
}

extension PersistenceError.Reason {
  /// Why a record is not to be had as an entity.
  init(reading error: any Error, table: String, id: String) {
    self =
      (error as? SealFailure)?.reason
      ?? .undecodable(table: table, id: id, detail: "\(error)")
  }
}
