import Foundation
import Strata
import StrataMigrations

/// A step that changes every user, with the backup before and the snapshot after it: by a script, compared with the
/// same statement on a table of SQLite, and by a closure.
struct MigrationBenchmark: Benchmark {
  let count: Int
  /// How many users the closure changes.
  let closureCount: Int
  let strata: String?

  let name = "migration"

  private static let script = "UPDATE users SET age = age + 1"

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let path = folder.file("ours.strata")
    try await PersistedStore.open(path, Users.make(count)).persistence.close()
    let peer = try SQLiteRowsPeer(Users.makePlain(count), folder.file("rows.sqlite"))
    var memory = Pairs()
    if let strata {
      let steps = folder.file("Migrations")
      try FileManager.default.createDirectory(atPath: steps, withIntermediateDirectories: true)
      try Data(Self.script.utf8).write(to: URL(fileURLWithPath: steps + "/0001_age.sql"))
      let copy = folder.file("copy.strata")
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      let run = try CommandRun.measure([strata, "migrate", "up", copy, "--dir", steps])
      let idle = try CommandRun.measure([strata, "--version"])
      memory.add(ours: run.peakBytes, peer: idle.peakBytes)
    }
    var migrations: [DataMigration] = []
    let pairs = try await plan.fewRounds.alternate(
      ours: {
        migrations.append(try DataMigration("\(migrations.count + 1)_age", sql: Self.script))
        let list = migrations
        return try await nanoseconds(per: 1) { try await DataMigrator(list, at: path).up() }
      },
      peer: { try nanoseconds(per: 1) { try peer.updateAll() } }
    )
    var lines = [
      Line(
        id: "stored.migration",
        section: .stored,
        work: "UPDATE of \(grouped(count)) users by a script, backup and snapshot included",
        peer: "the same UPDATE in SQLite, without a backup",
        comparison: .cost,
        limit: 6e9,
        pairs: pairs
      )
    ]
    if strata != nil {
      lines.append(
        Line(
          id: "stored.migration.memory",
          section: .stored,
          work: "the same by the command, the most memory",
          peer: "the start of the command",
          unit: .bytes,
          comparison: .cost,
          limit: 150e6,
          pairs: memory
        )
      )
    }
    return lines + (try await closure(folder))
  }

  private func closure(_ folder: Folder) async throws -> [Line] {
    let path = folder.file("closure.strata")
    try await PersistedStore.open(path, Users.make(closureCount)).persistence.close()
    let run = try ChildRun.measure(["--migrate", path])
    let idle = try ChildRun.measure(["--migrate", ""])
    func line(_ id: String, _ work: String, _ unit: Line.Unit, _ limit: Double?, _ pairs: Pairs)
      -> Line
    {
      Line(
        id: id,
        section: .stored,
        work: work,
        peer: "the same process, which does nothing",
        unit: unit,
        comparison: .cost,
        limit: limit,
        pairs: pairs
      )
    }
    var (time, memory) = (Pairs(), Pairs())
    time.add(ours: run.nanoseconds, peer: idle.nanoseconds)
    memory.add(ours: run.peakBytes - idle.peakBytes, peer: idle.peakBytes)
    let work = "\(grouped(closureCount)) users by a closure, backup and snapshot included"
    return [
      line("stored.migration.closure", work, .nanoseconds, nil, time),
      line(
        "stored.migration.closure.memory",
        "the same, the most memory above an idle process",
        .bytes,
        50e6,
        memory
      ),
    ]
  }

  /// What a process of its own does: one step on a store.
  static func migrate(_ path: String) async throws {
    let migration = DataMigration("0001_age", table: "users") { user in
      user["age"] = .integer((try user.value(Int.self, of: "age") ?? 0) + 1)
    }
    _ = try await DataMigrator([migration], at: path).up()
  }
}
