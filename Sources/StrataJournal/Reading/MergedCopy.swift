import Foundation
import StrataSQLite

/// The database of a store with the commits of its WAL, in a temporary file that has no name.
///
/// However the process ends, nothing of the store is left in the temporary directory. The file is as large
/// as the parts of the database that are not holes, and no frame of the WAL after the last valid commit is
/// read, so a file that is large only by its holes costs nothing.
///
/// The caller holds the shared lock, or there is no writer's lock at all.
enum MergedCopy {
  private static let pieceSize: Int64 = 1 << 20

  /// Copies and opens a database; nil if its WAL has no commit.
  ///
  /// O(database and WAL).
  ///
  /// - Throws: `.temporaryFile` with both sizes if the temporary directory has no room for it.
  static func open(_ path: StorePath, on disk: Disk) throws -> Connection? {
    let wal = try disk.open(path.wal, O_RDONLY)
    let contents = try WALReader.contents { (count, offset) throws(SystemError) in
      try wal.read(count, at: offset)
    }
    guard let contents else { return nil }
    let database = try disk.open(path.file, O_RDONLY)
    let header = StoreHeader(try database.read(100, at: 0))
    guard header?.pageSize == Int64(contents.pageSize) else {
      throw CorruptionError(
        "the pages of SQLite's WAL have \(contents.pageSize) bytes, those of the database others"
      )
    }
    let pageSize = Int64(contents.pageSize)
    let size = Int64(contents.pages) * pageSize
    var newest: [UInt32: Int64] = [:]
    for frame in contents.frames where frame.page <= contents.pages {
      newest[frame.page] = frame.offset
    }
    let directory = TemporaryFolder.path
    try checkRoom(
      for: min(size, try database.allocatedSize()) + Int64(newest.count) * pageSize,
      in: directory
    )

    let copy: OpenFile
    do {
      copy = try OpenFile.unnamed(in: directory, on: disk)
    } catch {
      throw TemporaryFolder.reason(error)
    }
    try TemporaryFolder.working(at: copy.path) {
      try fill(copy, size, database, upTo: path.fileSize)
      for (page, offset) in newest {
        try copy.write(try wal.read(contents.pageSize, at: offset), at: Int64(page - 1) * pageSize)
      }
    }
    return try Connection(unnamedFile: copy.descriptor)
  }

  /// Copies the parts of a database that are not holes.
  private static func fill(
    _ copy: borrowing OpenFile,
    _ size: Int64,
    _ database: borrowing OpenFile,
    upTo fileSize: Int64
  ) throws {
    try copy.truncate(to: size)
    var offset: Int64 = 0
    while let data = database.data(from: offset, to: min(size, fileSize)) {
      offset = data.lowerBound
      while offset < data.upperBound {
        let piece = try database.read(
          Int(min(pieceSize, data.upperBound - offset)),
          at: offset
        )
        if piece.isEmpty { break }
        try copy.write(piece, at: offset)
        offset += Int64(piece.count)
      }
      // The file is shorter than its size says.
      if offset < data.upperBound { break }
    }
  }

  private static func checkRoom(for size: Int64, in directory: String) throws {
    // If the system does not tell, a full disk shows when the copy is written.
    guard let free = freeBytes(in: directory), free < size else { return }
    throw PersistenceError.Reason.temporaryFile(
      """
      reading it needs a copy of \(size) bytes, because SQLite's WAL has commits, and \(directory) has \
      \(free) bytes free
      """
    )
  }
}
