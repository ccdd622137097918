import StrataJournal
import StrataStorage

extension JournalWriter {
  /// Notes a leadership in the file, and raises its epoch at least to another one; deltas from here on have it.
  func note(leadership: Int64, raisingEpochTo epoch: Int64) throws(PersistenceError) {
    let session = try requireSession(for: .archiving)
    do {
      try session.note(leadership: leadership, raisingEpochTo: epoch)
    } catch {
      throw degrade(error)
    }
  }
}
