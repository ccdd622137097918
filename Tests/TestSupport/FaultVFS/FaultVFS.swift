import CStrataSQLite
package import Foundation
import StrataBase
import StrataCore
package import StrataJournal
import StrataPersistence

/// A file system for SQLite that uses real files and injects faults and power cuts.
///
/// ```swift
/// let vfs = try FaultVFS(name: "faults-\(UUID().uuidString)")
/// let connection = try Connection(path: path, mode: .create, vfs: vfs.name)
/// vfs.failNext(.sync, in: .wal, code: .ioerrFsync)
/// ```
///
/// **Power cuts**: for each file it tracks the synced bytes and the writes since the last sync. `cutPower`
/// writes to another directory the files as they may be after a power cut. Opening, creating and deleting
/// a file is durable at once. The content of a file when it is first opened counts as synced. The writes
/// before a failed sync never reach the medium, even if a later sync succeeds.
///
/// **The store's own files**: ``watch`` applies the same faults to the system calls for the head, the lock
/// and manifests, and tracks the head.
///
/// SQLite calls it on the thread that uses the connection, so all state is under one lock. It remains
/// registered until the process ends, because a connection may outlive its test.
package final class FaultVFS {
  /// The name to open connections with.
  package let name: String
  let parent: UnsafeMutablePointer<sqlite3_vfs>
  let fileMethods: UnsafeMutablePointer<sqlite3_io_methods>
  let state = Lock(FaultState())

  /// Registers a file system over the default one.
  ///
  /// - Parameter follows: Whether it tracks files for power cuts, which costs the memory of all files.
  /// - Throws: `RegistrationError` when SQLite cannot register it.
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

  /// SQLite could not register the file system.
  package struct RegistrationError: Error {
    /// SQLite's result code.
    package let status: Int32
  }
}

extension FaultVFS {
  /// Makes a matching operation fail after some have succeeded, or all further ones.
  ///
  /// A failed operation does not change the file. Faults are checked in the order of these calls; each
  /// counts only the operations that no earlier fault matches.
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
      isPartial: false,
      duration: duration,
      remaining: passing
    )
    state.withLock { $0.faults.append(fault) }
  }

  /// Makes an operation that a fault affects fail after some have succeeded, or all further ones.
  package func inject(
    _ fault: DiskFault,
    in kind: FileKind? = nil,
    after passing: Int,
    times duration: FaultDuration
  ) {
    let fault = PendingFault(
      operation: fault.operation,
      kind: kind,
      code: fault == .noRoom ? .full : nil,
      isPartial: fault == .shortWrite,
      duration: duration,
      remaining: passing
    )
    state.withLock { $0.faults.append(fault) }
  }

  /// Makes the disk do something wrong every so many times, without an error: once, or for ever.
  package func lie(
    _ lie: DiskLie,
    in kind: FileKind,
    every count: Int,
    times duration: FaultDuration = .sticky
  ) {
    state.withLock { $0.lies.append((lie, kind, count, duration)) }
  }

  /// Syncs of SQLite are barriers from here on, as on Apple's systems: what was written is in the cache of the drive until
  /// an own file of the store is synced.
  package func addDriveCache() { state.withLock { $0.hasDriveCache = true } }

  var hasDriveCache: Bool { state.withLock { $0.hasDriveCache } }

  func lies(_ lie: DiskLie, in kind: FileKind) -> Bool {
    state.withLock { $0.lies(lie, in: kind) }
  }

  /// The number of failed operations since the counters were reset.
  package var failureCount: Int { state.withLock { $0.failureCount } }

  /// The number of operations since the counters were reset that a fault can affect.
  package func operationCount(for fault: DiskFault, in kind: FileKind? = nil) -> Int {
    if let operation = fault.operation { return count(of: operation, in: kind) }
    return FileOperation.allCases.filter { $0 != .lock }
      .reduce(0) { $0 + count(of: $1, in: kind) }
  }

  /// The durations that SQLite asked to sleep while another connection held a lock.
  ///
  /// SQLite's busy handler sleeps whole milliseconds. Sleeps of microseconds, for a short access of
  /// another connection to the shared memory, do not count. The durations do not depend on the machine.
  package var lockWaits: [Duration] { state.withLock { $0.lockWaits } }

  /// Kills this process with SIGKILL at the operation with a number.
  package func killProcess(at number: Int) { state.withLock { $0.lastOperation = number } }

  /// Removes all faults, what is to go wrong once, and the write protection.
  package func heal() {
    state.withLock {
      $0.faults = []
      $0.readLostSectors()
      $0.isWriteProtected = false
    }
    tellTruth()
  }

  /// What the disk was to do wrong once, it does not do any more.
  package func tellTruth() {
    state.withLock { $0.lies.removeAll { $0.duration == .once } }
  }

  /// Whether nothing fails any more, and everything can be read.
  package var isHealthy: Bool { state.withLock { $0.faults.isEmpty && $0.canReadAll } }

  /// Opens files read-only from now on, as for a user without write permission.
  package func protectFromWriting() {
    state.withLock { $0.isWriteProtected = true }
  }

  /// The number of calls of an operation, including failed ones.
  package func count(of operation: FileOperation, in kind: FileKind? = nil) -> Int {
    state.withLock { $0.count(of: operation, in: kind) }
  }

  /// Resets all counters to 0.
  package func resetCounts() {
    state.withLock {
      $0.counts = [:]
      $0.failureCount = 0
      $0.lockWaits = []
    }
  }

  /// Whether the medium has what a program reads of a file, or gets it with the next sync: not after one that failed.
  package func keeps(_ path: String) -> Bool {
    guard let image = state.withLock({ $0.images[path] }) else { return true }
    return FileManager.default.contents(atPath: path) == Data(image.current)
  }

  /// Stops tracking all files; the next opening reads their content, which counts as synced.
  package func forgetFiles() {
    state.withLock { $0.images = [:] }
  }

  /// Writes every tracked file, as it may be after a power cut now, to a directory under its own name.
  ///
  /// The same seed and the same writes produce the same files. The original files do not change.
  ///
  /// - Parameter folder: Whose files; nil for those of all folders.
  package func cutPower(seed: UInt64, of folder: URL? = nil, into directory: URL) throws {
    let images = state.withLock { $0.images }.filter { path, _ in
      let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
      return folder.map { $0.path == parent } ?? true
    }
    var random = SeededGenerator(seed: seed)
    for (path, image) in images.sorted(by: { $0.key < $1.key }) {
      let name = URL(fileURLWithPath: path).lastPathComponent
      try Data(image.afterPowerCut(using: &random))
        .write(to: directory.appendingPathComponent(name))
    }
  }

  /// Leaves in a folder what a power cut now leaves of its tracked files, once the programs that use them have ended.
  ///
  /// Returns what does that; the files in folders below stay as they are.
  package func cutPower(seed: UInt64, in folder: URL) throws -> () throws -> Void {
    let images = state.withLock { $0.images }
      .filter { URL(fileURLWithPath: $0.key).deletingLastPathComponent().path == folder.path }
    var random = SeededGenerator(seed: seed)
    let files = images.sorted { $0.key < $1.key }
      .map { (path: $0.key, content: Data($0.value.afterPowerCut(using: &random))) }
    return { [self] in
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
      where name.hasSuffix("-wal") || name.hasSuffix("-shm") {
        try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
      }
      for (path, content) in files { try content.write(to: URL(fileURLWithPath: path)) }
      forgetFiles()
    }
  }

  /// Writes to another directory every tracked file of a folder as a program leaves it that is killed.
  package func copyFiles(of folder: URL, into directory: URL) throws {
    for (path, image) in state.withLock({ $0.images }) {
      let url = URL(fileURLWithPath: path)
      guard url.deletingLastPathComponent().path == folder.path,
        FileManager.default.fileExists(atPath: path)
      else { continue }
      try Data(image.current).write(to: directory.appendingPathComponent(url.lastPathComponent))
    }
  }

  /// Applies the same faults to the system calls for the store's own files.
  package var watch: any DiskWatch { OwnFileWatch(state) }
}

extension FaultVFS {
  /// Counts an operation and returns the status of its failure, if it fails.
  func fault(for operation: FileOperation, in kind: FileKind) -> Int32? {
    failure(of: operation, in: kind)?.status
  }

  /// Counts an operation and returns the status of its failure, and whether half of it is done.
  func failure(
    of operation: FileOperation,
    in kind: FileKind
  ) -> (status: Int32, isPartial: Bool)? {
    state.withLock { state in
      state.nextFault(for: operation, in: kind)
    }
    .map { fault in
      // SQLite reports the `errno` of its thread with the failure, where a full disk of another test may have left its own.
      errno = 0
      return ((fault.code ?? operation.ioError).rawValue, fault.isPartial)
    }
  }

  var opensReadOnly: Bool { state.withLock { $0.isWriteProtected } }

  /// Starts to track a file, unless it is tracked already.
  func follow(_ path: String, content: () -> [UInt8]) {
    state.withLock { $0.follow(path, content: content) }
  }

  func forget(_ path: String) {
    state.withLock { $0.images[path] = nil }
  }

  func record(_ change: FileImage.Change, in path: String) {
    state.withLock { $0.record(change, in: path) }
  }

  func canRead(_ range: Range<Int>, of path: String) -> Bool {
    state.withLock { $0.canRead(range, of: path) }
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
