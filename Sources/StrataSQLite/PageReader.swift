import CStrataSQLite

/// Reads the pages of a database as of its last commit, past SQLite's cache and parser.
///
/// It reads through the files that SQLite has open, so no lock of this process is dropped. The caller makes
/// sure that nothing is written meanwhile.
struct PageReader {
  let pageSize: Int
  /// The number of pages of the database.
  let count: Int
  let path: String
  private let database: UnsafeMutablePointer<sqlite3_file>
  private let log: UnsafeMutablePointer<sqlite3_file>?
  /// Where the pages are that are newer in the WAL.
  private var newer: [UInt32: Int64] = [:]

  /// Reads the header, and the headers of the frames of the WAL.
  ///
  /// O(bytes of the WAL), which is empty after a regular closing.
  init(_ connection: Connection) throws(SQLiteError) {
    path = connection.path
    log = try connection.walFile()
    database = try connection.databaseFile()
    if let log {
      let contents = try WALReader.contents { (count, offset) throws(SQLiteError) in
        try Self.read(log, count, at: offset, path: connection.path)
      }
      if let contents {
        for frame in contents.frames { newer[frame.page] = frame.offset }
        (pageSize, count) = (contents.pageSize, Int(contents.pages))
        return
      }
    }
    let header = try Self.read(database, 100, at: 0, path: connection.path)
    let size = header.count == 100 ? Int(header.number(at: 16, bytes: 2)) : 0
    pageSize = size == 1 ? 65536 : size
    count = try connection.pageCount()
    guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else {
      throw Self.damage("the size of its pages is \(pageSize)", path)
    }
  }

  /// A page, from 1.
  func page(_ number: Int) throws(SQLiteError) -> [UInt8] {
    guard number >= 1, number <= count else {
      throw Self.damage("it refers to page \(number) of \(count)", path)
    }
    let bytes: [UInt8]
    if let log, let offset = newer[UInt32(number)] {
      bytes = try Self.read(log, pageSize, at: offset, path: path)
    } else {
      bytes = try Self.read(database, pageSize, at: Int64(number - 1) * Int64(pageSize), path: path)
    }
    guard bytes.count == pageSize else { throw Self.damage("page \(number) is cut off", path) }
    return bytes
  }

  static func damage(_ message: String, _ path: String) -> SQLiteError {
    SQLiteError(code: .corrupt, operation: .read, message: message, path: path)
  }

  private static func read(
    _ file: UnsafeMutablePointer<sqlite3_file>,
    _ count: Int,
    at offset: Int64,
    path: String
  ) throws(SQLiteError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var size: sqlite3_int64 = 0
    let methods = file.pointee.pMethods.pointee
    var status = methods.xFileSize?(file, &size) ?? SQLITE_IOERR
    let available = Int(max(0, min(Int64(count), size - offset)))
    if status == SQLITE_OK, available > 0 {
      status = bytes.withUnsafeMutableBytes {
        methods.xRead?(file, $0.baseAddress, Int32(available), offset) ?? SQLITE_IOERR
      }
    }
    guard status == SQLITE_OK else {
      throw SQLiteError(
        code: ResultCode(rawValue: status),
        operation: .read,
        message: SQLiteError.message(for: status),
        path: path
      )
    }
    return available == count ? bytes : Array(bytes.prefix(available))
  }
}

extension Array<UInt8> {
  /// The big-endian number of some bytes at an offset.
  func number(at offset: Int, bytes: Int) -> Int {
    var number = 0
    for index in offset..<offset + bytes { number = number << 8 | Int(self[index]) }
    return number
  }
}
