import Foundation

/// What a directory of files set aside says of itself: written before the first file is moved.
struct QuarantineManifest: Codable, Equatable {
  /// How far it is.
  ///
  /// Whatever is not complete is completed by the next opening.
  enum Progress: String, Codable {
    /// The files are on their way here.
    case moving
    /// The files are here.
    case complete
    /// The files are on their way back.
    case returning
    /// The files are back where they were.
    case returned
  }

  /// Of this description.
  var format = 1
  /// The name of the store's file.
  var store: String
  var time: Date
  /// Why it was set aside, for people.
  var reason: String
  /// The names of the files that belong together, the store's own last.
  var files: [String]
  /// The name of the whole, synced file that takes the store's name afterwards.
  var replacement: String?
  var progress = Progress.moving

  static let name = "manifest.json"

  /// The manifest in a directory; nil when there is none.
  static func read(in directory: String, on disk: Disk) throws -> QuarantineManifest? {
    let path = directory + "/" + name
    guard FileIdentity(ofFileAt: path) != nil else { return nil }
    let bytes = try disk.open(path, O_RDONLY).read(1 << 20, at: 0)
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    do {
      return try decoder.decode(QuarantineManifest.self, from: Data(bytes))
    } catch {
      throw CorruptionError("\(path) cannot be read: \(error)")
    }
  }

  /// Replaces the manifest in a directory; it is on disk when this returns.
  func write(in directory: String, on disk: Disk) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let path = directory + "/" + Self.name
    do {
      let file = try disk.open(path + ".new", O_RDWR | O_CREAT | O_TRUNC)
      try file.write(Array(try encoder.encode(self)), at: 0)
      try file.sync()
    }
    try disk.rename(path + ".new", to: path)
    try disk.sync(directory)
  }
}
