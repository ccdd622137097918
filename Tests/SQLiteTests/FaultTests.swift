import Foundation
import StrataSQLite
import TestSupport
import Testing

@Suite struct FaultTests {
  @Test func `a failing sync surfaces as the error of the commit`() throws {
    try withFaults("sync-at-commit") { vfs, connection in
      try connection.execute("PRAGMA synchronous=FULL")
      vfs.failNext(.sync, in: .wal, code: .ioerrFsync)
      let error = try sqliteError {
        try connection.transaction { try connection.run("INSERT INTO t VALUES (1, NULL)") }
      }
      #expect(error?.code == .ioerrFsync)
      #expect(error?.code.primary == .ioerr)
      #expect(error?.operation == .commit)
      #expect(!connection.isInTransaction)
    }
  }

  @Test func `a failing barrier surfaces as an error of the sync`() throws {
    try withFaults("sync-at-barrier") { vfs, connection in
      try connection.run("INSERT INTO t VALUES (1, NULL)")
      vfs.failNext(.sync, code: .ioerrFsync)
      let error = try sqliteError { try connection.syncWAL() }
      #expect(error?.code == .ioerrFsync)
      #expect(error?.operation == .sync)
      #expect(error?.path == connection.path)
      try connection.syncWAL()
    }
  }

  @Test func `a disk that is full leaves the transaction rolled back until it is healed`() throws {
    try withFaults("disk-full") { vfs, connection in
      vfs.failNext(.write, in: .wal, code: .full, after: 1, times: .sticky)
      for _ in 0..<2 {
        let error = try sqliteError {
          try connection.transaction {
            try connection.run("INSERT INTO t VALUES (1, zeroblob(100000))")
          }
        }
        #expect(error?.code == .full)
      }
      vfs.heal()
      #expect(try keys(connection) == [])
      try connection.run("INSERT INTO t VALUES (2, NULL)")
      #expect(try keys(connection) == [2])
    }
  }

  /// Where the file has four bytes of the only row.
  private func place(_ vfs: FaultVFS, fileOf connection: Connection) throws -> Int {
    try connection.run("INSERT INTO t VALUES (1, x'A1A2A3A4')")
    try connection.checkpoint(.truncate)
    let folder = URL(fileURLWithPath: connection.path).deletingLastPathComponent()
    return try withTemporaryDirectory { copy in
      try vfs.copyFiles(of: folder, into: copy)
      let name = URL(fileURLWithPath: connection.path).lastPathComponent
      let data = try Data(contentsOf: copy.appendingPathComponent(name))
      return try #require(data.range(of: Data([0xA1, 0xA2, 0xA3, 0xA4]))).lowerBound
    }
  }

  private func value(_ vfs: FaultVFS, fileOf connection: Connection) throws -> [UInt8]? {
    try Connection(path: connection.path, mode: .readOnly, vfs: vfs.name)
      .first("SELECT v FROM t") { Array(try $0.blob(0)) }
  }

  @Test func `a bit that changes is read from then on, and no lock is lost`() throws {
    try withFaults("changed-bit") { vfs, connection in
      let place = try place(vfs, fileOf: connection)
      #expect(vfs.rot(connection.path, at: place + 1, bit: 0))
      #expect(try value(vfs, fileOf: connection) == [0xA1, 0xA3, 0xA3, 0xA4])
      #expect(!vfs.rot(connection.path, at: vfs.size(of: connection.path), bit: 0))
      try connection.run("INSERT INTO t VALUES (2, NULL)")
      #expect(try keys(connection) == [1, 2])
    }
  }

  @Test func `a lost sector cannot be read until it is written again`() throws {
    try withFaults("lost-sector") { vfs, connection in
      let place = try place(vfs, fileOf: connection)
      vfs.loseSector(of: connection.path, at: place)
      #expect(try sqliteError { try value(vfs, fileOf: connection) }?.code == .ioerrRead)
      #expect(!vfs.isHealthy)
      try connection.run("UPDATE t SET v = x'B1B2'")
      try connection.checkpoint(.truncate)
      #expect(try value(vfs, fileOf: connection) == [0xB1, 0xB2])
      #expect(vfs.isHealthy)
    }
  }

  @Test func `a checkpoint that fails leaves every commit readable`() throws {
    try withFaults("checkpoint") { vfs, connection in
      try connection.run("INSERT INTO t VALUES (1, NULL)")
      vfs.failNext(.write, in: .database, code: .ioerrWrite)
      let error = try sqliteError { try connection.checkpoint(.truncate) }
      #expect(error?.code == .ioerrWrite)
      #expect(error?.operation == .checkpoint)
      #expect(try keys(connection) == [1])
      #expect(try connection.checkpoint(.truncate).isComplete)
    }
  }

  @Test func `a fault waits for its moment and strikes once`() throws {
    try withFaults("moments") { vfs, connection in
      vfs.failNext(.sync, in: .wal, code: .ioerrFsync, after: 2)
      var failed: [Int] = []
      for number in 0..<5 where try sqliteError({ try connection.syncWAL() }) != nil {
        failed.append(number)
      }
      #expect(failed == [2])
    }
  }

  private func withFaults(
    _ name: String,
    _ body: (FaultVFS, Connection) throws -> Void
  ) throws {
    let vfs = try FaultVFS(name: name)
    try withWriter(vfs: vfs.name) { connection in try body(vfs, connection) }
  }
}
