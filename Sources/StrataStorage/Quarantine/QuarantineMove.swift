package import Foundation
import StrataBase
package import StrataJournal

/// Moves a store's files into a directory of their own, a step at a time.
///
/// A crash can interrupt it between any two steps: the manifest, and which files are where, show what is
/// left to do. The caller holds the writer's lock. The lock file stays where it is.
package struct QuarantineMove {
  let path: StorePath
  package let directory: String
  private(set) var manifest: QuarantineManifest
  private var hasManifest: Bool
  private let disk: Disk

  /// Plans to move all files of a store, with the rollback journals beside it.
  ///
  /// - Parameters:
  ///   - replacement: the name of a complete, synced file beside it that takes its name.
  ///   - files: the paths to move instead.
  ///   - cause: what the name of the directory says.
  ///   - displaced: what an archive has taken the place of; nil for any other move.
  package init(
    of path: StorePath,
    reason: String,
    replacement: String? = nil,
    files: [String]? = nil,
    cause: StorePath.QuarantineCause = .damaged,
    displaced: DisplacedHistory? = nil,
    now: Date,
    on disk: Disk = .system
  ) throws {
    let journals = try path.rollbackJournals()
    self.path = path
    self.disk = disk
    directory = Self.unusedDirectory(path, cause, now)
    manifest = QuarantineManifest(
      store: Self.name(path.file),
      time: Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down)),
      reason: reason,
      files: (files ?? journals + path.companions).filter(FileIdentity.exists).map(Self.name),
      replacement: replacement,
      displaced: displaced
    )
    hasManifest = false
  }

  /// Continues one that was interrupted.
  init(
    of path: StorePath,
    resuming directory: String,
    _ manifest: QuarantineManifest,
    on disk: Disk
  ) {
    self.path = path
    self.disk = disk
    self.directory = directory
    self.manifest = manifest
    hasManifest = true
  }

  /// The set that it has made.
  package var quarantine: Quarantine { Quarantine(path, directory, manifest) }

  package static func name(_ path: String) -> String { PathParts(path).name }

  private static func unusedDirectory(
    _ path: StorePath,
    _ cause: StorePath.QuarantineCause,
    _ now: Date
  ) -> String {
    let time = now.formatted(
      Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
    )
    let first = "\(path.file)\(cause.infix)\(time)"
    var directory = first
    var number = 1
    while FileIdentity.exists(directory) {
      number += 1
      directory = "\(first)-\(number)"
    }
    return directory
  }

  /// Does all remaining steps.
  package mutating func run() throws { while try step() {} }

  /// Does one step; returns false when nothing is left.
  package mutating func step() throws -> Bool {
    if !hasManifest {
      try writeManifest()
      return true
    }
    guard manifest.progress == .moving else { return false }
    if let name = nextToMove {
      try disk.rename(path.directory + "/" + name, to: directory + "/" + name)
      return true
    }
    try disk.sync(directory)
    try disk.sync(path.directory)
    if let replacement = manifest.replacement, !FileIdentity.exists(path.file) {
      try disk.rename(path.directory + "/" + replacement, to: path.file)
      try disk.sync(path.directory)
      return true
    }
    manifest.progress = .complete
    try manifest.write(in: directory, on: disk)
    return false
  }

  /// Writes the manifest of files that were made in the directory.
  mutating func complete(with files: [String]) throws {
    manifest.files = files.filter(FileIdentity.exists).map(Self.name)
    manifest.progress = .complete
    try manifest.write(in: directory, on: disk)
    hasManifest = true
  }

  private mutating func writeManifest() throws {
    try disk.makeDirectory(directory, like: path.owner)
    try disk.sync(path.directory)
    try manifest.write(in: directory, on: disk)
    hasManifest = true
  }

  /// The next file to move; nil when all were moved.
  ///
  /// A file that is in the directory already was moved; a file of its name outside is another one.
  private var nextToMove: String? {
    manifest.files.first { name in
      !FileIdentity.exists(directory + "/" + name)
        && FileIdentity.exists(path.directory + "/" + name)
    }
  }
}
