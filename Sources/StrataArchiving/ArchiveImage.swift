import Foundation
import StrataBase
import StrataJournal
import StrataSQLite
import StrataSchema
import StrataStorage

/// What an archive keeps of a store besides deltas and chunks: files of a store without them.
///
/// The catalog has no history at all. The list of a snapshot has the snapshot, in which the bodies of the
/// chunks are empty. Both are written by the code that copies rows of one file into another, in memory: pages of SQLite have
/// no hash, so one that a disk lost or put elsewhere would be sent.
struct ArchiveImage {
  let view: ReadView
  let source: Connection

  /// The image of the store without its history.
  ///
  /// O(tables, layouts and openings).
  func catalog() throws -> [UInt8] { try image { _ in } }

  /// The image of the store with one snapshot, its chunks by their numbers, and the names in the image.
  ///
  /// O(entities) to verify and hash the chunks; one is in memory at a time.
  ///
  /// Throws `CorruptionError` where the file was damaged since it was opened: an archive with such a snapshot could not be
  /// pulled.
  func list(of snapshot: StoredSnapshot) throws -> (list: ArchiveSnapshot.List, names: [String]) {
    var entities = try view.cursor(snapshot)
    try view.checkListed(Set(entities.listing.map(\.table)))
    while let entity = try entities.next() { _ = try view.catalog.layout(entity.layout) }
    let revision = snapshot.header.revision
    var chunks: [Int64: ArchiveChunk.ID] = [:]
    for number in entities.listing.map(\.id) {
      chunks[number] = try Self.chunk(number, in: source).id
    }
    var names: [String] = []
    let image = try image { destination in
      try StoreCopy(from: source, to: destination).snapshot(revision, .hashes)
      // The file may have got other names since it was read.
      names = try SnapshotStore(connection: destination).names().map(\.name)
    }
    return (ArchiveSnapshot.List(image: image, chunks: chunks), names)
  }

  /// A chunk of a file.
  static func chunk(_ number: Int64, in source: Connection) throws -> ArchiveChunk {
    let body = try source.first("SELECT body FROM chunk WHERE id = ?", [.integer(number)]) {
      try $0.blob(0)
    }
    guard let body else { throw CorruptionError("chunk \(number) is missing") }
    return ArchiveChunk(body: body)
  }

  private func image(_ fill: (Connection) throws -> Void) throws -> [UInt8] {
    let destination = try Connection.inMemory()
    try destination.createDatabase(FileHeader(applicationID: StoreHeader.applicationID))
    try StoreFormat.fill(destination, now: view.identity.created) { destination in
      try StoreCopy(from: source, to: destination).allButHistory(of: view, as: view.identity)
      try fill(destination)
    }
    return try destination.image()
  }
}
