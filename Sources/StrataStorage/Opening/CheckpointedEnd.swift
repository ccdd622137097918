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

  /// Reads the file alone; nil if it has no WAL.
  ///
  /// Nil too if the file alone cannot be read, as a checkpoint that was interrupted leaves pages of two moments. A delta that
  /// can be read in them is one of the history all the same.
  init?(_ path: StorePath, _ operation: PersistenceError.Operation, vfs: String?) {
    guard path.walSize > 0 else { return nil }
    do {
      let connection = try Connection(path: path.file, mode: .immutable, vfs: vfs)
      try RestoredFile.check(connection, path, operation)
      position = try ReadView(connection).position
    } catch _ {
      return nil
    }
  }

  /// Throws `CorruptionError` unless the history of the file with its WAL goes through here.
  ///
  /// O(deltas in the WAL); where the deltas after it were trimmed, O(file).
  func check(isIn connection: Connection) throws {
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
