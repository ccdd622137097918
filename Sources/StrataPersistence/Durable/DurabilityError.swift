public import StrataStorage

/// A commit that has happened, and that is not known to be on disk.
///
/// The store has it and so has every subscriber; the writer keeps it and writes it when the disk is
/// back. Doing it again would do it twice: wait with ``Persistence/flush()`` instead. Only if the
/// process ends before that the ``outcome`` matters.
public struct DurabilityError: Error, Sendable, CustomStringConvertible {
  /// What the file would hold if the process ended now.
  public enum Outcome: String, Sendable, Codable {
    /// Not the commit: it waits in memory.
    case notWritten
    /// The commit or not: the disk failed while it was being written or synced, and only reading
    /// the file again will tell.
    case unknown
    /// The commit but for some entities, whose `encode(to:)` refused; the cause names them.
    case partlyDurable
  }

  /// The revision the commit became; for one that left the database alone, the last one it saw.
  public let revision: Revision
  /// What the file would hold if the process ended now.
  public let outcome: Outcome
  /// Why the disk could not be waited for.
  public let cause: PersistenceError

  /// What happened, what is known, and what to do.
  public var description: String {
    let wait = """
      Do not commit it again: `flush()` returns once it is on disk. If the process ends before, look \
      after the next opening whether it is there.
      """
    switch outcome {
    case .notWritten:
      return "Revision \(revision) is in memory and not in the file yet. \(cause) \(wait)"
    case .unknown:
      return """
        Revision \(revision) is in memory, and whether it is in the file is unknown. \(cause) \(wait)
        """
    case .partlyDurable:
      return "Revision \(revision) is on disk, but not all of it. \(cause)"
    }
  }
}
