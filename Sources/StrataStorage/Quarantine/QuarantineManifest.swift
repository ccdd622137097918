import Foundation
package import StrataJournal

/// The description of a quarantined set of files, in its directory; written before the first file is moved.
struct QuarantineManifest: Codable, Equatable {
  /// How far the set has been moved; the next opening completes a move that a crash interrupted.
  enum Progress: String, Codable {
    /// The files are being moved into the directory.
    case moving
    /// The files are in the directory.
    case complete
    /// The files are being moved back.
    case restoring = "returning"
    /// The files are back where they were.
    case restored = "returned"
  }

  /// The version of this format.
  var format = 1
  /// The name of the store's file.
  var store: String
  var time: Date
  /// Why it was quarantined, for people.
  package var reason: String
  /// The names of the files, the store's own last.
  var files: [String]
  /// The name of the complete, synced file that takes the store's name afterwards.
  var replacement: String?
  /// Nil unless the history of an archive has taken the place of the store's.
  var displaced: DisplacedHistory?
  var progress = Progress.moving

  static let name = "manifest.json"

  /// The manifest in a directory beside a store; nil when there is none.
  ///
  /// - Throws: `CorruptionError` for one that cannot be read, or that names a file which is not one of the
  ///   store's: moving it would move something else.
  static func read(
    in directory: String,
    of store: StorePath,
    on disk: Disk
  ) throws -> QuarantineManifest? {
    let path = directory + "/" + name
    guard FileIdentity(ofFileAt: path) != nil else { return nil }
    let bytes = try disk.open(path, O_RDONLY).read(1 << 20, at: 0)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let manifest: QuarantineManifest
    do {
      manifest = try decoder.decode(QuarantineManifest.self, from: Data(bytes))
    } catch {
      throw CorruptionError("\(path) cannot be read: \(error)")
    }
    let own = store.companions.map(QuarantineMove.name)
    let name = QuarantineMove.name(store.file)
    for file in manifest.files where !own.contains(file) {
      guard file.hasPrefix(name), StorePath.isJournal(suffix: file.dropFirst(name.count)) else {
        throw CorruptionError("\(path) names \(file), which is no file of this store")
      }
    }
    let replacement = manifest.replacement
    guard replacement == nil || replacement == QuarantineMove.name(store.creating) else {
      throw CorruptionError("\(path) names a wrong replacement of the store")
    }
    return manifest
  }

  /// Replaces the manifest in a directory; it is on disk when this returns.
  func write(in directory: String, on disk: Disk) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let path = directory + "/" + Self.name
    do {
      try disk.remove(path + ".new")
      let file = try disk.create(path + ".new", like: FileOwner(ofFolderAt: directory))
      try file.write(Array(try encoder.encode(self)), at: 0)
      try file.sync()
    }
    try disk.rename(path + ".new", to: path)
    try disk.sync(directory)
  }
}

/// The history of files that were set aside because it is not that of their archive.
package struct DisplacedHistory: Codable, Equatable, Sendable {
  /// The revisions that only these files have; nil if it is not known where they start, or if there are none.
  package var revisions: ClosedRange<Revision>?
  /// Whether an opening has reported it.
  var isReported = false

  package init(_ revisions: ClosedRange<Revision>?) { self.revisions = revisions }
}
