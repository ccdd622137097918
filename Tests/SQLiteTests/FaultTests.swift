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
