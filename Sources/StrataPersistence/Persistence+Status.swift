public import StrataStorage

extension Persistence {
  /// The state of the file and of the writer at this moment.
  ///
  /// Takes two system calls and two short locks, some microseconds. It waits neither for the disk
  /// nor for the writer, and does not delay commits.
  public var status: PersistenceStatus {
    var status = writer.status
    companion?.add(to: &status)
    return status
  }
}
