public import StrataJournal

/// Why data was not migrated.
///
/// The file is unchanged.
public enum DataMigrationError: Error, Sendable, Hashable {
  /// A name does not start with a number from 1 on.
  case badName(String)
  /// Two migrations have a number.
  case duplicate(number: Int, names: [String])
  /// The list skips a number.
  case gap(expected: Int, found: String)
  /// The list is not in the order of the numbers.
  case outOfOrder(String, after: String)
  /// The store's ledger has a migration that the list lacks.
  case missing(number: Int, name: String)
  /// A migration that ran on this store is not the one in the list.
  case drifted(number: Int, name: String, appliedAs: String)
  /// A migration ran on this store under another name: its file has another number now.
  case renumbered(String, ranAs: String)
  /// A migration has the number of another one that ran on this store.
  case notRun(String, number: Int, ran: String)
  /// The store is older than what a squashed migration stands for.
  case tooOld(needs: Int, found: Int, squashed: String)
  /// Migrations are pending, and the configuration does not let an opening run them.
  case pending([String])
  /// The migration is a closure of the program, and this list has only its marker.
  case needsProgram(String)
  /// A migration failed.
  case failed(String, detail: String)
  /// A check of a migration did not hold.
  case checkFailed(String, check: String, result: String)
  /// A migration would lose data and does not say that this is intended.
  case refused([String: [MigrationFinding]])
  /// A script has neither a statement nor a check, so it was not written yet.
  case noStatement(String)
  /// A migration has no way back.
  case notReversible(String)
  /// A change of IDs cannot be taken back: a record has no ID from before it, or two have the same.
  case idsNotReversible(String, detail: String)
  /// There is no migration of this number.
  case unknownNumber(Int)
  /// The records of a table are sealed, so a migration cannot read them.
  case sealed(table: String)
  /// There is too little space for a backup and the result.
  case notEnoughSpace(needed: Int64, free: Int64)
  /// The build that runs migrations cannot read their result: a record does not fit its types, or breaks a
  /// rule of its schema. Nothing of the run took effect.
  case unreadable([String], detail: String)
}

extension DataMigrationError: CustomStringConvertible {
  /// What is wrong: starts in lower case, has no full stop.
  public var description: String {
    switch self {
    case .badName(let name): "the migration \(name) has no number at the front of its name"
    case .duplicate(let number, let names):
      "the number \(number) belongs to several migrations: \(names.joined(separator: ", "))"
    case .gap(let expected, let found): "expected migration \(expected), found \(found)"
    case .outOfOrder(let name, let before): "the migration \(name) is listed after \(before)"
    case .missing(let number, let name):
      "migration \(number) (\(name)) ran on this store and is not in the list"
    case .drifted(let number, let name, let applied):
      name == applied
        ? "migration \(number) (\(name)) has changed since it ran on this store"
        : "migration \(number) ran on this store as \(applied), and is \(name) now"
    case .renumbered(let name, let ran): "the migration \(name) ran on this store as \(ran)"
    case .notRun(let name, let number, let ran):
      "the migration \(name) has not run on this store, whose migration \(number) is \(ran)"
    case .tooOld(let needs, let found, let squashed):
      "the store is at migration \(found), and \(squashed) goes on from \(needs)"
    case .pending(let names): "migrations are pending: \(names.joined(separator: ", "))"
    case .needsProgram(let name): "the migration \(name) is a closure of the program"
    case .failed(let name, let detail): "the migration \(name) failed: \(detail)"
    case .checkFailed(let name, let check, let result):
      "the migration \(name) was stopped by its check: \(check) gave \(result)"
    case .refused(let findings):
      findings.sorted { $0.key < $1.key }
        .map { "\($0.key): \($0.value.map(\.description).joined(separator: "; "))".printable }
        .joined(separator: "; ")
    case .noStatement(let name): "the script \(name) has no statement"
    case .notReversible(let name): "the migration \(name) has no way back"
    case .idsNotReversible(let name, let detail):
      "the migration \(name) cannot be taken back: \(detail)"
    case .unknownNumber(let number): "there is no migration \(number)"
    case .sealed(let table): "the records of \(table) are sealed, so a migration cannot read them"
    case .notEnoughSpace(let needed, let free):
      "a backup and the result need \(needed) bytes, and \(free) are free"
    case .unreadable(let names, let detail):
      """
      this build cannot open what the \(names.count == 1 ? "migration" : "migrations") \
      \(names.joined(separator: ", ")) would leave: \(detail)
      """
    }
  }

  /// What to do about it.
  public var remedy: String { remedy(at: nil) }

  /// What to do about it, with the path of the store in the commands, if it is known.
  package func remedy(at path: String?) -> String {
    switch self {
    case .badName, .duplicate, .gap, .outOfOrder:
      "Name the migrations 0001_…, 0002_…, 0003_… in the order in which they run."
    case .missing: "Put it back into the list as it was, or squash the list up to it."
    case .drifted:
      """
      Restore it as it was released, and put the change into a new migration. If both do the same, \
      `repair` notes the new one.
      """
    case .renumbered(let name, let ran):
      """
      Name \(name) \(ran) again, as every store has it that it ran on. If another migration has its number now, give that \
      one the next free number.
      """
    case .notRun(let name, _, let ran):
      """
      Put \(ran) back as it was, and give \(name) the next free number. A script that only has another name is accepted \
      by `repair` while its words are the same.
      """
    case .tooOld(let needs, _, _):
      "Open it once with a build that has the migrations up to \(needs)."
    case .pending:
      "Run them with `up`, or open the store for writing with the policy .automatic: a reader runs none."
    case .needsProgram: "Run the program, or its own call of DataMigrator."
    case .failed, .checkFailed:
      "The file is unchanged. Correct the migration or the data, then run it again."
    case .refused(let findings): Self.permissions(findings)
    case .noStatement:
      "Write what it is to do, or remove its file; SELECT 1 says that it does nothing. The file was not changed."
    case .notReversible:
      """
      Restore the backup from before it, or revert to a revision before it\
      \(path.map { ": `strata migrate revert \($0.shellWord) --to REVISION`" } ?? "").
      """
    case .idsNotReversible:
      """
      The file is unchanged. Let the way back give each record an ID of its own, or remove the records that have none; \
      or restore the backup from before it, or revert to a revision before it.
      """
    case .unknownNumber: "`status` lists the migrations."
    case .sealed(let table):
      """
      Give a step in Swift what opens them: .sealed("\(table)", with: …). For a script, open the store \
      once with tables: [.unsealed(\\.\(table), with: …)], which writes them in clear, migrate, and open \
      it with .sealed again.
      """
    case .unreadable:
      """
      Correct the migration, or the type or rule of this build, and open the store again. All migrations of this run \
      were rolled back, so the data is as it was.
      """
    case .notEnoughSpace: "Free some space, or run without a backup."
    }
  }

  /// What to write into which migration, each permission on a line of its own.
  private static func permissions(_ findings: [String: [MigrationFinding]]) -> String {
    let lines = findings.sorted { $0.key < $1.key }.flatMap { name, findings in
      ["to \(name.printable):"] + findings.compactMap(\.permission)
    }
    return
      "The file is unchanged. If this is intended, add these lines\n\(lines.joined(separator: "\n"))"
  }
}

extension DataMigrationError: FeatureError {
  package var sentence: String { description }

  package var kind: PersistenceError.Kind {
    switch self {
    case .unknownNumber: .notThere
    case .missing, .drifted, .renumbered, .notRun, .tooOld: .otherSchema
    case .unreadable, .sealed: .undecodable
    case .notEnoughSpace: .disk
    case .badName, .duplicate, .gap, .outOfOrder, .pending, .needsProgram, .failed, .checkFailed,
      .refused, .noStatement,
      .notReversible, .idsNotReversible:
      .refused
    }
  }

  package var programRemedy: PersistenceError.Remedy {
    switch self {
    case .badName, .duplicate, .gap, .outOfOrder, .missing, .drifted, .renumbered, .notRun, .failed,
      .checkFailed,
      .refused,
      .noStatement, .unreadable, .sealed:
      .fixProgram
    case .pending, .tooOld, .needsProgram: .migrate
    case .notReversible, .idsNotReversible: .restore
    case .unknownNumber: .chooseAnother
    case .notEnoughSpace: .freeSpace
    }
  }
}

extension PersistenceError {
  /// Why data was not migrated; nil for an error of another kind.
  public var dataMigration: DataMigrationError? { feature() }
}

extension PersistenceError.Reason {
  package static func dataMigration(_ error: DataMigrationError) -> Self { .feature(error) }
}
