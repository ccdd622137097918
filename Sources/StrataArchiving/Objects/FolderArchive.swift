package import Foundation
import StrataBase
package import StrataJournal

/// An archive of plain files in a folder: for backups, a shared disk, and tests.
///
/// Each object of an ``ObjectArchive`` is a file of its name, but for a line at the end of the file `head` with its tag and
/// when it was written. A file gets its name once it is synced. Processes exclude each other by `flock` on the file `lock`, so
/// the file system of a shared disk must support that. Leases run by the clock of each machine.
///
/// A process that holds the lock for more than a second may have been stopped. One that puts an object then replaces the
/// lock file; if the stopped process continues, its put fails.
///
/// A copy that is made while the archive is written, by `cp -r` in whatever order, is an archive too: it may lack the last
/// segments that its head names, and is read up to the last one that is whole.
///
/// Other files in the folder stay as they are. The folder may be a link; links inside it are not followed.
public actor FolderArchive: ObjectArchive {
  /// The path of the folder.
  public nonisolated let name: String
  /// The names of the chunks of the list that was read last.
  public nonisolated let chunkNames = ChunkNames()
  private let executor = FileExecutor(label: "strata.archive")
  /// The queue of the archive, because calls wait for the disk.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private let folder: ArchiveFolder
  private let now: @Sendable () -> Date

  /// An archive in a folder, which the first leader creates.
  public init(_ path: String) {
    self.init(path, on: .system, now: { Scheduling.date })
  }

  /// - Parameter patience: How long another process may hold the lock before it is taken over.
  package init(
    _ path: String,
    on disk: Disk,
    patience: Duration = .seconds(1),
    now: @escaping @Sendable () -> Date
  ) {
    name = path
    folder = ArchiveFolder(root: path, disk: disk, patience: patience)
    self.now = now
  }
}

/// The five operations; it gives no hints.
extension FolderArchive {
  /// A file.
  public func get(_ name: String) throws(ArchiveError) -> ArchiveObject? {
    try access { try read(name) }
  }

  private func read(_ name: String) throws -> ArchiveObject? {
    guard let contents = try folder.read(name) else { return nil }
    guard name == ObjectName.head else {
      return ArchiveObject(body: contents, tag: "", time: .distantPast, age: .zero)
    }
    let line = HeadLine(of: contents)
    let time = line?.time ?? 0
    return ArchiveObject(
      body: Array(contents.dropLast(line == nil ? 0 : HeadLine.size)),
      tag: line?.tag ?? "",
      time: Date(microseconds: time),
      age: .microseconds(now().microseconds) - .microseconds(time)
    )
  }

  /// Writes a file and syncs it, while no other process changes the folder.
  public func put(
    _ body: [UInt8],
    as name: String,
    if condition: ArchiveObject.Condition
  ) throws(ArchiveError) -> Bool {
    try access {
      try folder.locked(.takingOver) { held in
        switch condition {
        case .absent: if try folder.has(name) { return false }
        case .tag(let tag):
          guard name == ObjectName.head, try read(name)?.tag == tag else { return false }
        }
        guard name == ObjectName.head else {
          try held.write(body, to: name)
          return true
        }
        let line = HeadLine(tag: ObjectName.newNumber(), time: now().microseconds)
        try held.write(body + line.bytes, to: name)
        return true
      }
    }
  }

  /// The files of a folder, with their sizes and ages.
  public func list(
    _ prefix: String,
    after name: String
  ) throws(ArchiveError) -> [ArchiveObject.Entry] {
    try access {
      let parent = prefix.lastIndex(of: "/").map { String(prefix[..<$0]) } ?? ""
      return try folder.names(in: parent).compactMap { file in
        let file = parent.isEmpty ? file : "\(parent)/\(file)"
        guard file.hasPrefix(prefix), name.utf8.lexicographicallyPrecedes(file.utf8) else {
          return nil
        }
        return try folder.entry(file, now())
      }
    }
  }

  /// Removes files.
  public func remove(_ names: [String]) throws(ArchiveError) {
    if names.isEmpty { return }
    try access {
      try folder.locked(.waiting) { held in
        for name in names { try held.remove(name) }
      }
    }
  }

  private func access<R>(_ body: () throws -> R) throws(ArchiveError) -> R {
    do {
      return try body()
    } catch let error as ArchiveError.Reason {
      throw ArchiveError(error, archive: name)
    } catch let error as CorruptionError {
      throw ArchiveError(.damaged(error.detail), archive: name)
    } catch let error as SystemError where error.kind != nil {
      throw ArchiveError(.damaged("\(error)"), archive: name)
    } catch {
      throw ArchiveError(.away("\(error)"), archive: name)
    }
  }
}

/// The line at the end of the file `head`, which is not part of the object.
private struct HeadLine {
  let tag: String
  /// Microseconds since 1970.
  let time: Int64

  static let size = 53

  init(tag: String, time: Int64) { (self.tag, self.time) = (tag, max(0, min(time, 1 << 62))) }

  /// Nil if the file does not end with such a line: another program may have written it.
  init?(of contents: [UInt8]) {
    guard contents.count >= Self.size else { return nil }
    let parts = String(decoding: contents.suffix(Self.size), as: UTF8.self).split(separator: " ")
    guard parts.count == 2, parts[0].utf8.count == 33, parts[0].utf8.first == 0x0A,
      let time = Int64(parts[1])
    else { return nil }
    self.init(tag: String(parts[0].dropFirst()), time: time)
  }

  var bytes: [UInt8] { Array("\n\(tag) \(ObjectName.padded(Revision(time)))".utf8) }
}
