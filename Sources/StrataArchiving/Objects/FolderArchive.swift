package import Foundation
import StrataBase
package import StrataJournal

/// An archive of plain files in a folder: for backups, a shared disk, and tests.
///
/// Each object of an ``ObjectArchive`` is a file of its name, which it gets once it is synced. Processes exclude each other by
/// `flock` on the file `lock`, so the file system of a shared disk must support that. Leases run by the clock of the file
/// system, which sets the times of files: the clocks of the machines do not matter.
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
  /// What this value has read and put.
  public nonisolated let memory = ObjectMemory()
  private let executor = FileExecutor(label: "strata.archive")
  /// The queue of the archive, because calls wait for the disk.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private let folder: ArchiveFolder
  private var clock: FolderClock

  /// An archive in a folder, which the first leader creates.
  public init(_ path: String) { self.init(path, on: .system) }

  /// - Parameters:
  ///   - patience: How long another process may hold the lock before it is taken over.
  ///   - time: The time by which files are written, in place of that of the file system.
  package init(
    _ path: String,
    on disk: Disk,
    patience: Duration = .seconds(1),
    time: (@Sendable () -> Date)? = nil
  ) {
    name = path
    folder = ArchiveFolder(root: path, disk: disk, patience: patience, time: time)
    clock = FolderClock(folder)
  }
}

/// The five operations; it gives no hints.
extension FolderArchive {
  /// A file.
  public func get(_ name: String) throws(ArchiveError) -> ObjectContents? {
    try access {
      guard let file = try folder.read(name) else { return nil }
      // No other object has a tag, and the time of no other is asked for.
      guard name == ObjectContents.headName else {
        return ObjectContents(body: file.contents, tag: "", time: file.time, age: .zero)
      }
      return ObjectContents(
        body: file.contents,
        tag: Self.tag(of: file.contents),
        time: file.time,
        age: clock.age(of: file.time)
      )
    }
  }

  private static func tag(of contents: [UInt8]) -> String { Checksum(of: contents).description }

  /// Writes a file and syncs it, while no other process changes the folder.
  public func put(
    _ body: [UInt8],
    as name: String,
    if condition: ObjectCondition
  ) throws(ArchiveError) -> ObjectContents.Tag? {
    try access {
      try folder.locked(.takingOver) { held in
        switch condition {
        case .absent: if try folder.has(name) { return nil }
        case .tag(let tag):
          guard let file = try folder.read(name), Self.tag(of: file.contents) == tag else {
            return nil
          }
        }
        try held.write(body, to: name)
        return name == ObjectContents.headName ? Self.tag(of: body) : ""
      }
    }
  }

  /// The files of a folder, with their sizes and ages.
  public func list(
    _ prefix: String,
    after name: String
  ) throws(ArchiveError) -> [ObjectEntry] {
    try access {
      let now = clock.now
      let parent = prefix.lastIndex(of: "/").map { String(prefix[..<$0]) } ?? ""
      return try folder.names(in: parent).compactMap { file in
        let file = parent.isEmpty ? file : "\(parent)/\(file)"
        guard file.hasPrefix(prefix), name.utf8.lexicographicallyPrecedes(file.utf8) else {
          return nil
        }
        return try folder.entry(file, at: now)
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
