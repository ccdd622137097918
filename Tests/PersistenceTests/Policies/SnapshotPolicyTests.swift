import StrataPersistence
import Testing

struct SnapshotPolicyTests {
  private let policy = SnapshotPolicy(
    minimumJournalBytes: 100,
    minimumHistoryBytes: 1_000,
    keep: 2
  )

  private func candidate(_ revision: Int64, _ journalBytes: Int64) -> SnapshotPolicy.Candidate {
    SnapshotPolicy.Candidate(
      revision: Revision(revision),
      bytes: 500,
      journalBytes: journalBytes
    )
  }

  @Test(arguments: [(99, 0, false), (100, 0, true), (400, 500, false), (500, 500, true)])
  func `a snapshot is due when the journal outweighs it and the minimum`(
    journal: Int64,
    snapshot: Int64,
    isDue: Bool
  ) {
    #expect(policy.isDue(journalBytes: journal, lastSnapshotBytes: snapshot) == isDue)
  }

  @Test
  func `with one snapshot nothing is trimmed`() {
    let trim = policy.trim(verified: [candidate(9, 5_000)], named: [], slowestConsumer: nil)
    #expect(trim == SnapshotPolicy.Trim())
  }

  @Test
  func `without enough history after the older one nothing is trimmed`() {
    let trim = policy.trim(
      verified: [candidate(9, 0), candidate(5, 999), candidate(2, 999)],
      named: [],
      slowestConsumer: nil
    )
    #expect(trim == SnapshotPolicy.Trim())
  }

  @Test
  func `the newest snapshot with enough history behind it is the anchor`() {
    let trim = policy.trim(
      verified: [candidate(9, 0), candidate(7, 500), candidate(5, 1_000), candidate(2, 2_000)],
      named: [],
      slowestConsumer: nil
    )
    #expect(trim == SnapshotPolicy.Trim(snapshots: [2], deltasThrough: 5))
  }

  @Test
  func `even plenty of history never takes the second newest snapshot`() {
    let trim = policy.trim(
      verified: [candidate(9, 9_000), candidate(5, 9_000), candidate(2, 9_000)],
      named: [],
      slowestConsumer: nil
    )
    #expect(trim == SnapshotPolicy.Trim(snapshots: [2], deltasThrough: 5))
  }

  @Test
  func `a named snapshot stays`() {
    let trim = policy.trim(
      verified: [candidate(9, 0), candidate(5, 1_000), candidate(3, 2_000), candidate(2, 2_000)],
      named: [2],
      slowestConsumer: nil
    )
    #expect(trim == SnapshotPolicy.Trim(snapshots: [3], deltasThrough: 5))
  }

  @Test
  func `deltas a consumer has not read stay`() {
    let trim = policy.trim(
      verified: [candidate(9, 0), candidate(5, 1_000), candidate(2, 2_000)],
      named: [],
      slowestConsumer: 4
    )
    #expect(trim == SnapshotPolicy.Trim(snapshots: [], deltasThrough: 2))
  }
}
