import Foundation
import StrataBase
import StrataJournal

/// The folder of a ``FolderArchive``: its files are complete and on the disk, or not there.
///
/// It reads and writes no link; the folder itself may be one.
struct ArchiveFolder: Sendable {
  let root: String
  let disk: Disk

  /// Makes the folder, or what is missing of it.
  func make() throws {
    for folder in [""] + Self.folders { try makeFolder(path(folder)) }
    try checkFolders()
    // The folder itself may be a link.
    try disk.sync(path("."))
    try syncParent()
  }

  private func syncParent() throws(SystemError) {
    do throws(SystemError) {
      try disk.sync(path("./.."))
    } catch {
      // The process that made the folder there may read it, and has synced it.
      if error.code != EACCES { throw error }
    }
  }

  private static let folders = ["segments", "snapshots", "chunks"]

  /// Refuses links as folders: what is removed must be in this one.
  private func checkFolders() throws(CorruptionError) {
    for folder in Self.folders {
      var status = stat()
      guard lstat(path(folder), &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { continue }
      let kind = FileIdentity.kind(ifNotRegular: status) ?? "a file"
      throw CorruptionError("\(path(folder)) is \(kind), not a folder")
    }
  }

  /// Removes files that a process has not finished; only under the lock, under which files are written.
  func removeUnfinished() throws {
    for folder in [""] + Self.folders {
      for name in try allNames(in: folder) where Self.isUnfinished(name) {
        try remove(folder.isEmpty ? name : "\(folder)/\(name)")
      }
    }
  }

  private static let unfinished = ".writing-"

  private static func isUnfinished(_ name: String) -> Bool {
    name.range(of: unfinished, options: .backwards).map {
      UUID(uuidString: String(name[$0.upperBound...])) != nil
    } ?? false
  }

  private func makeFolder(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      try disk.makeDirectory(path)
    } catch {
      if error.code != EEXIST { throw error }
    }
  }

  /// Runs `body` while no other process changes the folder.
  func locked<R>(_ body: () throws -> R) throws -> R {
    let lock = try openLock()
    guard try lock.lock(LOCK_EX) else {
      throw SystemError("flock", path("lock"), code: EWOULDBLOCK)
    }
    try checkFolders()
    return try body()
  }

  private func openLock() throws -> OpenFile {
    do throws(SystemError) {
      return try disk.open(path("lock"), O_RDWR | O_CREAT)
    } catch {
      if error.code == ENOENT { throw ArchiveError.Reason.empty }
      throw error
    }
  }

  private func path(_ file: String) -> String { file.isEmpty ? root : "\(root)/\(file)" }

  /// The contents of a file; nil if it is not there.
  func read(_ file: String) throws -> [UInt8]? {
    do {
      return try readFile(path(file))
    } catch let error as SystemError where error.code == ENOENT {
      return nil
    }
  }

  private func readFile(_ path: String) throws -> [UInt8] {
    let file = try disk.open(path, O_RDONLY)
    let size = try file.size()
    guard size <= Self.sizeLimit else {
      throw CorruptionError("\(path) has \(size) bytes, which is too large")
    }
    let contents = try file.read(Int(size), at: 0)
    guard contents.count == size else { throw CorruptionError("\(path) is cut off") }
    return contents
  }

  /// The size of the largest file, with room for its header.
  private static let sizeLimit = Int64(ArchiveSegment.sizeLimit) + 64 << 20

  /// Writes a file that gets its name once it is synced.
  func write(_ contents: [UInt8], to file: String) throws {
    let temporary = path("\(file)\(Self.unfinished)\(Scheduling.uuid().uuidString)")
    do {
      try write(contents, temporary: temporary)
      try disk.rename(temporary, to: path(file))
    } catch let error as SystemError {
      do {
        try disk.remove(temporary)
      } catch {
        // The next leader removes it.
      }
      throw error
    }
    try disk.sync("\(path(file).directoryOfPath)/.")
  }

  private func write(_ contents: [UInt8], temporary: String) throws {
    let file = try disk.open(temporary, O_WRONLY | O_CREAT | O_EXCL)
    try file.write(contents, at: 0)
    try file.sync()
  }

  func remove(_ file: String) throws { try disk.remove(path(file)) }

  /// The names of complete files in a folder.
  func names(in folder: String) throws -> [String] {
    try allNames(in: folder).filter { !Self.isUnfinished($0) }
  }

  private func allNames(in folder: String) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path(folder))
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return []
    }
  }

  /// How long ago a file was written, in seconds.
  func age(of file: String, _ now: Date) throws -> TimeInterval {
    var status = stat()
    guard lstat(path(file), &status) == 0 else { return 0 }
    #if canImport(Darwin)
      let seconds = status.st_mtimespec.tv_sec
    #else
      let seconds = status.st_mtim.tv_sec
    #endif
    return now.timeIntervalSince1970 - TimeInterval(seconds)
  }
}

extension String {
  /// The directory of a path.
  fileprivate var directoryOfPath: String {
    lastIndex(of: "/").map { String(self[..<$0]) } ?? "."
  }
}
