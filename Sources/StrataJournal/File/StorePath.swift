import Foundation
import StrataBase
import StrataSQLite

/// The path of a store's file, and of the files beside it.
///
/// The directory is resolved, so links on the way are followed. The file itself must not be a link, or
/// the files beside it would be beside the link.
package struct StorePath: Hashable, Sendable, CustomStringConvertible {
  /// The file of the store: an SQLite database.
  package let file: String

  /// SQLite's write-ahead log.
  package var wal: String { file + "-wal" }
  /// Locked by the writer; see ``LockFile``.
  package var lock: String { file + ".lock" }
  /// Exists while a writer waits for readers; see ``LockedMark``.
  var coming: String { file + ".coming" }
  /// How far the writer has written, and how far that is durable; see ``HeadFile``.
  package var head: String { file + ".head" }
  /// SQLite's shared memory.
  package var shm: String { file + "-shm" }
  /// The files that belong together, the store's own last.
  package var companions: [String] { [wal, shm, head, file] }
  /// The name of a new store until it is complete.
  package var creating: String { file + ".creating" }
  /// The directory of the file.
  package var directory: String { PathParts(file).directory }
  /// The name of the file.
  package var name: String { PathParts(file).name }

  package var description: String { file }

  /// What is at the path.
  package enum FileStatus: Equatable {
    case missing
    case file(size: Int64)
  }

  /// Resolves the directory of `path`.
  ///
  /// Throws if it does not exist.
  package init(_ path: String, for operation: PersistenceError.Operation) throws(PersistenceError) {
    let parts = PathParts(path)
    guard let resolved = realpath(parts.directory, nil) else {
      throw PersistenceError(operation, path: path, .missingDirectory(parts.directory))
    }
    defer { free(resolved) }
    let base = String(cString: resolved)
    file = (base == "/" ? "" : base) + "/" + parts.name
  }

  /// What is at the path; throws for a link, a directory or a device.
  package func fileStatus(_ operation: PersistenceError.Operation) throws(PersistenceError)
    -> FileStatus
  {
    var status = stat()
    guard lstat(file, &status) == 0 else {
      if errno == ENOENT { return .missing }
      throw PersistenceError(operation, path: file, .io("\(SystemError("stat", file))"))
    }
    if let kind = FileIdentity.kind(ifNotRegular: status) {
      throw PersistenceError(operation, path: file, .notAFile(kind))
    }
    return .file(size: Int64(status.st_size))
  }

  /// The size of SQLite's WAL; 0 if there is none.
  package var walSize: Int64 {
    var status = stat()
    return lstat(wal, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// The size of the file; 0 if there is none.
  package var fileSize: Int64 {
    var status = stat()
    return stat(file, &status) == 0 ? Int64(status.st_size) : 0
  }
}

extension StorePath {
  /// The temporary names from the creation of the file that a crash has left.
  ///
  /// Refuses a file that has another name (a hard link). The lock and SQLite's WAL are found by name: a
  /// program that opened the file under the other name would find neither, and the two would overwrite
  /// each other's changes (`sqlite.org/howtocorrupt.html`, section 2.5).
  func creationNames(
    _ operation: PersistenceError.Operation
  ) throws(PersistenceError) -> [String] {
    while true {
      let count = countOfNames
      guard count > 1 else { return [] }
      let names = try listCreationNames(operation)
      if count == names.count + 1 { return names }
      // If the count has changed, its creator has just removed a name.
      if count == countOfNames {
        throw PersistenceError(
          operation,
          path: file,
          .notAFile("one of several names (hard links) of a file")
        )
      }
    }
  }

  private func listCreationNames(
    _ operation: PersistenceError.Operation
  ) throws(PersistenceError) -> [String] {
    let prefix = PathParts(creating).name
    let identity = FileIdentity(ofFileAt: file)
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory)
        .filter { $0.hasPrefix(prefix) }.map { directory + "/" + $0 }
        .filter { FileIdentity(ofFileAt: $0) == identity }
    } catch {
      throw PersistenceError(operation, path: file, .io("\(error)"))
    }
  }

  private var countOfNames: Int {
    var status = stat()
    guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int(status.st_nlink)
  }
}

/// A file beside a store that is not the store's own.
package struct ForeignCompanion: Equatable {
  package let path: String
  /// Why it is not the store's.
  package let detail: String
}

extension StorePath {
  /// The files beside the store that SQLite or this library would take for the store's own.
  ///
  /// A rollback journal, or a super-journal that lists several, is always foreign: SQLite writes what it
  /// holds into the database, and a database in WAL mode never has one. SQLite's WAL and shared memory and
  /// the head are foreign if they are not regular files: SQLite follows links, and waits for FIFOs.
  ///
  /// O(files in the directory).
  package func foreignCompanions() throws(SystemError) -> [ForeignCompanion] {
    var found = [wal, shm, head].compactMap { path in
      FileIdentity.kind(ifNotRegularAt: path).map { kind in
        ForeignCompanion(path: path, detail: "\(path) is \(kind), not a regular file")
      }
    }
    for path in try rollbackJournals() {
      found.append(
        ForeignCompanion(
          path: path,
          detail: "\(path) is a rollback journal of SQLite, and a store never has one"
        )
      )
    }
    return found
  }

  /// Throws if there is a file beside the store that is not the store's own.
  package func checkCompanions(
    _ operation: PersistenceError.Operation
  ) throws(PersistenceError) {
    do {
      guard let first = try foreignCompanions().first else { return }
      throw PersistenceError(operation, path: file, .foreignCompanion(first.detail))
    } catch let error as PersistenceError {
      throw error
    } catch {
      throw PersistenceError(operation, path: file, wrapping: error)
    }
  }

  /// Throws unless a file can be created here: `.fileExists` if there is one, or the write-ahead log of one that is
  /// gone, which SQLite would take for the new file's; `.foreignCompanion`; `.notWritable`.
  package func checkIsFree(
    _ operation: PersistenceError.Operation
  ) throws(PersistenceError) {
    guard try fileStatus(operation) == .missing else {
      throw PersistenceError(operation, path: file, .fileExists(file))
    }
    guard walSize == 0 else {
      throw PersistenceError(operation, path: file, .fileExists(wal))
    }
    try checkCompanions(operation)
    guard access(directory, W_OK | X_OK) == 0 else {
      let error = SystemError("access", directory)
      throw PersistenceError(operation, path: file, .notWritable("\(error)"))
    }
  }

  /// SQLite's rollback journal of the file, and the super-journals of transactions that started there.
  package func rollbackJournals() throws(SystemError) -> [String] {
    let prefix = name
    return try namesInDirectory().filter { name in
      name.hasPrefix(prefix) && Self.isJournal(suffix: name.dropFirst(prefix.count))
    }
    .inOrder().map { directory + "/" + $0 }
  }

  /// The names of everything in the store's directory.
  package func namesInDirectory() throws(SystemError) -> [String] {
    guard let stream = opendir(directory) else { throw SystemError("open", directory) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        names.append(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
      }
    }
    return names
  }

  /// Why files were moved out of the way, in the name of their directory beside the store.
  package enum QuarantineCause: CaseIterable, Sendable {
    case damaged
    /// Nothing is wrong with them: another history has taken the place of theirs.
    case setAside

    /// What stands between the name of the store and the time.
    package var infix: String {
      switch self {
      case .damaged: ".damaged-"
      case .setAside: ".set-aside-"
      }
    }
  }

  /// Why the files of a directory beside the store are there; nil for another directory.
  package func quarantineCause(ofDirectory name: String) -> QuarantineCause? {
    let own = self.name
    return QuarantineCause.allCases.first { name.hasPrefix(own + $0.infix) }
  }

  /// `-journal`; of a super-journal `-mj`, six hexadecimal digits, `9` and two more
  /// (`sqlite3VdbeHalt` in SQLite's source).
  package static func isJournal(suffix: Substring) -> Bool {
    if suffix == "-journal" { return true }
    let digits = suffix.utf8.dropFirst(3)
    return suffix.hasPrefix("-mj") && digits.count == 9
      && digits.dropFirst(6).first == UInt8(ascii: "9")
      && suffix.dropFirst(3).allSatisfy(\.isHexDigit)
  }
}

extension UUID {
  fileprivate static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}

extension StorePath {
  /// What a new file is, and so which names there will be beside it.
  package enum Use: Sendable {
    /// A store, which is migrated, backed up beside itself and set aside.
    case store
    /// A copy, which only has to be made.
    case copy
  }

  /// The longest names of what is made beside a file: an unfinished copy, and the same of a backup before a migration.
  private static let unfinished = ".creating-\(UUID.zero)-journal"
  private static let backup = ".before-\(StoredNumber.last)-99"
  private static let quarantine = ".set-aside-20260203T040506Z-99/"

  /// Throws `.notWritable` for a path that is too long: the file could be made, but not what is made beside it later.
  package func checkLength(
    _ operation: PersistenceError.Operation,
    as use: Use
  ) throws(PersistenceError) {
    let (name, unfinished) = (name.utf8.count, Self.unfinished.utf8.count)
    let copy = unfinished - "-journal".utf8.count
    let (nameAdds, pathAdds) =
      switch use {
      case .copy: (unfinished, copy)
      case .store:
        (
          Self.backup.utf8.count + unfinished,
          max(Self.backup.utf8.count + copy, Self.quarantine.utf8.count + name)
        )
      }
    let longestName = Int(pathconf(directory, Int32(_PC_NAME_MAX)))
    if longestName > 0, name + nameAdds > longestName {
      let most = longestName - nameAdds
      throw tooLong("its name has \(name) bytes, and may have \(most)", operation)
    }
    let (path, most) = (file.utf8.count, Connection.longestPath - pathAdds)
    if path > most { throw tooLong("the path has \(path) bytes, and may have \(most)", operation) }
  }

  private func tooLong(
    _ detail: String,
    _ operation: PersistenceError.Operation
  ) -> PersistenceError {
    PersistenceError(
      operation,
      path: file,
      .notWritable("\(detail): the names of the files that are made beside it are longer")
    )
  }

  /// Refuses a path for a new file that this store, or SQLite for it, takes for its own.
  package func checkIsNotBeside(
    _ store: StorePath,
    _ operation: PersistenceError.Operation
  ) throws(PersistenceError) {
    let own = [store.wal, store.shm, store.head, store.lock, store.coming, store.creating]
    let suffix = file.hasPrefix(store.file) ? file.dropFirst(store.file.count) : ""
    guard own.contains(file) || Self.isJournal(suffix: suffix) else { return }
    let detail = "it would be taken for a file of the store \(store.file)"
    throw PersistenceError(operation, path: file, .notWritable(detail))
  }

  /// Lets SQLite remove its WAL, if it is empty, and its shared memory, unless a connection is still open.
  ///
  /// No writer can take the lock meanwhile. Nothing is written into the database.
  package func removeEmptyWAL(on disk: Disk) throws {
    let isThere = FileIdentity.exists(shm) || FileIdentity.exists(wal)
    guard isThere, walSize == 0, try foreignCompanions().isEmpty, access(file, W_OK) == 0 else {
      return
    }
    let connection = try Connection(path: file, mode: .readWrite, vfs: disk.vfs)
    // SQLite opens its WAL with the first read.
    _ = try connection.userVersion()
    try connection.close()
  }
}
