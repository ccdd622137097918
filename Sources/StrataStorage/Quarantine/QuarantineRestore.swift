import Foundation

/// The moving of a set back to where it was; what is there by then is set aside in turn.
///
/// The store's own file comes last, so that it is never there without its WAL. The caller holds the
/// writer's lock.
package struct QuarantineRestore {
  private let path: StorePath
  private let directory: String
  private var manifest: QuarantineManifest
  private let now: Date
  private let disk: Disk
  private var exchange: QuarantineMove?

  init(
    of path: StorePath,
    _ directory: String,
    _ manifest: QuarantineManifest,
    now: Date,
    on disk: Disk
  ) {
    self.path = path
    self.directory = directory
    self.manifest = manifest
    self.now = now
    self.disk = disk
  }

  package mutating func run() throws { while try step() {} }

  /// Does one step; false when nothing is left.
  package mutating func step() throws -> Bool {
    guard manifest.progress != .returned else { return false }
    if manifest.progress != .returning {
      manifest.progress = .returning
      try manifest.write(in: directory, on: disk)
      return true
    }
    if exchange == nil, isWhole, path.companions.contains(where: FileIdentity.exists) {
      exchange = QuarantineMove(
        of: path,
        reason: "exchanged for \(QuarantineMove.name(directory))",
        now: now,
        on: disk
      )
    }
    if try exchange?.step() == true { return true }
    if let name = manifest.files.first(where: { FileIdentity.exists(directory + "/" + $0) }) {
      try disk.rename(directory + "/" + name, to: path.directory + "/" + name)
      return true
    }
    try disk.sync(path.directory)
    manifest.progress = .returned
    try manifest.write(in: directory, on: disk)
    return false
  }

  /// While none of its files is back, whatever stands in their place is not of this set.
  private var isWhole: Bool {
    manifest.files.allSatisfy { FileIdentity.exists(directory + "/" + $0) }
  }
}
