import Foundation
import StrataSQLite
import TestSupport
import Testing

/// What SQLite trusts when it writes, and has no hash: each flaw is found before the first write.
struct StructureCheckTests {
  /// Makes a file of about 1,500 pages with a list of free pages, an index, and long values.
  private func withFile(
    walIsEmpty: Bool = true,
    _ body: (_ path: String) throws -> Void
  ) throws {
    try withTemporaryDirectory { directory throws in
      let path = directory.appendingPathComponent("test.db").path
      let connection = try makeWriter(at: path)
      connection.checkpointsOnClose = walIsEmpty ? .automatic : .never
      try connection.execute(
        """
        CREATE TABLE part (k INTEGER NOT NULL, p INTEGER NOT NULL, body BLOB NOT NULL,
          PRIMARY KEY (k, p)) STRICT
        """
      )
      try connection.transaction {
        for number in Int64(0)..<3_000 {
          try connection.run(
            "INSERT INTO t VALUES (?, ?)",
            [.integer(number), .blob([UInt8](repeating: UInt8(number % 256), count: 900))]
          )
        }
        for number in Int64(0)..<500 {
          let body = [UInt8](repeating: 7, count: number == 400 ? 100_000 : 9_000)
          try connection.run(
            "INSERT INTO part VALUES (?, 1, ?)",
            [.integer(number), .blob(body)]
          )
        }
      }
      try connection.transaction {
        try connection.run("DELETE FROM part WHERE k < 300")
        for number in Int64(1_000)..<3_000 {
          try connection.run("INSERT INTO part VALUES (?, 1, x'01')", [.integer(number)])
        }
      }
      if walIsEmpty { try connection.checkpoint(.truncate) }
      try connection.close()
      try body(path)
    }
  }

  private func check(_ path: String) throws -> SQLiteError? {
    let connection = try Connection(path: path, mode: .readWrite)
    connection.checkpointsOnClose = .never
    return try sqliteError { try connection.checkStructure(wholeUpTo: 0) }
  }

  private func number(_ path: String, at offset: Int) throws -> Int {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    return data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private func root(of name: String, in path: String) throws -> Int {
    let connection = try Connection(path: path, mode: .immutable)
    let root = try connection.first(
      "SELECT rootpage FROM sqlite_schema WHERE name = ?",
      [.text(name)]
    ) {
      try $0.int(0)
    }
    return Int(try #require(root))
  }

  private func bytes(of number: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
  }

  @Test(arguments: [true, false])
  func `a sound file passes, with commits in the WAL or without`(walIsEmpty: Bool) throws {
    try withFile(walIsEmpty: walIsEmpty) { path throws in
      #expect(try size(path + "-wal") == nil || !walIsEmpty)
      #expect(try check(path) == nil)
      let connection = try Connection(path: path, mode: .readOnly)
      #expect(try connection.freelistCount() > 500)
      #expect(try connection.pageCount() > 1_500)
    }
  }

  @Test func `an entry of the list of free pages that names a page in use is found`() throws {
    try withFile { path throws in
      let trunk = try number(path, at: 32)
      let used = try root(of: "t", in: path)
      try overwrite(path, offset: UInt64((trunk - 1) * 4096 + 8), with: bytes(of: used))
      #expect(try check(path)?.code == .corrupt)
      #expect(try check(path)?.message == "the pointer map is wrong about page \(used)")
    }
  }

  @Test func `a free page that is listed twice is found`() throws {
    try withFile { path throws in
      let trunk = try number(path, at: 32)
      let first = try number(path, at: (trunk - 1) * 4096 + 8)
      try overwrite(path, offset: UInt64((trunk - 1) * 4096 + 12), with: bytes(of: first))
      #expect(try check(path)?.message == "page \(first) is used twice")
    }
  }

  @Test(arguments: [(36, 3), (32, 0)])
  func `a wrong count or a lost list of free pages is found`(offset: Int, value: Int) throws {
    try withFile { path throws in
      try overwrite(path, offset: UInt64(offset), with: bytes(of: value))
      #expect(try check(path)?.code == .corrupt)
    }
  }

  @Test(arguments: [2, 9])
  func `a page in use that the pointer map calls free or of no kind is found`(kind: UInt8) throws {
    try withFile { path throws in
      // The pointer map starts on page 2: its entries are those of page 3 and after.
      let page = try root(of: "sqlite_autoindex_part_1", in: path)
      try overwrite(path, offset: UInt64(4096 + 5 * (page - 3)), with: [kind])
      #expect(try check(path)?.code == .corrupt)
    }
  }

  @Test func `a page of an index that was cleared is found`() throws {
    try withFile { path throws in
      let root = try root(of: "sqlite_autoindex_part_1", in: path)
      let child = try number(path, at: (root - 1) * 4096 + 8)
      for page in [root, child] {
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        try overwrite(
          path,
          offset: UInt64((page - 1) * 4096),
          with: [UInt8](repeating: 0, count: 4096)
        )
        #expect(try check(path)?.message == "page \(page) is no page of a table or index")
        try before.write(to: URL(fileURLWithPath: path))
      }
    }
  }

  @Test(arguments: [(1, 0x0F), (5, 0x0F), (7, 9)])
  func `free space that a page states wrongly is found where rows are added`(
    offset: Int,
    value: UInt8
  ) throws {
    try withFile { path throws in
      let root = try root(of: "t", in: path)
      var leaf = root
      while try Data(contentsOf: URL(fileURLWithPath: path))[(leaf - 1) * 4096] == 5 {
        leaf = try number(path, at: (leaf - 1) * 4096 + 8)
      }
      try overwrite(path, offset: UInt64((leaf - 1) * 4096 + offset), with: [value])
      #expect(try check(path)?.code == .corrupt)
    }
  }

  @Test func `the pages are those of the last commit, also where they are in the WAL only`() throws
  {
    try withFile { path throws in
      let writer = try Connection(path: path, mode: .readWrite)
      try writer.configureWriter(newFile: header)
      writer.checkpointsOnClose = .never
      try writer.transaction { try writer.run("DELETE FROM part") }
      #expect(try sqliteError { try writer.checkStructure(wholeUpTo: 0) } == nil)
      // The list in the database itself is not the current one.
      try overwrite(path, offset: 32, with: [0, 0, 0, 0])
      #expect(try sqliteError { try writer.checkStructure(wholeUpTo: 0) } == nil)
    }
  }

  @Test func `a small file is checked whole`() throws {
    try withTemporaryDirectory { directory throws in
      let path = directory.appendingPathComponent("test.db").path
      let connection = try makeWriter(at: path)
      for number in Int64(0)..<50 {
        try connection.run(
          "INSERT INTO t VALUES (?, ?)",
          [.integer(number), .blob([UInt8](repeating: 1, count: 9_000))]
        )
      }
      try connection.close()
      #expect(try check(path) == nil)
      // A page that a long value continues on, in the middle of the file.
      let page = 60
      try overwrite(path, offset: UInt64((page - 1) * 4096), with: [0, 0, 0, 3])
      let damaged = try Connection(path: path, mode: .readWrite)
      #expect(try sqliteError { try damaged.checkStructure() }?.code == .corrupt)
    }
  }
}
