import Foundation
import StrataJournal

/// Moves a quarantined set back to where it was, a step at a time; files that have taken its place are
/// quarantined in turn.
///
/// The store's own file comes last, so that it is never there without its WAL. The caller holds the
/// writer's lock.
package struct QuarantineRestore: ~Copyable {
  private let path: StorePath
  private let directory: String
  private var manifest: QuarantineManifest
  private let now: Date
  private let disk: Disk
  /// The move of the files that have taken its place.
  private var replaced: QuarantineMove?

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

  /// Does all remaining steps.
  package mutating func run() throws { while try step() {} }

  /// Does one step; returns false when nothing is left.
  package mutating func step() throws -> Bool {
    guard manifest.progress != .restored else { return false }
    if manifest.progress != .restoring {
      manifest.progress = .restoring
      try manifest.write(in: directory, on: disk)
      return true
    }
    if replaced == nil, isComplete, inTheWay.contains(where: FileIdentity.exists) {
      replaced = try QuarantineMove(
        of: path,
        reason: "replaced by \(QuarantineMove.name(directory))",
        files: inTheWay,
        cause: .setAside,
        now: now,
        on: disk
      )
    }
    if try replaced?.step() == true { return true }
    if let name = manifest.files.first(where: { FileIdentity.exists(directory + "/" + $0) }) {
      try disk.rename(directory + "/" + name, to: path.directory + "/" + name)
      return true
    }
    try disk.sync(path.directory)
    manifest.progress = .restored
    try manifest.write(in: directory, on: disk)
    return false
  }

  /// The files whose place the set takes: all of the store's; only its own names if the store's file is
  /// not among them, as in a set of foreign files.
  private var inTheWay: [String] {
    manifest.files.contains(QuarantineMove.name(path.file))
      ? path.companions : manifest.files.map { path.directory + "/" + $0 }
  }

  /// Whether all files are still in the directory; then the files in their place are not of this set.
  private var isComplete: Bool {
    manifest.files.allSatisfy { FileIdentity.exists(directory + "/" + $0) }
  }
}
