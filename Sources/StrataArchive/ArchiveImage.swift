import Foundation
import StrataBase
import StrataJournal
import StrataMigrations
import StrataSQLite
import StrataStorage

/// What an archive keeps of a store besides deltas and chunks: files of a store without them.
///
/// The catalog has no history at all. The list of a snapshot has the snapshot, in which the bodies of the
/// chunks are empty. Both are written by the code that copies rows of one file into another.
struct ArchiveImage {
  let view: ReadView
  let source: Connection
  let path: StorePath
  let disk: Disk

  /// The image of the store without its history, of which it has the runs of migrations: a copy that ends earlier has
  /// the catalog of its end.
  ///
  /// O(tables, layouts and openings), and O(deltas, without their contents).
  func catalog() throws -> [UInt8] {
    try image { destination in
      for run in try TracedRun.all(after: 0, in: source) { try run.write(to: destination) }
    }
  }

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
    let checksums = try chunkRows(of: revision)
    var chunks: [Int64: ArchiveChunk.ID] = [:]
    for (number, _) in checksums { chunks[number] = try Self.chunk(number, in: source).id }
    var names: [String] = []
    let image = try image { destination in
      let rows = RowCopy(source: source, destination: destination)
      try rows.snapshotWithoutChunks(revision)
      // The file may have got other names since it was read.
      names = try SnapshotStore(connection: destination).names().map(\.name)
      for (number, checksum) in checksums {
        try destination.run(
          "INSERT INTO chunk (id, hash, body) VALUES (?, ?, ?)",
          [.integer(number), .blob(checksum), .blob([])]
        )
      }
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

  private func chunkRows(of revision: Revision) throws -> [(Int64, [UInt8])] {
    try source.all(
      """
      SELECT id, hash FROM chunk WHERE id IN (SELECT chunk FROM listing WHERE revision = ?)
        ORDER BY id
      """,
      [.integer(revision.number)]
    ) { (try $0.int(0), try $0.blob(1)) }
  }

  /// Pages of SQLite have no hash, so one that the disk lost or put elsewhere is only found beside the same file made again.
  ///
  /// Throws `CorruptionError` if the two differ.
  private func image(_ fill: (Connection) throws -> Void) throws -> [UInt8] {
    let image = try written(fill)
    guard try written(fill) == image else {
      throw CorruptionError(
        "a file for the archive was not written as it should be: check the disk of \(path.directory)"
      )
    }
    return image
  }

  private func written(_ fill: (Connection) throws -> Void) throws -> [UInt8] {
    let file = NewFile(replacing: path, for: .archiving, on: disk)
    defer { file.removeLeftovers() }
    try file.createStore(now: view.identity.created) { destination in
      try view.identity.write(to: destination)
      try RowCopy(source: source, destination: destination).allButHistory(of: view)
      try OlderBuildMarks.read(source).write(to: destination)
      try fill(destination)
    }
    return try file.contents()
  }
}

extension ArchiveImage {
  /// Imports an archive's catalog, as it was at the revision where the history ends, into a file of the store, in the
  /// caller's transaction.
  ///
  /// - Parameters:
  ///   - image: A catalog, which is not trusted.
  ///   - end: What the file is to end at. The catalog may be ahead of the archive's head: what is not known of the head
  ///     is as the catalog says then.
  /// - Throws: `DataMigrationError.ledgerUnknown` for an earlier point, as a fork does.
  static func add(
    catalog image: [UInt8],
    through revision: Revision,
    of end: ArchivePull.End,
    to destination: Connection,
    at path: StorePath,
    on disk: Disk
  ) throws {
    try withCatalog(image, at: path, on: disk) { source in
      let identity = try StoreIdentity.read(source)
      let own = try StoreIdentity.read(destination)
      guard identity.id == own.id else {
        throw CorruptionError("the catalog is of store \(identity.id), the history of \(own.id)")
      }
      let earlier = try earlierCatalog(at: revision, of: end, in: source)
      try destination.run("DELETE FROM migration WHERE kind = 1", [])
      try destination.run("DELETE FROM erasure", [])
      let rows = RowCopy(source: source, destination: destination)
      try rows.dataMigrations(through: revision)
      try rows.erasures()
      try rows.tables(through: revision)
      try earlier?.write(to: destination)
      let marks = try OlderBuildMarks.read(source)
      try marks.through(revision).write(to: destination)
    }
  }

  private static func earlierCatalog(
    at revision: Revision,
    of end: ArchivePull.End,
    in source: Connection
  ) throws -> EarlierCatalog? {
    do {
      return try EarlierCatalog(at: revision, of: source)
    } catch let error as DataMigrationError {
      guard case .head = end else { throw error }
      return nil
    }
  }

  /// The erasures that a catalog lists.
  static func erasures(
    inCatalog image: [UInt8],
    at path: StorePath,
    on disk: Disk
  ) throws -> [ErasureLedger.Entry] {
    try withCatalog(image, at: path, on: disk) { try ErasureLedger.entries(on: $0) }
  }

  /// Opens a catalog, which is not trusted, as a file beside a store's.
  private static func withCatalog<R>(
    _ image: [UInt8],
    at path: StorePath,
    on disk: Disk,
    _ body: (Connection) throws -> R
  ) throws -> R {
    let file = NewFile(replacing: path, for: .archiving, on: disk)
    defer { file.removeLeftovers() }
    try file.create(with: image)
    let connection = try file.connect(.immutable)
    try RestoredFile.check(connection, path, .archiving)
    let result = try body(connection)
    try connection.close()
    return result
  }
}
