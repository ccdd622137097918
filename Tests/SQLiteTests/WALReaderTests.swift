import Foundation
import StrataSQLite
import TestSupport
import Testing

/// The frames of a WAL that count: those up to its last commit, as SQLite takes them.
struct WALReaderTests {
  private func withWAL(_ body: (_ path: String, _ wal: [UInt8]) throws -> Void) throws {
    try withTemporaryDirectory { directory throws in
      let path = directory.appendingPathComponent("test.db").path
      let connection = try makeWriter(at: path)
      connection.checkpointsOnClose = .never
      for number in Int64(1)...20 {
        try connection.run(
          "INSERT INTO t VALUES (?, ?)",
          [.integer(number), .blob([UInt8](repeating: 1, count: 3_000))]
        )
      }
      let pages = try connection.pageCount()
      try connection.close()
      let wal = Array(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
      let contents = try #require(read(wal))
      #expect(Int(contents.pages) == pages)
      try body(path, wal)
    }
  }

  private func read(_ wal: [UInt8]) -> WALReader.Contents? {
    WALReader.contents { count, offset in
      Array(wal.dropFirst(Int(offset)).prefix(count))
    }
  }

  /// The keys that SQLite reads with another WAL beside the same database.
  private func keysOfSQLite(_ path: String, with wal: [UInt8]) throws -> [Int64] {
    try withTemporaryDirectory { directory throws in
      let copy = directory.appendingPathComponent("copy.db").path
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      try Data(wal).write(to: URL(fileURLWithPath: copy + "-wal"))
      let connection = try Connection(path: copy, mode: .readWrite)
      let hasTable = try connection.first("SELECT 1 FROM sqlite_schema WHERE name = 't'") {
        try $0.int(0)
      }
      return hasTable == nil ? [] : try keys(connection)
    }
  }

  /// The keys in the database with the frames of a WAL written into it.
  private func keysOfFrames(_ path: String, with wal: [UInt8]) throws -> [Int64] {
    try withTemporaryDirectory { directory throws in
      let copy = directory.appendingPathComponent("copy.db").path
      var database = try Data(contentsOf: URL(fileURLWithPath: path))
      if let contents = read(wal) {
        let size = Int(contents.pages) * contents.pageSize
        database.append(Data(count: max(0, size - database.count)))
        for frame in contents.frames where frame.page <= contents.pages {
          let start = (Int(frame.page) - 1) * contents.pageSize
          let offset = Int(frame.offset)
          database.replaceSubrange(
            start..<start + contents.pageSize,
            with: wal[offset..<offset + contents.pageSize]
          )
        }
        database = database.prefix(size)
      }
      try database.write(to: URL(fileURLWithPath: copy))
      let connection = try Connection(path: copy, mode: .immutable)
      let hasTable = try connection.first("SELECT 1 FROM sqlite_schema WHERE name = 't'") {
        try $0.int(0)
      }
      return hasTable == nil ? [] : try keys(connection)
    }
  }

  @Test func `its frames written into the database are what SQLite reads`() throws {
    try withWAL { path, wal throws in
      #expect(try keysOfFrames(path, with: wal) == Array(1...20))
      #expect(try keysOfSQLite(path, with: wal) == Array(1...20))
    }
  }

  @Test func `a WAL that is cut or changed anywhere is read as SQLite reads it`() throws {
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    try withWAL { path, wal throws in
      var counts: Set<Int> = []
      for round in 0..<30 {
        var changed = wal
        if round % 2 == 0 {
          changed.removeLast(Int.random(in: 1...wal.count, using: &random))
        } else {
          changed[Int.random(in: wal.indices, using: &random)] ^= 1
        }
        let found = try keysOfFrames(path, with: changed)
        #expect(try keysOfSQLite(path, with: changed) == found, "seed \(seed), round \(round)")
        counts.insert(found.count)
      }
      #expect(counts.count > 3, "seed \(seed)")
    }
  }

  @Test func `nothing is read after the first frame that is not valid`() throws {
    try withWAL { _, wal throws in
      var last: Int64 = 0
      let contents = WALReader.contents { count, offset in
        last = max(last, offset + Int64(count))
        let bytes = Array(wal.dropFirst(Int(offset)).prefix(count))
        // The rest of a file of any size is a hole.
        return bytes + [UInt8](repeating: 0, count: count - bytes.count)
      }
      #expect(contents == read(wal))
      #expect(last <= Int64(wal.count + 4_096 + 24))
    }
  }

  @Test(arguments: [0, 31, 32, 4_000])
  func `a WAL without a commit is none`(count: Int) throws {
    try withWAL { _, wal throws in #expect(read(Array(wal.prefix(count))) == nil) }
    #expect(read([UInt8](repeating: 0, count: count)) == nil)
    #expect(read([UInt8](repeating: 0xFF, count: count)) == nil)
  }
}
