import Foundation

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
  /// How far the writer has written, and how far that is durable; see ``HeadFile``.
  package var head: String { file + ".head" }
  /// SQLite's shared memory.
  package var shm: String { file + "-shm" }
  /// The files that belong together, the store's own last.
  package var companions: [String] { [wal, shm, head, file] }
  /// The name of a new store until it is complete.
  package var creating: String { file + ".creating" }
  /// The directory of the file.
  package var directory: String { (file as NSString).deletingLastPathComponent }

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
    let path = path as NSString
    let parent = path.deletingLastPathComponent
    let directory = parent.isEmpty ? "." : parent
    guard let resolved = realpath(directory, nil) else {
      throw PersistenceError(operation, path: path as String, .missingDirectory(directory))
    }
    defer { free(resolved) }
    let base = String(cString: resolved)
    file = (base == "/" ? "" : base) + "/" + path.lastPathComponent
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
