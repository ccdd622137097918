import CStrataSQLite
package import Foundation
import StrataBase
import StrataCore
import StrataPersistence
package import StrataStorage

/// A file system for SQLite that works on real files, and fails and loses power when told to.
///
/// ```swift
/// let vfs = try FaultVFS(name: "faults-\(UUID().uuidString)")
/// let connection = try Connection(path: path, mode: .create, vfs: vfs.name)
/// vfs.failNext(.sync, in: .wal, code: .ioerrFsync)
/// ```
///
/// **Power**: each file is followed as the bytes last synced plus the writes since. `cutPower` builds, in
/// another directory, the files as they might be found afterwards. Opening, deleting and making files
/// count as durable at once; whatever a file held when it was first opened counts as synced. What a
/// failed sync was to save never reaches the medium, also when a later sync works.
///
/// **The store's own files**: ``watch`` lets the system calls for the head, the lock and manifests fail by
/// the same faults, and follows the head.
///
/// SQLite calls it from whichever thread uses the connection, so all state is under one lock. It stays
/// registered until the process ends, because a connection may outlive the test that made it.
package final class FaultVFS {
  /// The name to open connections with.
  package let name: String
  let parent: UnsafeMutablePointer<sqlite3_vfs>
  let fileMethods: UnsafeMutablePointer<sqlite3_io_methods>
  let state = Lock(FaultState())

  /// Registers a file system over the default one.
  ///
  /// - Parameter follows: whether power can be cut; it costs the memory of all files.
  /// - Throws: `RegistrationError` when SQLite refuses it.
  package init(name: String, follows: Bool = true) throws {
    guard let parent = sqlite3_vfs_find(nil) else { throw RegistrationError(status: SQLITE_ERROR) }
    self.name = name
    state.withLock { $0.follows = follows }
    self.parent = parent
    fileMethods = .allocate(capacity: 1)
    fileMethods.initialize(to: FaultFile.methods())
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: methods())
    vfs.pointee.zName = UnsafePointer(strdup(name))
    vfs.pointee.pAppData = Unmanaged.passRetained(self).toOpaque()
    let status = sqlite3_vfs_register(vfs, 0)
    guard status == SQLITE_OK else { throw RegistrationError(status: status) }
  }

  /// SQLite refused to register the file system.
  package struct RegistrationError: Error {
    /// SQLite's result code.
    package let status: Int32
  }
}

extension FaultVFS {
  /// Lets some matching operations pass and makes the next one fail, or all further ones.
  ///
  /// A failing operation does nothing to the file. Faults are kept in the order they were asked for; each
  /// counts the operations that reach it.
  package func failNext(
    _ operation: FileOperation,
    in kind: FileKind? = nil,
    code: FaultCode,
    after passing: Int = 0,
    times duration: FaultDuration = .once
  ) {
    let fault = PendingFault(
      operation: operation,
      kind: kind,
      code: code,
      isHalfDone: false,
      duration: duration,
      remaining: passing
    )
    state.withLock { $0.faults.append(fault) }
  }

  /// Lets some operations pass that a fault of the disk can strike, and strikes the next one, or all
  /// further ones.
  package func strike(
    _ fault: DiskFault,
    in kind: FileKind? = nil,
    after passing: Int,
    times duration: FaultDuration
  ) {
    let fault = PendingFault(
      operation: fault.operation,
      kind: kind,
      code: fault == .noRoom ? .full : nil,
      isHalfDone: fault == .shortWrite,
      duration: duration,
      remaining: passing
    )
    state.withLock { $0.faults.append(fault) }
  }

  /// How many operations failed since the counters were set to 0.
  package var strikes: Int { state.withLock { $0.struck } }

  /// How many operations a fault could have struck since the counters were set to 0.
  package func targets(of fault: DiskFault, in kind: FileKind? = nil) -> Int {
    if let operation = fault.operation { return count(of: operation, in: kind) }
    return FileOperation.allCases.filter { $0 != .lock }
      .reduce(0) { $0 + count(of: $1, in: kind) }
  }

  /// How long SQLite asked to sleep, for locks that someone else has.
  ///
  /// SQLite's busy handler sleeps whole milliseconds; what it waits for another's glance at the shared
  /// memory is some microseconds and does not count. What was asked for does not depend on the machine.
  package var lockWaits: [Duration] { state.withLock { $0.lockWaits } }

  /// Kills this process, as SIGKILL does, when it asks the disk for the operation of this number.
  package func killProcess(at number: Int) { state.withLock { $0.lastOperation = number } }

  /// Forgets all faults and grants writing again.
  package func heal() {
    state.withLock {
      $0.faults = []
      $0.isWriteProtected = false
    }
  }

  /// From now on files open read-only, as write-protected ones do for a user who is not root.
  package func protectFromWriting() {
    state.withLock { $0.isWriteProtected = true }
  }

  /// How often an operation was asked for, failures included.
  package func count(of operation: FileOperation, in kind: FileKind? = nil) -> Int {
    state.withLock { $0.count(of: operation, in: kind) }
  }

  /// Sets all counters to 0.
  package func resetCounts() {
    state.withLock {
      $0.counts = [:]
      $0.struck = 0
      $0.lockWaits = []
    }
  }

  /// Forgets what it knows of all files: the next opening takes them from the disk, as synced.
  package func forgetFiles() {
    state.withLock { $0.images = [:] }
  }

  /// Writes every file as it might be after a power cut now into a directory, under its own name.
  ///
  /// The same seed and the same writes give the same files. The files in use stay as they are.
  package func cutPower(seed: UInt64, into directory: URL) throws {
    let images = state.withLock { $0.images }
    var random = PowerCutRandomness(seed: seed)
    for (path, image) in images.sorted(by: { $0.key < $1.key }) {
      let name = URL(fileURLWithPath: path).lastPathComponent
      try Data(image.afterPowerCut(using: &random))
        .write(to: directory.appendingPathComponent(name))
    }
  }

  /// Lets the system calls for the store's own files fail by the same faults.
  package var watch: any DiskWatch { OwnFileWatch(state) }
}

extension FaultVFS {
  /// Counts an operation and gives the status it is to fail with, if any.
  func fault(for operation: FileOperation, in kind: FileKind) -> Int32? {
    strike(operation, in: kind)?.status
  }

  /// The same, and whether the operation is to be done by half.
  func strike(
    _ operation: FileOperation,
    in kind: FileKind
  ) -> (status: Int32, isHalfDone: Bool)? {
    state.withLock { state in
      let fault = state.strike(operation, in: kind)
      if state.isOver { kill(getpid(), SIGKILL) }
      return fault
    }
    .map { (($0.code ?? operation.ioError).rawValue, $0.isHalfDone) }
  }

  var opensReadOnly: Bool { state.withLock { $0.isWriteProtected } }

  /// Follows a file from now on, unless it is followed already.
  func follow(_ path: String, content: () -> [UInt8]) {
    state.withLock { $0.follow(path, content: content) }
  }

  func forget(_ path: String) {
    state.withLock { $0.images[path] = nil }
  }

  func record(_ change: FileImage.Change, in path: String) {
    state.withLock { $0.images[path]?.record(change) }
  }

  func recordSync(of path: String) {
    state.withLock { $0.images[path]?.sync() }
  }

  func recordFailedSync(of path: String) {
    state.withLock { $0.images[path]?.failSync() }
  }

  func recordSleep(microseconds: Int) {
    guard microseconds % 1_000 == 0 else { return }
    state.withLock { $0.lockWaits.append(.microseconds(microseconds)) }
  }
}
