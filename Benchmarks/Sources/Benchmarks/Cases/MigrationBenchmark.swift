import Strata

/// A script that changes every user, with the backup before and the snapshot after it, compared with the same
/// statement on a table of SQLite.
struct MigrationBenchmark: Benchmark {
  let count: Int

  let name = "migration"

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let path = folder.file("ours.strata")
    try await PersistedStore.open(path, Users.make(count)).persistence.close()
    let peer = try SQLiteRowsPeer(Users.makePlain(count), folder.file("rows.sqlite"))
    let script = "UPDATE users SET age = age + 1"
    var migrations: [DataMigration] = []
    let pairs = try await plan.fewRounds.alternate(
      ours: {
        migrations.append(try DataMigration("\(migrations.count + 1)_age", sql: script))
        let list = migrations
        return try await nanoseconds(per: 1) { try await DataMigrator(list, at: path).up() }
      },
      peer: { try nanoseconds(per: 1) { try peer.updateAll() } }
    )
    return [
      Line(
        id: "stored.migration",
        section: .stored,
        work: "UPDATE of \(grouped(count)) users by a script, backup and snapshot included",
        peer: "the same UPDATE in SQLite, without a backup",
        comparison: .cost,
        pairs: pairs
      )
    ]
  }
}
