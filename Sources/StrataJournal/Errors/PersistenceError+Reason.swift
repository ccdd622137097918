package import Foundation
import StrataBase

extension PersistenceError {
  /// What can go wrong with a file, in all detail: what a program needs of it is its kind, its remedy and its text.
  package enum Reason: Error, Sendable, Equatable {
    /// There is no file at the path.
    case missing
    /// The directory of the path does not exist.
    case missingDirectory(String)
    /// The file, its directory or a file beside it cannot be read.
    case notReadable(String)
    /// The file or its directory cannot be written.
    case notWritable(String)
    /// Something other than a regular file is at the path: a link, a directory.
    case notAFile(String)
    /// There is a file beside the store that is not the store's own: a rollback journal of SQLite, or
    /// something other than a regular file under the name of one of the store's files.
    case foreignCompanion(String)
    /// The file has no bytes. The file of a new store is never empty.
    case empty
    /// The file is not an SQLite database.
    case notADatabase
    /// The file is the SQLite database of another program.
    case foreign(applicationID: Int32)
    /// The store belongs to another application than the one that the configuration names.
    case otherApplication(found: String, expected: String)
    /// The file was written by an earlier version of this library, whose format this one does not read.
    case olderFormat(found: Int, known: Int)
    /// The file was written by a later version of this library.
    case newerFormat(found: Int, known: Int)
    /// The file has a feature of a later version, which a program must know of to write to it. Reading is possible.
    case needsFeature(String)
    /// The file is shorter than its header says.
    case truncated(expected: Int64, found: Int64)
    /// Another writer has the file open.
    case alreadyOpen(by: String)
    /// The contents of the file contradict each other. Nothing was changed.
    case damaged(String)
    /// The file ends before a revision that its head says was written: another file was put in the place of the store,
    /// or it was copied without its `-wal`. Nothing was changed.
    case endMissing(last: Revision, written: Revision)
    /// A stored record cannot be decoded as the entity type of this build, or a stored value as the type
    /// in the state. The table of a value is `value:` and its name.
    case undecodable(table: String, id: String, detail: String)
    /// The records of a table are sealed, and the configuration has no sealing for it.
    case sealed(table: String)
    /// A sealed record could not be opened with the sealing of its table.
    case unopenable(table: String, id: String, detail: String)
    /// The name of a table starts with `value:`, which is reserved for persisted values.
    case reservedName(String)
    /// The contents of the file break a rule of this build's schema.
    case ruleBroken(String)
    /// The schema of the database leaves out tables, so nothing of them would be stored. Each line is one
    /// that the schema lacks.
    case unlistedTables(database: String, properties: [String], lines: [String])
    /// The schema of the file does not match this build.
    case migration(String)
    /// The disk is full.
    case diskFull
    /// This process, or the whole machine, has too many open files.
    case tooManyFiles(String)
    /// Another process has the database locked at this moment.
    case busy(String)
    /// An I/O error, or another error of SQLite.
    case io(String)
    /// The persistence was closed.
    case closed
    /// The revision is after the last one.
    case notReached(Revision, last: Revision)
    /// The history of this revision was trimmed. History starts at the oldest one.
    case trimmed(Revision, oldest: Revision)
    /// The revision is inside a range of commits that were merged into one delta during an I/O failure.
    case merged(ClosedRange<Revision>)
    /// The time is before the start of the stored history, which is this one.
    case beforeHistory(Date)
    /// There is a file at the path of a new file. Nothing is overwritten.
    case fileExists(String)
    /// The file was released by `suspend()`.
    case suspended
    /// Another writer has changed the file, or there is another file at its path.
    case movedOn(from: Revision, to: Revision)
    /// Everything is on disk except the last change of these entities: their `encode(to:)` threw.
    case notPersisted([NotPersisted])
    /// The store shows another time. Commits made there are not stored.
    case previewing
    /// The store of the persistence was deallocated.
    case storeGone
    /// The store was opened for reading only.
    case readOnly
    /// There is no such table, entity, revision or snapshot.
    case notFound(String)
    /// A text of a person has several meanings, each of which can be written as one of the texts.
    case ambiguous(String, [String])
    /// An error of a product that stands on the core, such as one of a migration or of an archive.
    case feature(any FeatureError)
    /// Tables of the file have records and are unknown to this build, which has tables that the file lacks.
    ///
    /// The number is the next one that is free for the migration that the remedy suggests.
    case tablesGone([String: Int], new: [String], number: Int = 1)
    /// A temporary file cannot be written or read.
    case temporaryFile(String)
    /// A migration of the data ran, or was taken back, after the revision, so the types of this build do not read it.
    case beforeMigration(String, Revision)
    /// The snapshot of another revision has this name.
    case nameTaken(String, Revision)
  }
}

extension PersistenceError.Reason {
  /// What is wrong: starts in lower case, has no full stop.
  package var sentence: String {
    switch self {
    case .missing: "there is no file here"
    case .missingDirectory(let directory): "the directory \(directory) does not exist"
    case .notReadable(let detail): "cannot read this path (\(detail))"
    case .notWritable(let detail): "cannot write to this path (\(detail))"
    case .notAFile(let kind): "this is \(kind), not a regular file"
    case .foreignCompanion(let detail): "a file beside this store is not its own: \(detail)"
    case .empty: "this file is empty, so it is not a Strata store"
    case .notADatabase: "this is not a Strata store: it is not an SQLite database"
    case .foreign(let id):
      "this SQLite database belongs to another program (application id \(id)), not to Strata"
    case .otherApplication(let found, let expected):
      "this store belongs to the application “\(found)”, and the configuration names “\(expected)”"
    case .olderFormat(let found, let known), .newerFormat(let found, let known):
      "this store has format \(found), but this build reads format \(known)"
    case .needsFeature(let feature):
      "this store has the feature “\(feature)”, which this version of Strata does not know"
    case .truncated(let expected, let found):
      "this file is truncated: it has \(found) bytes, and its header says \(expected)"
    case .alreadyOpen(let owner): "another writer has this store open (\(owner))"
    case .damaged(let detail): "this store is damaged: \(detail)"
    case .endMissing(let last, let written):
      """
      another file was put in the place of this store, such as a copied backup, or it was copied without its \
      -wal: it ends at revision \(last), and its .head says that revision \(written) was written
      """
    case .undecodable(let table, let id, let detail):
      if let name = StoredValues.name(ofTable: table) {
        "the value \(name) cannot be decoded as this build's type: \(detail)"
      } else {
        "the record \(id) of table \(table) cannot be decoded as this build's type: \(detail)"
      }
    case .sealed(let table):
      "\(StoredValues.title(ofTable: table)) is sealed, and the configuration has no sealing for it"
    case .unopenable(let table, let id, let detail):
      "the sealed record \(id) of \(StoredValues.title(ofTable: table)) cannot be opened: \(detail)"
    case .reservedName(let table): "the table name \(table) is reserved for persisted values"
    case .ruleBroken(let violation):
      "the data of this store breaks a rule of this build's schema: \(violation)"
    case .unlistedTables(let database, let properties, _):
      """
      the schema of \(database) does not list \(properties.map { "\\.\($0)" }.joined(separator: ", ")), \
      so nothing of it would be stored
      """
    case .migration(let detail): "the schema of this store does not match this build: \(detail)"
    case .diskFull: "the disk is full"
    case .tooManyFiles(let detail): "too many files are open (\(detail))"
    case .busy(let detail): "the store is busy (\(detail))"
    case .io(let detail): "I/O error (\(detail))"
    case .closed: "this persistence is closed"
    case .notReached(let revision, let last):
      "there is no revision \(revision): the last one is \(last)"
    case .trimmed(let revision, let oldest):
      "revision \(revision) was trimmed: history starts at revision \(oldest)"
    case .merged(let run):
      """
      the commits \(run.lowerBound) to \(run.upperBound) were merged into one delta during an I/O \
      failure, so the states between them are not stored
      """
    case .beforeHistory(let oldest):
      "history starts at \(oldest.formatted(.iso8601))"
    case .fileExists(let path): "there is already a file at \(path)"
    case .suspended: "this persistence is suspended"
    case .movedOn(let from, let to):
      """
      this file was at revision \(from) when it was released, and another writer has changed it: it is \
      now at revision \(to) of another history
      """
    case .notPersisted(let entities):
      """
      the last change of \(entities.count == 1 ? "an entity" : "\(entities.count) entities") is only \
      in memory (\(entities.prefix(5).map { "\($0)" }.joined(separator: "; ")))
      """
    case .previewing: "the store shows another time, and commits made there are not stored"
    case .storeGone:
      "the store of this persistence was deallocated, so nothing can be committed to it"
    case .readOnly: "this store was opened for reading only"
    case .notFound(let what): "there is no \(what)"
    case .ambiguous(let what, let meanings):
      "the \(what) has several meanings: \(meanings.joined(separator: ", "))"
    case .feature(let error): error.sentence
    case .tablesGone(let tables, let new, _):
      """
      the file has \(tables.listOfRecords), which this build does not know, and no records of \
      \(new.joined(separator: ", ")), which would start from the initial state
      """
    case .temporaryFile(let detail): "a temporary file failed: \(detail)"
    case .beforeMigration(let name, let revision):
      """
      the migration \(name) ran, or was taken back, after revision \(revision), so this build's types do not read that state
      """
    case .nameTaken(let name, let revision):
      "the snapshot of revision \(revision) has the name “\(name)”"
    }
  }

  /// What is wrong, and what to do about it.
  package var text: String { "\(sentence.withFullStop) \(remedy)" }

  /// What to do about it.
  package var remedy: String { remedy(at: nil) }

  /// What to do about it, with the path of the store in the commands, if it is known.
  package func remedy(at path: String?) -> String {
    switch self {
    case .missing: "Check the path. A program creates a store by opening it."
    case .missingDirectory: "Create the directory first: Strata creates only the file."
    case .notReadable: "Allow this user to read the file and to enter its directory."
    case .notWritable: "Choose another path, or allow this user to write here."
    case .notAFile:
      """
      Use the path of the file itself. Links to it are refused, because the files beside a store are \
      found by its name.
      """
    case .foreignCompanion:
      """
      It was not read or followed, and nothing was changed. Move it away; RestorePolicy.bestEffort moves \
      it to quarantine.
      """
    case .empty: "Remove it to create a new store, or put the right file here."
    case .notADatabase, .foreign: "Check the path. The file was not changed."
    case .otherApplication:
      "Check the path, or PersistenceConfiguration.application. The file was not changed."
    case .olderFormat:
      """
      Export it with the version of Strata that wrote it, or with 0.2 (`strata export`), and import that with this one \
      (`strata import`). The file was not changed.
      """
    case .newerFormat: "Use a newer version of Strata. The file was not changed."
    case .needsFeature:
      "Use a newer version of Strata. RestorePolicy.readOnly reads it with this one. The file was not changed."
    case .truncated: "Restore a backup. The file was not changed, so what is left can be copied."
    case .alreadyOpen: "Close it there first, or open it with RestorePolicy.readOnly."
    case .damaged:
      """
      The file was not changed. `strata verify` lists what is damaged. Restore a backup, or open the file \
      with RestorePolicy.bestEffort, which restores what can be verified and moves the damaged file to \
      quarantine.
      """
    case .endMissing:
      """
      Put a backup in place with \(path.map { "`strata restore \($0.shellWord) BACKUP`" } ?? "`strata restore`") \
      (StoreBackup.restore), which starts a new epoch. Copy a \
      store together with its -wal, while no program has it open, or with persistence.backup(to:). If nobody has moved or \
      copied files, the end was lost: RestorePolicy.bestEffort opens what is there. The file was not changed.
      """
    case .undecodable(let table, _, _):
      if StoredValues.name(ofTable: table) != nil {
        """
        If a field is new, make it optional. If its type is another one now, change it back, or store \
        the value under another name. \
        RestorePolicy.bestEffort opens with the initial value and leaves the stored one in the file. The \
        file was not changed.
        """
      } else {
        """
        If a field is new, make it optional or give the entity `static var defaults: Self` \
        (DefaultingEntityType). If a field has another name or type now, write a DataMigration for it, \
        or change it back. RestorePolicy.bestEffort opens without such records and leaves them in the \
        file. The file was not changed.
        """
      }
    case .sealed(let table):
      if let name = StoredValues.name(ofTable: table) {
        """
        Pass its sealing: PersistedValue("\(name)", …, sealing: …). The file was not changed.
        """
      } else {
        """
        Pass its sealing, with the key: tables: [.sealed(\\.\(table), with: …)]. The file was not changed.
        """
      }
    case .unopenable:
      """
      Open it with the key it was sealed with. RestorePolicy.bestEffort opens without such records and \
      leaves them in the file. The file was not changed.
      """
    case .reservedName: "Use another name: Entities(\\.table, named: \"other_name\")."
    case .ruleBroken:
      """
      Open it with PersistenceConfiguration.brokenRules = .report, which reports the entities and does \
      not enforce the rule for them, and repair them. The file was not changed.
      """
    case .unlistedTables(_, _, let lines):
      """
      Add to the schema: \(lines.joined(separator: "; ")). To store nothing of a table, list it and open \
      with tables: [.excluded(…)]. The file was not changed.
      """
    case .migration: "Use the build that wrote it, or restore the migration as it was."
    case .diskFull:
      "Free some space. The state continues in memory and is written when there is space."
    case .tooManyFiles:
      "Close some, or let this process open more: `ulimit -n`, or LimitNOFILE of a service."
    case .busy: "Try again."
    case .io:
      "Check the disk. The state continues in memory and is written when the disk works again."
    case .closed: "Use it before close(), or open the store again."
    case .notReached: "Ask for that one or an earlier one."
    case .beforeHistory(let oldest):
      // The next whole second: typed as it is printed, it is not before the start either.
      """
      Ask for \(Date(timeIntervalSince1970: oldest.timeIntervalSince1970.rounded(.up)).formatted(.iso8601)) or \
      a later time. If the store is older than that, its history was trimmed: a SnapshotPolicy with larger \
      minimums keeps more from now on.
      """
    case .trimmed:
      "Ask for a later one. A SnapshotPolicy with larger minimums keeps more history from now on."
    case .merged(let run):
      "Ask for revision \(run.upperBound), or for \(run.lowerBound.previous), the one before."
    case .fileExists: "Choose another path, or move that file away together with its -wal and -shm."
    case .suspended: "Call resume() first. Commits stay in memory until then."
    case .movedOn:
      """
      Close this persistence, which does not change the file, and open the file again. What was \
      committed since is only in memory.
      """
    case .notPersisted: "Insert them again with values that their encode(to:) accepts."
    case .previewing: "Return to the present, or keep what is shown, before the commit."
    case .storeGone: "Keep the store, or close the persistence and open the file again."
    case .readOnly: "Open it with RestorePolicy.strict or .bestEffort to change its database."
    case .feature(let error): error.remedy(at: path)
    case .tablesGone(let tables, let new, let number):
      """
      If a table was renamed, add the migration \
      DataMigration("\(Self.prefix(number))_rename", .rename("\(tables.keys.min() ?? "")", to: "\(new.min() ?? "")")); \
      if its records are no longer needed, .dropTable("\(tables.keys.min() ?? "")"). To leave them in the \
      file, open with PersistenceConfiguration.unknownTables = .keep. The file was not changed.
      """
    case .temporaryFile:
      """
      Free some space in \(TemporaryFolder.path), which is to be a directory in which this user may write, or set TMPDIR to \
      another one.
      """
    case .beforeMigration(_, let revision):
      """
      Fork the store there, and open the copy with this build, which brings it up: \
      `strata fork\(path.map { " \($0.shellWord)" } ?? "") NEW --at \(revision)`, or Persistence.fork of StrataMaintenance. \
      `strata query --at` reads the revision without types.
      """
    case .nameTaken:
      "Choose another name, or rename that snapshot (`strata snapshot rename`); `--replace` moves the name."
    case .ambiguous: "Write one of them."
    case .notFound:
      """
      Check the spelling. `strata tables` lists the tables, and `strata info` the snapshots.
      """
    }
  }
}

extension PersistenceError.Reason {
  /// The reason for a name that no snapshot has, with the one that is probably meant.
  package static func noSnapshot(_ name: String, among names: some Sequence<String>) -> Self {
    .notFound("snapshot named “\(name)”\(name.question(among: names))")
  }
}

extension PersistenceError.Reason {
  /// What is wrong with the contents of the file; nil for any other reason.
  package var damage: String? {
    switch self {
    case .damaged(let detail): detail
    case .endMissing(let last, let written):
      "it ends at revision \(last), but revision \(written) was written"
    default: nil
    }
  }
}

extension PersistenceError.Reason {
  /// Why a record could not be decoded as an entity.
  package init(reading error: any Error, table: String, id: String) {
    self =
      (error as? PersistenceError.Reason)
      ?? .undecodable(table: table, id: id, detail: "\(error)")
  }
}

extension PersistenceError.Reason {
  /// A number as the names of migrations start with it.
  fileprivate static func prefix(_ number: Int) -> String {
    String(repeating: "0", count: max(0, 4 - "\(number)".count)) + "\(number)"
  }
}

extension [String: Int] {
  /// Counts of records by table: `2 records of notes, 1 record of tags`.
  package var listOfRecords: String {
    inOrder { $0.key < $1.key }
      .map { "\(Measures.count($0.value, "record", "records")) of \($0.key)" }
      .joined(separator: ", ")
  }
}
