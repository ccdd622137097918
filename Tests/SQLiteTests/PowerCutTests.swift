import Foundation
import StrataSQLite
import TestSupport
import Testing

@Suite struct PowerCutTests {
  /// Rows 1...synced are synced, those up to `written` are not.
  private static let synced: Int64 = 12
  private static let written: Int64 = 30

  @Test func `what was synced is there after any power cut, and the rest is a run of it`() throws {
    let vfs = try FaultVFS(name: "power-cut")
    var lengths: Set<Int64> = []
    try withWriter(vfs: vfs.name) { writer in
      for key in 1...Self.synced { try insert(key, into: writer) }
      try writer.syncWAL()
      for key in Self.synced + 1...Self.written { try insert(key, into: writer) }
      for seed in 0..<200 as Range<UInt64> {
        let found = try keysAfterPowerCut(vfs, seed: seed, fileOf: writer)
        lengths.insert(Int64(found.count))
        #expect(found.count >= Self.synced, "seed \(seed)")
        #expect(found == (1...Self.written).prefix(found.count).map { $0 }, "seed \(seed)")
      }
    }
    // The cuts covered all cases: some lost all rows that were not synced, some lost a part, some none.
    #expect(lengths.contains(Self.synced))
    #expect(lengths.contains(Self.written))
    #expect(lengths.count > 3)
  }

  @Test func `a power cut after a checkpoint loses nothing of it`() throws {
    let vfs = try FaultVFS(name: "power-cut-checkpoint")
    try withWriter(vfs: vfs.name) { writer in
      for key in 1...Self.synced { try insert(key, into: writer) }
      #expect(try writer.checkpoint(.passive).isComplete)
      // From here on, the WAL is written from its start again.
      for key in Self.synced + 1...Self.written { try insert(key, into: writer) }
      for seed in 0..<200 as Range<UInt64> {
        let found = try keysAfterPowerCut(vfs, seed: seed, fileOf: writer)
        #expect(found.count >= Self.synced, "seed \(seed)")
        #expect(found == (1...Self.written).prefix(found.count).map { $0 }, "seed \(seed)")
      }
    }
  }

  @Test func `a sync that failed promises nothing`() throws {
    let vfs = try FaultVFS(name: "power-cut-fsync")
    try withWriter(vfs: vfs.name) { writer in
      try writer.checkpoint(.truncate)
      for key in 1...Self.synced { try insert(key, into: writer) }
      vfs.failNext(.sync, in: .wal, code: .ioerrFsync)
      #expect(try sqliteError { try writer.syncWAL() } != nil)
      let shortest = try (0..<20 as Range<UInt64>).map { seed in
        try keysAfterPowerCut(vfs, seed: seed, fileOf: writer).count
      }.min()
      #expect(shortest == 0)
    }
  }

  @Test func `after a sync that failed another promises nothing, and a rewritten WAL all`() throws {
    let vfs = try FaultVFS(name: "power-cut-rewrite")
    try withWriter(vfs: vfs.name) { writer in
      try writer.checkpoint(.truncate)
      for key in 1...Self.synced { try insert(key, into: writer) }
      // More than `rewriteWAL` writes at once.
      try writer.run("INSERT INTO t VALUES (0, randomblob(300000))")
      vfs.failNext(.sync, in: .wal, code: .ioerrFsync)
      #expect(try sqliteError { try writer.syncWAL() } != nil)
      try writer.syncWAL()
      #expect(try keysAfterPowerCut(vfs, seed: 1, fileOf: writer).isEmpty)
      try writer.rewriteWAL()
      for seed in 0..<20 as Range<UInt64> {
        let found = try keysAfterPowerCut(vfs, seed: seed, fileOf: writer)
        #expect(found.count == Self.synced + 1, "seed \(seed)")
      }
    }
  }

  @Test func `the same seed makes the same files`() throws {
    let vfs = try FaultVFS(name: "power-cut-seed")
    try withWriter(vfs: vfs.name) { writer in
      for key in 1...Self.synced { try insert(key, into: writer) }
      func wal(seed: UInt64) throws -> Data {
        try withTemporaryDirectory { directory in
          try vfs.cutPower(seed: seed, into: directory)
          return try Data(contentsOf: directory.appendingPathComponent("test.db-wal"))
        }
      }
      #expect(try wal(seed: 7) == wal(seed: 7))
      #expect(try Set((0..<10).map { try wal(seed: $0) }).count > 1)
    }
  }

  private func insert(_ key: Int64, into writer: Connection) throws {
    try writer.run("INSERT INTO t VALUES (?, zeroblob(200))", .integer(key))
  }

  private func keysAfterPowerCut(
    _ vfs: FaultVFS,
    seed: UInt64,
    fileOf writer: Connection
  ) throws -> [Int64] {
    try withTemporaryDirectory { directory in
      try vfs.cutPower(seed: seed, into: directory)
      let name = URL(fileURLWithPath: writer.path).lastPathComponent
      let path = directory.appendingPathComponent(name).path
      let survivor = try Connection(path: path, mode: .readWrite)
      survivor.checkpointsOnClose = .never
      #expect(try survivor.integrityCheck() == [], "seed \(seed)")
      return try keys(survivor)
    }
  }
}
