import Dispatch
import Foundation
import Strata
import StrataBase
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Callers that wait for the disk at the same time.
struct SharedSyncTests {
  /// An entity that is encoded only when the gate is open.
  private struct Slow: EntityType {
    typealias RawID = Int

    static let tableName: TableName = "slow"
    static let gate = DispatchSemaphore(value: 0)
    static let isAtGate = Lock(false)

    let id: EntityID<Slow>

    init(_ number: Int) { id = EntityID(number) }

    private enum CodingKeys: CodingKey { case id }

    func encode(to encoder: any Encoder) throws {
      // Once: a record that makes a layout is encoded twice.
      let isFirst = Self.isAtGate.withLock { isAtGate in
        defer { isAtGate = true }
        return !isAtGate
      }
      if isFirst { Self.gate.wait() }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
    }
  }

  private struct SlowDatabase: DatabaseType {
    var slow = EntityTable<Slow>()

    static let schema = DatabaseSchema<SlowDatabase> { Entities(\.slow) }
  }

  private struct SlowState: StateType { var db = SlowDatabase() }

  @Test func `callers that come while a group is written share its sync`() async throws {
    let directory = try TemporaryDirectory()
    let vfs = try FaultVFS(name: "shared-\(UUID().uuidString)")
    var configuration = PersistenceConfiguration(durability: .onFlush)
    configuration.vfs = vfs.name
    let persistence = try await Persistence.open(
      at: directory.path("slow.strata"),
      initialState: SlowState(),
      database: \.db,
      configuration: configuration
    )
    let store = Store<SlowState, Never>(persistence)
    try await persistence.flush()
    vfs.resetCounts()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0...20 {
        group.addTask { try await store.commitDurably { $0.db.slow.insert(Slow(number)) } }
        // The writer takes the first caller alone, and waits at the gate.
        while !Slow.isAtGate.withLock({ $0 }) { await Task.yield() }
      }
      while persistence.writer.waitingCallers < 20 { await Task.yield() }
      Slow.gate.signal()
      try await group.waitForAll()
    }
    #expect(persistence.durableRevision == 21)
    #expect(vfs.count(of: .sync, in: .wal) == 1)
    try await persistence.close()
  }
}
