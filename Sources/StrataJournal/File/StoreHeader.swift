import Foundation
package import StrataSQLite
package import StrataSchema

/// The first 100 bytes of an SQLite database, which allow refusing a file without opening it.
///
/// Source: "The Database Header" in SQLite's file format page. Bytes 0–15 magic, 16 page size, 24
/// change counter, 28 pages, 60 user version, 68 application id, 92 the counter the page count is
/// valid for; all big-endian.
package struct StoreHeader: Equatable {
  /// `Strt`: distinguishes a store's file from any other SQLite database.
  package static let applicationID: Int32 = 0x5374_7274

  package let applicationID: Int32
  let format: Int
  let pageSize: Int64
  /// Nil if the header's page count is not valid.
  let pages: Int64?

  /// Reads the header from the first bytes of a file; nil if they are not SQLite's.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 100, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
      return nil
    }
    func word(_ offset: Int) -> UInt32 {
      bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    applicationID = Int32(bitPattern: word(68))
    format = Int(Int32(bitPattern: word(60)))
    let size = Int64(bytes[16]) << 8 | Int64(bytes[17])
    pageSize = size == 1 ? 65536 : size
    pages = word(24) == word(92) && word(28) > 0 ? Int64(word(28)) : nil
  }

  /// Refuses a file that is not a store, or that this build cannot read, from its first bytes only.
  ///
  /// The length is checked only if SQLite's WAL is empty: with commits in it, the file may be shorter than
  /// its header says.
  static func check(
    _ bytes: [UInt8],
    fileSize: Int64,
    walSize: Int64,
    knownFormat: Int
  ) throws(PersistenceError.Reason) {
    guard fileSize > 0 else { throw .empty }
    guard let header = StoreHeader(bytes) else {
      let isCut = fileSize < 100 && Array("SQLite format 3\0".utf8).starts(with: bytes.prefix(16))
      throw isCut ? .truncated(expected: 100, found: fileSize) : .notADatabase
    }
    guard header.applicationID == applicationID else {
      throw .foreign(applicationID: header.applicationID)
    }
    try StoreFormat.check(header.format, known: knownFormat)
    if walSize == 0, let pages = header.pages, pages * header.pageSize > fileSize {
      throw .truncated(expected: pages * header.pageSize, found: fileSize)
    }
  }
}

/// The version of the file's schema: the number of its last migration.
package enum StoreFormat {
  /// The one that this build reads and writes.
  package static var known: Int { MigrationCatalog.file.latest }

  /// Refuses every format but the known one.
  static func check(_ found: Int, known: Int = known) throws(PersistenceError.Reason) {
    if found < known { throw .olderFormat(found: found, known: known) }
    if found > known { throw .newerFormat(found: found, known: known) }
  }

  /// The tables and indexes of a file.
  ///
  /// O(migrations).
  package static func schema() throws(MigrationError) -> FileSchema {
    try FileSchema(madeBy: .file)
  }

  /// Makes an empty database a store; `body` writes its contents in one transaction.
  package static func fill<R>(
    _ connection: Connection,
    now: Int64,
    _ body: (Connection) throws -> R
  ) throws -> R {
    try Migrator(catalog: .file, now: { now }).migrate(connection)
    return try connection.transaction { try body(connection) }
  }

  /// Rebuilds SQLite's indexes if one misses rows of its table: writing would fail for it.
  ///
  /// O(chunks and openings).
  package static func repairIndexes(of connection: Connection) throws(SQLiteError) {
    for (index, table, columns) in [
      ("chunk_hash", "chunk", ["hash"]),
      ("sqlite_autoindex_origin_1", "origin", ["uuid"]),
    ] where try !connection.isSound(index: index, of: table, on: columns) {
      return try connection.rebuildIndexes()
    }
  }

  /// How the tables and indexes of a file differ from those of a store; nil if they do not.
  ///
  /// O(1) if no comment and no spacing differs; else O(migrations).
  static func difference(of connection: Connection) throws -> String? {
    if try FileSchema.isNewest(in: connection) { return nil }
    return try schema().difference(of: connection)
  }
}
