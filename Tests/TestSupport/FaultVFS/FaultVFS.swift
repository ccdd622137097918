import CStrataSQLite
package import Foundation

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
/// count as durable at once; whatever a file held when it was first opened counts as synced.
///
/// SQLite calls it from whichever thread uses the connection, so all state is under one lock. It stays
/// registered until the process ends, because a connection may outlive the test that made it.
package final class FaultVFS {
  /// The name to open connections with.
  package let name: String
  let parent: UnsafeMutablePointer<sqlite3_vfs>
  let fileMethods: UnsafeMutablePointer<sqlite3_io_methods>
  private let lock = NSLock()
  private var counts: [FileKind: [FileOperation: Int]] = [:]
  private var faults: [PendingFault] = []
  private var images: [String: FileImage] = [:]
  private var isWriteProtected = false
  private var struck = 0

  /// Registers a file system over the default one.
  ///
  /// - Throws: `RegistrationError` when SQLite refuses it.
  package init(name: String) throws {
    guard let parent = sqlite3_vfs_find(nil) else { throw RegistrationError(status: SQLITE_ERROR) }
    self.name = name
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
    lock.withLock {
      faults.append(
        PendingFault(
          operation: operation,
          kind: kind,
          code: code,
          isHalfDone: false,
          duration: duration,
          remaining: passing
        )
      )
    }
  }

  /// Lets some operations pass that a fault of the disk can strike, and strikes the next one, or all
  /// further ones.
  package func strike(
    _ fault: DiskFault,
    after passing: Int,
    times duration: FaultDuration
  ) {
    lock.withLock {
      faults.append(
        PendingFault(
          operation: fault.operation,
          kind: nil,
          code: fault == .noRoom ? .full : nil,
          isHalfDone: fault == .shortWrite,
          duration: duration,
          remaining: passing
        )
      )
    }
  }

  /// How many operations failed since the counters were set to 0.
  package var strikes: Int { lock.withLock { struck } }

  /// How many operations a fault could have struck since the counters were set to 0.
  package func targets(of fault: DiskFault) -> Int {
    if let operation = fault.operation { return count(of: operation) }
    return FileOperation.allCases.filter { $0 != .lock }.reduce(0) { $0 + count(of: $1) }
  }

  /// Forgets all faults and grants writing again.
  package func heal() {
    lock.withLock {
      faults = []
      isWriteProtected = false
    }
  }

  /// From now on files open read-only, as write-protected ones do for a user who is not root.
  package func protectFromWriting() {
    lock.withLock { isWriteProtected = true }
  }

  /// How often an operation was asked for, failures included.
  package func count(of operation: FileOperation, in kind: FileKind? = nil) -> Int {
    lock.withLock {
      counts.filter { kind == nil || $0.key == kind }.values
        .reduce(0) { $0 + ($1[operation] ?? 0) }
    }
  }

  /// Sets all counters to 0.
  package func resetCounts() {
    lock.withLock {
      counts = [:]
      struck = 0
    }
  }

  /// Forgets what it knows of all files: the next opening takes them from the disk, as synced.
  package func forgetFiles() {
    lock.withLock { images = [:] }
  }

  /// Writes every file as it might be after a power cut now into a directory, under its own name.
  ///
  /// The same seed and the same writes give the same files. The files in use stay as they are.
  package func cutPower(seed: UInt64, into directory: URL) throws {
    let images = lock.withLock { self.images }
    var random = PowerCutRandomness(seed: seed)
    for (path, image) in images.sorted(by: { $0.key < $1.key }) {
      let name = URL(fileURLWithPath: path).lastPathComponent
      try Data(image.afterPowerCut(using: &random))
        .write(to: directory.appendingPathComponent(name))
    }
  }
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
    lock.withLock {
      counts[kind, default: [:]][operation, default: 0] += 1
      guard let index = faults.firstIndex(where: { $0.matches(operation, kind) }) else {
        return nil
      }
      if faults[index].remaining > 0 {
        faults[index].remaining -= 1
        return nil
      }
      let fault = faults[index]
      struck += 1
      if fault.duration == .once { faults.remove(at: index) }
      return ((fault.code ?? operation.ioError).rawValue, fault.isHalfDone)
    }
  }

  var opensReadOnly: Bool {
    lock.withLock { isWriteProtected }
  }

  /// Follows a file from now on, unless it is followed already.
  func follow(_ path: String, content: () -> [UInt8]) {
    lock.withLock {
      if images[path] == nil { images[path] = FileImage(durable: content()) }
    }
  }

  func forget(_ path: String) {
    lock.withLock { images[path] = nil }
  }

  func record(_ change: FileImage.Change, in path: String) {
    lock.withLock { images[path]?.record(change) }
  }

  func recordSync(of path: String) {
    lock.withLock { images[path]?.sync() }
  }
}
