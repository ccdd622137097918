import Foundation
import StrataBase
package import StrataJournal
import StrataSQLite

/// A store that no program has open, or a new one, for a caller that writes to it without the types of its entities.
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
    self.init(try StorePath(path, for: operation), for: operation, configuration)
  }

  package init(
    _ path: StorePath,
    for operation: PersistenceError.Operation,
    _ configuration: PersistenceConfiguration
  ) {
    self.path = path
    self.operation = operation
    self.configuration = configuration
  }

  /// Runs a closure while the writer's lock is held.
  ///
  /// Moves of the store's files that a crash interrupted are completed first.
  ///
  /// Throws `.missing` if there is no store, `.alreadyOpen` while a program has it open, `.foreignCompanion`,
  /// and what the closure throws.
  package func locked<R>(_ work: () throws -> R) throws(PersistenceError) -> R {
    do {
      // No lock file is made where there is no store; after a crash it may be on its way back.
      if try path.fileStatus(operation) == .missing, try !Quarantine.hasInterruptedMove(path) {
        throw PersistenceError(operation, path: path.file, .missing)
      }
    } catch {
      throw PersistenceError(operation, path: path.file, wrapping: error)
    }
    return try lockedPath {
      guard try path.fileStatus(operation) != .missing else {
        throw PersistenceError(operation, path: path.file, .missing)
      }
      return try work()
    }
  }

  /// Creates the store with what `fill` adds.
  ///
  /// A crash at any moment leaves either all of it or no store.
  ///
  /// Throws what ``checkNew()`` throws, and what the closure throws; then there is no store.
  func create(_ fill: (inout InitialSnapshot) throws -> Void) throws(PersistenceError) {
    try lockedPath {
      try checkNew()
      try InitialSnapshot.createStore(
        at: path,
        now: configuration.now().microseconds,
        configuration,
        nil,
        fill
      )
      do {
        let file = try open()
        file.connection.checkpointsOnClose = .automatic
        try file.connection.close()
        try HeadFile.write(file.position, for: path, on: configuration.disk)
      } catch {
        // The caller gets an error, so there must be no file.
        for name in [path.wal, path.shm, path.file] { _ = unlink(name) }
        throw error
      }
    }
  }

  /// Checks that a store can be created here; changes nothing.
  ///
  /// Throws `.fileExists` if there is one, or the write-ahead log of one that is gone, which SQLite would take
  /// for the new file's; `.foreignCompanion`; `.notWritable`.
  func checkNew() throws(PersistenceError) {
    guard try path.fileStatus(operation) == .missing else {
      throw PersistenceError(operation, path: path.file, .fileExists(path.file))
    }
    guard path.walSize == 0 else {
      throw PersistenceError(operation, path: path.file, .fileExists(path.wal))
    }
    try path.checkCompanions(operation)
    guard access(path.directory, W_OK | X_OK) == 0 else {
      let error = SystemError("access", path.directory)
      throw PersistenceError(operation, path: path.file, .notWritable("\(error)"))
    }
  }

  /// Runs a closure while the writer's lock is held, whether there is a store or not, after what an opening
  /// does first.
  private func lockedPath<R>(_ work: () throws -> R) throws(PersistenceError) -> R {
    do {
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
      try path.checkCompanions(operation)
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
      var file = try read()
      let session = try makeSession(&file)
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
    var file = try read()
    try file.prepareForWriting(
      now: configuration.now().microseconds,
      application: configuration.application
    )
    return file
  }

  /// Opens the file, verifies it, and checks that it has all that its head says was acknowledged; writes nothing
  /// yet.
  ///
  /// The caller holds the lock.
  package func read() throws -> RestoredFile {
    let (file, _) = try RestoredFile.openForWriting(
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
    return file
  }

  /// Opens what was read and verified for writing.
  package func makeSession(_ file: inout RestoredFile) throws -> WriterSession {
    let now = configuration.now().microseconds
    try file.prepareForWriting(now: now, application: configuration.application)
    return try WriterSession(
      file,
      path: path,
      on: configuration.disk,
      originID: UUID(),
      bootID: configuration.bootID,
      time: now,
      traces: configuration.commitTraces
    )
  }
}
