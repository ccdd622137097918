import Foundation

/// The path of a store's file, and of the files beside it.
///
/// The directory is resolved, so links on the way are followed; the file itself may not be a link,
/// or its companions would stand beside the link instead of beside the file.
package struct StorePath: Hashable, Sendable, CustomStringConvertible {
  /// The file of the store: an SQLite database.
  package let file: String

  /// SQLite's write-ahead log.
  package var wal: String { file + "-wal" }
  /// Held by the one writer.
  package var lock: String { file + ".lock" }
  /// What the writer has written and made durable.
  package var head: String { file + ".head" }
  /// The files that only mean something together, the store's own last.
  var companions: [String] { [wal, file + "-shm", head, file] }
  /// A new store until it is whole.
  var creating: String { file + ".creating" }
  /// Where the file is.
  var directory: String { (file as NSString).deletingLastPathComponent }

  package var description: String { file }

  /// What stands at the path.
  enum Occupant: Equatable {
    case nothing
    case file(size: Int64)
  }

  /// Resolves the directory of `path`.
  ///
  /// Throws when it does not exist, or what is at the path is no regular file.
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

  /// What stands at the path now; throws for a link, a directory or a device.
  func occupant(_ operation: PersistenceError.Operation) throws(PersistenceError) -> Occupant {
    var status = stat()
    guard lstat(file, &status) == 0 else {
      if errno == ENOENT { return .nothing }
      throw PersistenceError(operation, path: file, .io("\(SystemError("stat", file))"))
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file(size: Int64(status.st_size))
    case S_IFDIR: throw PersistenceError(operation, path: file, .notAFile("a directory"))
    case S_IFLNK: throw PersistenceError(operation, path: file, .notAFile("a symbolic link"))
    default: throw PersistenceError(operation, path: file, .notAFile("a special file"))
    }
  }

  /// The size of SQLite's WAL; 0 when there is none.
  package var walSize: Int64 {
    var status = stat()
    return stat(wal, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// The size of the file; 0 when there is none.
  package var fileSize: Int64 {
    var status = stat()
    return stat(file, &status) == 0 ? Int64(status.st_size) : 0
  }
}
