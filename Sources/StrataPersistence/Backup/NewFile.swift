import Foundation

/// A store's file that gets its name when it is whole and proved, and never takes another's place.
struct NewFile: Sendable {
  /// Where it will be.
  let path: StorePath
  /// Where it is until then: a name of its own, so that two who make it do not meet.
  let temporary: String
  let disk: Disk
  private let operation: PersistenceError.Operation

  /// Refuses a place where something is: a file, or the log of one that is gone, which SQLite would
  /// take for the new file's.
  init(
    at path: StorePath,
    for operation: PersistenceError.Operation,
    on disk: Disk
  ) throws(PersistenceError) {
    self.path = path
    self.operation = operation
    self.disk = disk
    temporary = "\(path.file).creating-\(UUID().uuidString)"
    guard try path.occupant(operation) == .nothing else {
      throw PersistenceError(operation, path: path.file, .fileExists(path.file))
    }
    guard path.walSize == 0 else {
      throw PersistenceError(operation, path: path.file, .fileExists(path.wal))
    }
  }

  /// Makes it, empty and readable by its owner alone.
  func make() throws(SystemError) { _ = try disk.open(temporary, O_RDWR | O_CREAT | O_EXCL) }

  /// Proves every hash and record in it.
  func prove() throws {
    let verification = try Inspector(path: temporary, on: disk).verify()
    guard verification.isSound else {
      let failed = verification.checks.filter { !$0.passed }
      throw DamageFound(
        "the copy was not proved: \(failed.map { "\($0.name): \($0.detail)" }.joined(separator: "; "))"
      )
    }
  }

  /// Gives it its name, for good when this returns.
  ///
  func giveName() throws {
    try disk.sync(temporary)
    do {
      try disk.giveName(path.file, to: temporary)
    } catch  where error.code == EEXIST {
      throw PersistenceError(operation, path: path.file, .fileExists(path.file))
    }
    removeLeftovers()
    do {
      try disk.sync(path.directory)
    } catch {
      // Nobody is told that it is there, so it is not.
      _ = unlink(path.file)
      throw error
    }
  }

  /// Removes what has no name yet, and what SQLite put beside it.
  func removeLeftovers() {
    for suffix in ["", "-wal", "-shm", "-journal"] { _ = unlink(temporary + suffix) }
  }
}
