public import StrataJournal

/// A commit happened, and is not known to be on disk.
///
/// The store and its subscribers have the change. The writer keeps it and writes it when the disk
/// works again. Committing again would apply it twice: wait with ``Persistence/flush()`` instead.
/// The ``outcome`` only matters if the process ends before that.
public struct DurabilityError: Error, Sendable, CustomStringConvertible {
  /// What the file would contain if the process ended now.
  public enum Outcome: Sendable {
    /// The file does not contain the commit, which waits in memory.
    case notWritten
    /// The file may contain the commit: the disk failed while it was being written or synced, and
    /// only reading the file again will show it.
    case unknown
    /// The file contains the commit except some entities whose `encode(to:)` threw; the cause names
    /// them.
    case partlyDurable
    /// The commit is on disk, and is not known to be in the archive.
    case notReplicated
  }

  /// The revision the commit became; for one that did not change the database, the last one it saw.
  public let revision: Revision
  /// What the file would contain if the process ended now.
  public let outcome: Outcome
  /// Why the commit is not known to be on disk.
  public let cause: PersistenceError

  /// What happened, what is known, and what to do.
  public var description: String {
    let wait = """
      Do not commit it again: `flush()` returns once it is on disk. If the process ends before, \
      check after the next opening whether it is there.
      """
    switch outcome {
    case .notWritten:
      return "Revision \(revision) is in memory and not in the file yet. \(cause) \(wait)"
    case .unknown:
      return """
        Revision \(revision) is in memory, and whether it is in the file is unknown. \(cause) \
        \(wait)
        """
    case .notReplicated:
      return """
        Revision \(revision) is on disk, and is not known to be in the archive. \(cause) Do not commit it \
        again: it is sent as long as this process leads, and `replicated(through:)` waits for it.
        """
    case .partlyDurable:
      return "Revision \(revision) is on disk, but not completely. \(cause)"
    }
  }
}
