import Strata
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A snapshot that was verified when it was taken and was damaged later.
struct BrokenSnapshotTests {
  private static let damageNewest = SnapshotDamage.clearing(ownChunksOf: SnapshotDamage.newest)

  private func expectRestored(
    _ damaged: DamagedStore,
    _ revision: Revision,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let again = try await damaged.open(.strict)
    #expect(
      again.initialState.db == damaged.model(at: revision),
      sourceLocation: sourceLocation
    )
    #expect(again.report.notes == [], sourceLocation: sourceLocation)
    try await again.close()
  }

  @Test
  func `one that was passed over is built on by no other`() async throws {
    let damaged = try await DamagedStore()
    try damaged.damage(Self.damageNewest)
    let persistence = try await damaged.open(.strict)
    #expect(persistence.report.snapshotRevision == 20)
    #expect(try await persistence.snapshot(named: "last") == 50)
    try await persistence.close()
    try await expectRestored(damaged, 50)
  }

  @Test
  func `history is never trimmed to one that was passed over`() async throws {
    let damaged = try await DamagedStore()
    let before = try await damaged.open(.strict)
    try await before.snapshot(named: "last")
    try await before.close()
    try damaged.damage(Self.damageNewest)
    let persistence = try await damaged.open(.strict)
    #expect(persistence.report.snapshotRevision == 40)
    #expect(try await persistence.compact().snapshot == 50)
    try await persistence.close()
    try await expectRestored(damaged, 50)
    #expect(try Inspector(path: damaged.path).verify().isSound)
  }

  @Test
  func `history is never trimmed to one that broke since the opening`() async throws {
    let damaged = try await DamagedStore()
    let persistence = try await damaged.open(.strict)
    try await persistence.snapshot(named: "last")
    try damaged.damage(Self.damageNewest)
    #expect(try await persistence.compact().snapshot == 50)
    try await persistence.close()
    try await expectRestored(damaged, 50)
    #expect(try Inspector(path: damaged.path).verify().isSound)
  }

  @Test
  func `a broken one goes with the history around it`() async throws {
    let damaged = try await DamagedStore()
    try damaged.damage(
      Self.damageNewest,
      "DELETE FROM snapshot_name"
    )
    let persistence = try await damaged.open(.strict)
    try await persistence.compact()
    try await persistence.close()
    #expect(try Inspector(path: damaged.path).info().snapshots.map(\.revision) == [50])
    try await expectRestored(damaged, 50)
  }
  @Test
  func `a snapshot after the end of the journal is restored`() async throws {
    let damaged = try await DamagedStore()
    let before = try await damaged.open(.strict)
    try await before.snapshot(named: "last")
    try await before.close()
    try damaged.damage("DELETE FROM delta WHERE revision > 30")
    for policy in [RestorePolicy.readOnly, .strict, .strict] {
      let persistence = try await damaged.open(policy)
      #expect(persistence.initialState.db == damaged.model(at: 50))
      #expect(persistence.report.revision == 50)
      #expect(persistence.report.notes == [])
      try await persistence.close()
    }
  }
}
