import StrataBase
import StrataJournal
import StrataSQLite

/// Where a file ends without what is in SQLite's WAL.
///
/// SQLite takes any WAL beside a file for the file's own. An older copy that is put over a file whose WAL stays becomes a
/// mixture of the two, which may look sound wherever it is read. So what the file alone ends with has to be in the history
/// that it has together with its WAL, and nothing may be missing after that.
struct CheckpointedEnd {
  private let position: Position
  private let open: () throws -> Connection

  /// Reads the file alone; nil if it has no WAL.
  ///
  /// Nil too if the end of the file alone cannot be verified, as a checkpoint that was interrupted leaves pages of two
  /// moments. A delta that can be is one of the history all the same.
  init?(_ path: StorePath, _ operation: PersistenceError.Operation, vfs: String?) {
    guard path.walSize > 0 else { return nil }
    open = {
      let connection = try Connection(path: path.file, mode: .immutable, vfs: vfs)
      try RestoredFile.check(connection, path, operation)
      return connection
    }
    do {
      let view = try ReadView(open())
      // A part of it may be on a page that was not written yet.
      if let last = try view.journal.last()?.header {
        var replay = try view.changes(after: last.first.previous)
        while try replay.next() != nil {}
      }
      position = view.position
    } catch _ {
      return nil
    }
  }

  /// Runs checks of the file with its WAL; throws what they find, with that cause if it is the one.
  ///
  /// A sound file and a WAL of its own cannot be damaged together, as SQLite reads only what is whole in a WAL. O(file) where
  /// something is found.
  func check(_ connection: Connection, _ checks: (Connection) throws -> Void) throws {
    do {
      try checkIsIn(connection)
      try checks(connection)
    } catch let error as SQLiteError where error.code.primary == .corrupt {
      throw isSound ? mixture("does not fit it") : error
    }
  }

  private var isSound: Bool {
    do {
      return try open().quickCheck().isEmpty
    } catch _ {
      return false
    }
  }

  /// Throws `CorruptionError` unless the history of the file with its WAL goes through here.
  ///
  /// O(deltas in the WAL); where the deltas after it were trimmed, O(file).
  private func checkIsIn(_ connection: Connection) throws {
    let view = try ReadView(connection)
    guard view.identity.id == position.storeID else { throw mixture("is of another store") }
    let end = view.last.revision
    if end < position.revision { throw mixture("ends at revision \(end) and is older") }
    if let chain = try view.chain(at: position.revision) {
      if chain != position.chain { throw mixture("is of another history") }
    } else if let first = view.first, first <= position.revision {
      throw mixture("does not go on from there")
    }
    guard let first = view.first, first > position.revision.next else {
      return try checkContinues(view.journal)
    }
    let findings = try connection.quickCheck()
    if !findings.isEmpty { throw mixture("goes on after revision \(first.previous)") }
  }

  /// Checks that no delta is missing after the end of the file alone.
  private func checkContinues(_ journal: Journal) throws {
    var last = position.revision
    while true {
      let headers = try journal.headers(after: last, limit: 1_000)
      if headers.isEmpty { return }
      for (header, _) in headers {
        guard header.first == last.next else {
          throw mixture("goes on after revision \(header.first.previous)")
        }
        last = header.revision
      }
    }
  }

  private func mixture(_ detail: String) -> CorruptionError {
    CorruptionError(
      """
      the file ends at revision \(position.revision), and its -wal \(detail): another copy was put over the file, and the -wal \
      stayed. With the file that the -wal belongs to the store is whole; to open this copy as it is, move its -wal and -shm away
      """
    )
  }
}
