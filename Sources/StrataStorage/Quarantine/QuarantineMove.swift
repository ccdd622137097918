package import Foundation

/// The moving of a store's files into a directory of their own, a step at a time: cut off between any
/// two, what is left to do is known from the manifest and from which files are where.
///
/// The caller holds the writer's lock. The lock file stays where it is.
package struct QuarantineMove {
  let path: StorePath
  package let directory: String
  private(set) var manifest: QuarantineManifest
  private var isAnnounced: Bool
  private let disk: Disk

  /// Plans to set aside whatever there is of a store.
  ///
  /// - Parameter replacement: the name of a whole, synced file beside it that takes its name.
  package init(
    of path: StorePath,
    reason: String,
    replacement: String? = nil,
    now: Date,
    on disk: Disk = .system
  ) {
    self.path = path
    self.disk = disk
    directory = Self.unusedDirectory(path, now)
    manifest = QuarantineManifest(
      store: Self.name(path.file),
      time: Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down)),
      reason: reason,
      files: path.companions.filter(FileIdentity.exists).map(Self.name),
      replacement: replacement
    )
    isAnnounced = false
  }

  /// Goes on with one that was cut off.
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
    isAnnounced = true
  }

  static func name(_ path: String) -> String { (path as NSString).lastPathComponent }

  private static func unusedDirectory(_ path: StorePath, _ now: Date) -> String {
    let time = now.formatted(
      Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
    )
    let first = "\(path.file).damaged-\(time)"
    var directory = first
    var number = 1
    while FileIdentity.exists(directory) {
      number += 1
      directory = "\(first)-\(number)"
    }
    return directory
  }

  /// Does all that is left.
  package mutating func run() throws { while try step() {} }

  /// Does one step; false when nothing is left.
  package mutating func step() throws -> Bool {
    if !isAnnounced {
      try announce()
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

  private mutating func announce() throws {
    try disk.makeDirectory(directory)
    try disk.sync(path.directory)
    try manifest.write(in: directory, on: disk)
    isAnnounced = true
  }

  /// A name that is in the directory already is of a file that was moved: what has its name outside by
  /// now is another one.
  private var nextToMove: String? {
    manifest.files.first { name in
      !FileIdentity.exists(directory + "/" + name)
        && FileIdentity.exists(path.directory + "/" + name)
    }
  }
}
