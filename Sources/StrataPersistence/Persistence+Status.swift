public import StrataStorage

extension Persistence {
  /// How it goes with the file at this moment.
  ///
  /// Two system calls and two short locks, some microseconds; it waits neither for the disk nor for
  /// the writer, and makes no committer wait.
  public var status: PersistenceStatus { writer.status }
}
