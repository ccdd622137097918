import Foundation
import StrataBase
import StrataJournal

/// The folder of a ``FolderArchive``: each of its files is complete and on the disk, or not there.
///
/// It follows no link; the folder itself may be one. What is made in it has the owner and the group of the folder, and may be
/// read and written by who may do that with the folder.
struct ArchiveFolder: Sendable {
  let root: String
  let disk: Disk
  /// How long another process may hold the lock.
  let patience: Duration
  /// The time by which files are written; nil for that of the file system.
  let time: (@Sendable () -> Date)?

  private func make() throws {
    try makeFolder(root)
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

  fileprivate static let folders = ["segments", "snapshots", "images", "chunks"]

  /// Makes the folders that are missing, and refuses links: nothing outside of this folder may be removed.
  private func makeFolders() throws {
    var isMade = false
    for folder in Self.folders {
      var status = stat()
      if lstat(path(folder), &status) != 0 {
        try makeFolder(path(folder))
        isMade = true
      } else if status.st_mode & S_IFMT != S_IFDIR {
        let kind = FileIdentity.kind(ifNotRegular: status) ?? "a file"
        throw CorruptionError("\(path(folder)) is \(kind), not a folder")
      }
    }
    // The folder itself may be a link.
    if isMade { try disk.sync(path(".")) }
  }

  fileprivate static let unfinished = ".writing-"

  fileprivate static func isUnfinished(_ name: String) -> Bool {
    name.range(of: unfinished, options: .backwards).map {
      UUID(uuidString: String(name[$0.upperBound...])) != nil
    } ?? false
  }

  /// Whose its files are: those of the folder.
  fileprivate var owner: FileOwner? { FileOwner(ofFolderAt: root) }

  private func makeFolder(_ path: String) throws(SystemError) {
    do throws(SystemError) {
      try disk.makeDirectory(path, like: owner)
    } catch {
      if error.code != EEXIST { throw error }
    }
  }

  /// What is done about a process that holds the lock for longer than the patience of this folder: it may have been stopped.
  enum Patience {
    /// Its lock is taken over, and its changes fail if it continues.
    case takingOver
    /// Nothing is changed.
    case waiting
  }

  /// Runs `body` while no other process changes the folder, which is made if it is not there.
  func locked<R>(
    _ patience: Patience,
    _ body: (borrowing HeldArchiveFolder) throws -> R
  ) throws -> R {
    let held = try hold(patience)
    try makeFolders()
    return try body(held)
  }

  private func hold(_ patience: Patience) throws -> HeldArchiveFolder {
    // A pause is as long as most changes take.
    for _ in 0...Int(self.patience / .milliseconds(2)) {
      if let held = try holdIfFree() { return held }
      Scheduling.current.block(for: .milliseconds(2))
    }
    switch patience {
    case .takingOver: return try takeOver()
    case .waiting:
      throw ArchiveError.Reason.away("another process holds its lock, and does not release it")
    }
  }

  private func holdIfFree() throws -> HeldArchiveFolder? {
    let lock = try openLock()
    guard try lock.lock(LOCK_EX | LOCK_NB) else { return nil }
    let held = HeldArchiveFolder(self, lock)
    // Another process has put a new lock file there since it was opened.
    guard held.isHeld else { return nil }
    try held.removeUnfinished()
    return held
  }

  /// Replaces the lock file of a holder that does not release it.
  ///
  /// Unfinished files are removed after that: so the former holder finds either its own lock gone, or the
  /// file that it was about to name.
  private func takeOver() throws -> HeldArchiveFolder {
    let name = "lock\(Self.unfinished)\(Scheduling.uuid().uuidString)"
    let lock = try disk.create(path(name), like: owner)
    guard try lock.lock(LOCK_EX | LOCK_NB) else {
      throw SystemError("flock", path(name), code: EWOULDBLOCK)
    }
    try disk.rename(path(name), to: path("lock"))
    let held = HeldArchiveFolder(self, lock)
    try held.removeUnfinished()
    return held
  }

  private func openLock() throws -> OpenFile {
    do throws(SystemError) {
      return try disk.openOrCreate(path("lock"), like: owner)
    } catch {
      guard error.code == ENOENT else { throw error }
      try make()
      return try disk.openOrCreate(path("lock"), like: owner)
    }
  }

  fileprivate func path(_ file: String) -> String { file.isEmpty ? root : "\(root)/\(file)" }

  /// The contents of a file, and when it was written; nil if it is not there.
  func read(_ file: String) throws -> (contents: [UInt8], time: Date)? {
    do {
      return try readFile(path(file))
    } catch let error as SystemError where error.code == ENOENT {
      return nil
    }
  }

  private func readFile(_ path: String) throws -> (contents: [UInt8], time: Date) {
    let file = try disk.open(path, O_RDONLY)
    let status = try file.status()
    let size = Int64(status.st_size)
    guard size <= Self.sizeLimit else {
      throw CorruptionError("\(path) has \(size) bytes, which is too large")
    }
    let contents = try file.read(Int(size), at: 0)
    guard contents.count == size else { throw CorruptionError("\(path) is cut off") }
    return (contents, status.modificationDate)
  }

  /// The size of the largest file, with room for its header.
  private static let sizeLimit = Int64(ArchiveSegment.sizeLimit) + 64 << 20

  /// The names of complete files in a folder.
  func names(in folder: String) throws -> [String] {
    try allNames(in: folder).filter { !Self.isUnfinished($0) }
  }

  fileprivate func allNames(in folder: String) throws -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path(folder))
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return []
    }
  }

  /// Whether there is a file of the name.
  func has(_ file: String) throws -> Bool {
    var status = stat()
    return lstat(path(file), &status) == 0
  }

  /// A file in a list; nil if it is not there any more.
  func entry(_ file: String, at now: Date) throws -> ObjectEntry? {
    var status = stat()
    guard lstat(path(file), &status) == 0 else { return nil }
    let age = Duration.seconds(now.timeIntervalSince(status.modificationDate))
    return ObjectEntry(name: file, size: Int64(status.st_size), age: age)
  }

  /// The time of the file system, which it gives to a file that is written now; nil if none can be written here.
  fileprivate func measuredTime() -> Date? {
    if let time { return time() }
    let file = path("time\(Self.unfinished)\(Scheduling.uuid().uuidString)")
    defer { unlink(file) }
    do throws(SystemError) {
      return try disk.create(file, like: owner).status().modificationDate
    } catch {
      return nil
    }
  }
}

/// The clock of the file system of a folder.
///
/// It is asked once a minute at most, by a file that is made and removed; between, time passes as on this machine.
struct FolderClock {
  private let folder: ArchiveFolder
  private var measured: (date: Date, at: ContinuousClock.Instant)?

  init(_ folder: ArchiveFolder) { self.folder = folder }

  /// What time it is there; where no file can be written, by the clock of this machine.
  var now: Date {
    mutating get {
      let now = Scheduling.now
      if folder.time != nil || measured.map({ now - $0.at >= .seconds(60) }) ?? true {
        measured = folder.measuredTime().map { ($0, now) }
      }
      guard let measured else { return Scheduling.date }
      return measured.date.addingTimeInterval((now - measured.at) / .seconds(1))
    }
  }

  mutating func age(of time: Date) -> Duration { .seconds(now.timeIntervalSince(time)) }
}

extension stat {
  /// When the file was written.
  fileprivate var modificationDate: Date {
    #if canImport(Darwin)
      let time = st_mtimespec
    #else
      let time = st_mtim
    #endif
    return Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
  }
}

/// The folder of an archive while this process holds its lock: changes need this value.
///
/// When another process takes the lock over, nothing is changed any more: each change first checks that the
/// lock file is still the one that is held. A process may also be stopped between that check and the change.
/// Then the file that it was about to name is gone, because the next holder has removed unfinished files; and
/// a file that it was about to remove belongs to a history that it led.
struct HeldArchiveFolder: ~Copyable {
  private let folder: ArchiveFolder
  private let lock: OpenFile

  fileprivate init(_ folder: ArchiveFolder, _ lock: consuming OpenFile) {
    self.folder = folder
    self.lock = lock
  }

  /// Whether the lock file is still the one that is held.
  fileprivate var isHeld: Bool {
    do throws(SystemError) {
      return try lock.identity() == FileIdentity(ofFileAt: folder.path("lock"))
    } catch {
      // If the files cannot be compared, nothing is changed.
      return false
    }
  }

  private func checkIsHeld() throws(ArchiveError.Reason) {
    if !isHeld { throw .away("another process has taken its lock over") }
  }

  /// Removes files that a process has not finished: while it has no name yet, a file is beside the lock.
  fileprivate func removeUnfinished() throws {
    for name in try folder.allNames(in: "") where ArchiveFolder.isUnfinished(name) {
      try remove(name)
    }
  }

  /// Writes a file that gets its name once it is synced.
  func write(_ contents: [UInt8], to file: String) throws {
    let (disk, path) = (folder.disk, folder.path(file))
    let name = "object\(ArchiveFolder.unfinished)\(Scheduling.uuid().uuidString)"
    let temporary = folder.path(name)
    do {
      try write(contents, temporary: temporary)
      try checkIsHeld()
      try disk.rename(temporary, to: path)
    } catch {
      do {
        try disk.remove(temporary)
      } catch {
        // The next leader removes it.
      }
      // The process that took the lock over may have removed the file.
      try checkIsHeld()
      throw error
    }
    try disk.sync("\(path.directoryOfPath)/.")
  }

  private func write(_ contents: [UInt8], temporary: String) throws {
    let file = try folder.disk.create(temporary, like: folder.owner, O_WRONLY)
    try file.write(contents, at: 0)
    if let time = folder.time?() { try file.setTime(time) }
    try file.sync()
  }

  func remove(_ file: String) throws {
    try checkIsHeld()
    try folder.disk.remove(folder.path(file))
  }
}

extension String {
  /// The directory of a path.
  fileprivate var directoryOfPath: String {
    lastIndex(of: "/").map { String(self[..<$0]) } ?? "."
  }
}
