import Foundation

/// A shared lock of a reader: while it is held, no writer can take the lock.
///
/// A reader holds it while a statement runs, and not between two.
struct SharedLock: ~Copyable {
  private let file: OpenFile
  /// The bytes that the last writer has left in the lock file; they differ each time.
  let mark: [UInt8]
  /// What this reader has written behind them.
  private var name: [UInt8] = []

  /// The result of taking a shared lock.
  enum Outcome: ~Copyable {
    case acquired(SharedLock)
    /// There is no lock file: no writer ever opened the store at this path.
    case noLockFile
    /// With the bytes that it has left in the lock file.
    case writerPresent([UInt8])
  }

  /// Where a reader writes its name: a writer writes less than that, and cuts the file first.
  private static let place: Int64 = 256

  private init(_ file: consuming OpenFile, _ mark: [UInt8]) {
    self.file = file
    self.mark = mark
  }

  deinit {
    if hasName { _ = ftruncate(file.descriptor, off_t(mark.count)) }
    _ = flock(file.descriptor, LOCK_UN)
  }

  /// Takes a shared lock without creating or changing anything.
  static func take(_ path: String) throws(SystemError) -> Outcome {
    while let identity = FileIdentity(ofFileAt: path) {
      guard let file = try open(path), try file.identity() == identity else { continue }
      let isFree = try file.lock(LOCK_SH | LOCK_NB)
      // A refused opening may have removed the file that it had made.
      guard FileIdentity(ofFileAt: path) == identity else { continue }
      let mark = try file.read(Int(place), at: 0).prefix { $0 != 0 }
      return isFree ? .acquired(SharedLock(file, Array(mark))) : .writerPresent(Array(mark))
    }
    return .noLockFile
  }

  /// Also for writing, if that is possible; nil if the file is gone.
  private static func open(_ path: String) throws(SystemError) -> OpenFile? {
    do {
      do { return try OpenFile(path, O_RDWR) } catch { return try OpenFile(path, O_RDONLY) }
    } catch  where error.code == ENOENT {
      return nil
    }
  }

  /// Whether its name is in the file, and not that of another reader.
  private var hasName: Bool {
    if name.isEmpty { return false }
    do { return try file.read(name.count, at: Self.place) == name } catch { return false }
  }

  /// Writes the ID of this process into the lock file, for the error of a writer that has waited too long.
  ///
  /// It is removed with the lock. A reader that may not write stays without a name. `F_GETLK` is no other way: for a lock of
  /// `flock` it gives the process -1 on Apple's systems.
  mutating func writeName() {
    let name = Array("\(getpid())\n".utf8)
    do { try file.write(name, at: Self.place) } catch { return }
    self.name = name
  }

  /// A process that reads, if one has written its name; for errors.
  static func holder(at path: String) -> String {
    do {
      let bytes = try OpenFile(path, O_RDONLY).read(32, at: place)
      let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first
      guard let line, let process = pid_t(line), kill(process, 0) == 0 || errno == EPERM
      else { return "a process" }
      return "process \(process)"
    } catch {
      return "a process"
    }
  }
}
