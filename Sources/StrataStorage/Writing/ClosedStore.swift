import Foundation
import StrataBase
import StrataSQLite

/// A store that no program has open, for a caller that writes to it without the types of its entities.
package struct ClosedStore: Sendable {
  package let path: StorePath
  let operation: PersistenceError.Operation
  let configuration: PersistenceConfiguration

  /// - Parameter configuration: its application, clock and disk are used.
  package init(
    _ path: String,
    for operation: PersistenceError.Operation,
    _ configuration: PersistenceConfiguration = PersistenceConfiguration()
  ) throws(PersistenceError) {
    self.path = try StorePath(path, for: operation)
    self.operation = operation
    self.configuration = configuration
  }

  /// Runs a closure while the writer's lock is held.
  ///
  /// Moves of the store's files that a crash interrupted are completed first.
  ///
  /// Throws `.missing` if there is no store, `.alreadyOpen` while a program has it open, and what the closure
  /// throws.
  func locked<R>(_ work: () throws -> R) throws(PersistenceError) -> R {
    do {
      guard try path.fileStatus(operation) != .missing else {
        throw PersistenceError(operation, path: path.file, .missing)
      }
      let lock = LockHandle(
        try WriterLock.acquire(
          path,
          as: LockFile.Owner.current(started: configuration.now()),
          knownFormat: StoreFormat.known,
          on: configuration.disk
        )
      )
      defer { withExtendedLifetime(lock) {} }
      try Quarantine.complete(path, now: configuration.now(), on: configuration.disk)
      try NewFile.removeAbandoned(besides: path, .ofSameStore)
      return try work()
    } catch {
      throw PersistenceError(operation, path: path.file, wrapping: error)
    }
  }

  /// Opens the file for writing, runs a closure, and closes it.
  ///
  /// Everything that the closure reads was verified. O(file), like opening.
  func write<R>(
    _ work: (WriterSession, RestoredFile) throws -> R
  ) throws(PersistenceError) -> R {
    try locked {
      let file = try open()
      let session = try WriterSession(
        file,
        path: path,
        on: configuration.disk,
        originID: UUID(),
        bootID: configuration.bootID,
        time: configuration.now().microseconds,
        traces: configuration.commitTraces
      )
      let result = try work(session, file)
      try session.barrier()
      try session.close()
      return result
    }
  }

  /// Opens the file for writing and verifies it; a file of an older format is upgraded.
  ///
  /// The caller holds the lock.
  func open() throws -> RestoredFile {
    var (file, _) = try RestoredFile.openForWriting(
      path,
      application: configuration.application,
      vfs: configuration.vfs,
      configuration.progress
    ) { _, _ in }
    _ = try HeadCheck.compare(
      try HeadFile.read(path.head, on: configuration.disk),
      recovered: file.position,
      bootID: configuration.bootID
    ).noteOrError()
    try file.prepareForWriting(
      now: configuration.now().microseconds,
      application: configuration.application
    )
    return file
  }
}
