import Foundation
import StrataSQLite
import TestSupport
import Testing

/// Databases in memory, and the files that they would be.
struct ImageTests {
  private func image(of rows: ClosedRange<Int64>) throws -> [UInt8] {
    let connection = try Connection.inMemory()
    try connection.createDatabase(header)
    try connection.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v ANY) STRICT")
    for key in rows {
      try connection.run("INSERT INTO t VALUES (?, ?)", [.integer(key), .text("row \(key)")])
    }
    return try connection.image()
  }

  @Test func `an image has the rows, and can only be read`() throws {
    let reader = try Connection(image: try image(of: 1...2_000))
    #expect(try keys(reader) == Array(1...2_000))
    #expect(try reader.applicationID() == header.applicationID)
    #expect(try reader.integrityCheck() == [])
    try reader.execute("PRAGMA query_only = OFF")
    #expect(try sqliteError { try reader.run("DELETE FROM t") }?.code.primary == .readOnly)
  }

  @Test func `a file with the bytes of an image is like any other`() throws {
    try withTemporaryDirectory { directory in
      let path = directory.appendingPathComponent("image.db").path
      try Data(image(of: 1...2_000)).write(to: URL(fileURLWithPath: path))
      let writer = try Connection(path: path, mode: .readWrite)
      #expect(try writer.configureWriter(newFile: header) == .existing)
      #expect(try writer.journalMode() == "wal")
      #expect(try writer.integrityCheck() == [])
      try writer.run("DELETE FROM t WHERE k > 1")
      let free = try writer.freelistCount()
      #expect(free > 0)
      #expect(try writer.incrementalVacuum(pages: free) == free)
      #expect(try keys(writer) == [1])
    }
  }

  @Test func `the bytes of a file in WAL mode can be read`() throws {
    try withWriter { writer in
      try writer.run("INSERT INTO t VALUES (7, NULL)")
      try writer.checkpoint(.truncate)
      try writer.close()
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: writer.path)))
      #expect(bytes[18] == 2)
      #expect(try keys(try Connection(image: bytes)) == [7])
    }
  }

  @Test func `bytes that are no database are refused`() throws {
    #expect(try Connection(image: []).pageCount() == 0)
    for count in [1, 19, 20, 100, 4_096] {
      let reader = try Connection(image: [UInt8](repeating: 7, count: count))
      #expect(try sqliteError { try keys(reader) } != nil)
    }
  }

  @Test func `bytes that end too early are refused`() throws {
    let whole = try image(of: 1...2_000)
    for count in [100, 4_095, 4_096, whole.count - 4_096] {
      let reader = try Connection(image: Array(whole.prefix(count)))
      #expect(try sqliteError { try keys(reader) } != nil, "the first \(count)")
    }
  }

  @Test func `a page that is not one is damage`() throws {
    var bytes = try image(of: 1...2_000)
    for place in 3 * 4_096..<4 * 4_096 { bytes[place] = 0xff }
    let reader = try Connection(image: bytes)
    #expect(try sqliteError { try keys(reader) }?.code.primary == .corrupt)
  }
}
