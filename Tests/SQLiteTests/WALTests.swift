import Foundation
import StrataSQLite
import TestSupport
import Testing

@Suite struct WALTests {
  @Test func `a truncating checkpoint empties the WAL`() throws {
    try withWriter { connection in
      try connection.run("INSERT INTO t VALUES (1, NULL)")
      let wal = connection.path + "-wal"
      #expect(try (size(wal) ?? 0) > 0)
      #expect(try connection.checkpoint(.truncate).isComplete)
      #expect(try size(wal) == 0)
      #expect(try keys(Connection(path: connection.path, mode: .immutable)) == [1])
    }
  }

  @Test func `a passive checkpoint stops at a reader's moment`() throws {
    try withWriter { writer in
      try writer.run("INSERT INTO t VALUES (1, NULL)")
      let reader = try Connection(path: writer.path, mode: .readOnly)
      try reader.readTransaction {
        #expect(try keys(reader) == [1])
        try writer.run("INSERT INTO t VALUES (2, NULL)")
        let result = try writer.checkpoint(.passive)
        #expect(result.checkpointedFrames < result.walFrames)
        #expect(!result.isComplete)
      }
      #expect(try writer.checkpoint(.passive).isComplete)
    }
  }

  @Test func `a checkpoint inside a transaction is an error`() throws {
    try withWriter { connection in
      try connection.transaction {
        try connection.run("INSERT INTO t VALUES (1, NULL)")
        let error = try sqliteError { try connection.checkpoint(.passive) }
        #expect(error?.code == .locked)
        #expect(error?.operation == .checkpoint)
      }
    }
  }

  @Test func `a checkpoint without a WAL has no frames`() throws {
    let connection = try Connection.inMemory()
    let result = try connection.checkpoint(.passive)
    #expect(
      result == Connection.CheckpointResult(walFrames: 0, checkpointedFrames: 0, isBusy: false)
    )
  }

  @Test func `syncing the WAL is one sync, also on a connection that has read nothing`() throws {
    try withTemporaryDirectory { directory in
      let vfs = try FaultVFS(name: "sync-count")
      let path = directory.appendingPathComponent("test.db").path
      let writer = try makeWriter(at: path, vfs: vfs.name)
      try writer.run("INSERT INTO t VALUES (1, NULL)")
      vfs.resetCounts()
      try writer.syncWAL()
      #expect(vfs.count(of: .sync) == 1)
      #expect(vfs.count(of: .sync, in: .wal) == 1)
      let other = try Connection(path: path, mode: .readWrite, vfs: vfs.name)
      try other.syncWAL()
      #expect(vfs.count(of: .sync, in: .wal) == 2)
    }
  }

  @Test func `syncing the WAL without one does nothing`() throws {
    try withTemporaryDirectory { directory in
      let vfs = try FaultVFS(name: "no-wal")
      let path = directory.appendingPathComponent("test.db").path
      let connection = try Connection(path: path, mode: .create, vfs: vfs.name)
      try connection.syncWAL()
      try connection.execute("CREATE TABLE t (k)")
      vfs.resetCounts()
      try connection.syncWAL()
      #expect(vfs.count(of: .sync) == 0)
    }
  }
}
