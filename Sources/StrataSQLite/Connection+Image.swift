import CStrataSQLite

/// Databases in memory whose contents are those of a file (`sqlite.org/c3ref/serialize.html`).
extension Connection {
  /// Opens a copy of a file's bytes in memory, which can only be read.
  ///
  /// The bytes are not trusted: as with a file, no page is read yet, so damage may be detected only by a later call. Of a
  /// file in WAL mode they are all that is read, as with ``OpenMode/immutable``.
  ///
  /// O(bytes).
  package convenience init(image: [UInt8]) throws(SQLiteError) {
    try self.init(inMemoryAs: ":memory:", .immutable)
    let handle = try requireHandle(.open)
    guard let copy = sqlite3_malloc64(sqlite3_uint64(max(image.count, 1))) else {
      throw failure(SQLITE_NOMEM, .open)
    }
    image.withUnsafeBytes {
      UnsafeMutableRawBufferPointer(start: copy, count: $0.count).copyMemory(from: $0)
    }
    let bytes = copy.assumingMemoryBound(to: UInt8.self)
    // Bytes 18 and 19 say whether there is a WAL, which SQLite does not read in memory.
    if image.count > 19 { (bytes[18], bytes[19]) = (1, 1) }
    let size = sqlite3_int64(image.count)
    let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY)
    // SQLite frees the copy if this fails, too.
    let status = sqlite3_deserialize(handle, "main", bytes, size, size, flags)
    guard status == SQLITE_OK else { throw failure(status, .open) }
  }

  /// The bytes of a file with the contents of this database, which is not in WAL mode.
  ///
  /// O(database).
  ///
  /// - Throws: `.noMemory`.
  package func image() throws(SQLiteError) -> [UInt8] {
    var size: sqlite3_int64 = 0
    let bytes = sqlite3_serialize(try requireHandle(.backup), "main", &size, 0)
    guard let bytes else { throw failure(SQLITE_NOMEM, .backup) }
    defer { sqlite3_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
  }
}
