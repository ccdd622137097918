import StrataJournal
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
    #expect((journal >= policy.dueAt(rewriting: snapshot, sharing: 0)) == isDue)
  }

  @Test
  func `without deltas since the last one no snapshot is due, however small it is`() {
    let policy = SnapshotPolicy(minimumJournalBytes: 0)
    #expect(policy.dueAt(rewriting: 0, sharing: 0) == 1)
  }

  @Test
  func `what a snapshot shares weighs a sixteenth of what it writes`() {
    #expect(policy.dueAt(rewriting: 300, sharing: 1_600) == 400)
    #expect(policy.dueAt(rewriting: 0, sharing: 320) == 100)
  }

  @Test
  func `a store that only grew keeps its beginning`() {
    func trim(first: Int64, changes: Int64) -> SnapshotPolicy.Trim {
      let candidates = [(9, 0), (7, changes - 1), (first, changes)].map { revision, changes in
        SnapshotPolicy.Candidate(
          revision: Revision(revision),
          bytes: 500,
          entities: 70,
          journalBytes: 5_000,
          changes: changes
        )
      }
      return policy.trim(verified: candidates, named: [], slowestReader: nil)
    }
    #expect(trim(first: 0, changes: 70) == SnapshotPolicy.Trim())
    #expect(trim(first: 0, changes: 71) == SnapshotPolicy.Trim(snapshots: [0], deltasThrough: 7))
    // What was trimmed once is gone.
    #expect(trim(first: 1, changes: 70) == SnapshotPolicy.Trim(snapshots: [1], deltasThrough: 7))
  }

  @Test
  func `with one snapshot nothing is trimmed`() {
    let trim = policy.trim(verified: [candidate(9, 5_000)], named: [], slowestReader: nil)
    #expect(trim == SnapshotPolicy.Trim())
  }

  @Test
  func `without enough history after the older one nothing is trimmed`() {
    let trim = policy.trim(
      verified: [candidate(9, 0), candidate(5, 999), candidate(2, 999)],
      named: [],
      slowestReader: nil
    )
    #expect(trim == SnapshotPolicy.Trim())
  }

  @Test
  func `the newest snapshot with enough history behind it is the anchor`() {
    let trim = policy.trim(
      verified: [candidate(9, 0), candidate(7, 500), candidate(5, 1_000), candidate(2, 2_000)],
      named: [],
      slowestReader: nil
    )
    #expect(trim == SnapshotPolicy.Trim(snapshots: [2], deltasThrough: 5))
  }

  @Test
  func `even plenty of history never takes the second newest snapshot`() {
    let trim = policy.trim(
      verified: [candidate(9, 9_000), candidate(5, 9_000), candidate(2, 9_000)],
      named: [],
      slowestReader: nil
    )
    #expect(trim == SnapshotPolicy.Trim(snapshots: [2], deltasThrough: 5))
  }

  @Test
  func `a named snapshot stays`() {
    let trim = policy.trim(
      verified: [candidate(9, 0), candidate(5, 1_000), candidate(3, 2_000), candidate(2, 2_000)],
      named: [2],
      slowestReader: nil
    )
    #expect(trim == SnapshotPolicy.Trim(snapshots: [3], deltasThrough: 5))
  }

  @Test
  func `deltas a consumer has not read stay`() {
    let trim = policy.trim(
      verified: [candidate(9, 0), candidate(5, 1_000), candidate(2, 2_000)],
      named: [],
      slowestReader: 4
    )
    #expect(trim == SnapshotPolicy.Trim(snapshots: [], deltasThrough: 2))
  }

  /// One snapshot for every hundred revisions, a hundred seconds apart.
  private let hundreds = (1...9).reversed().map { (hundred: Int64) in
    SnapshotPolicy.Candidate(
      revision: Revision(hundred * 100),
      age: (9 - hundred) * 100_000_000,
      bytes: 1,
      journalBytes: (9 - hundred) * 100
    )
  }

  @Test(arguments: [(0, 800), (100, 800), (101, 700), (450, 400), (801, 0)] as [(Int64, Int64)])
  func `the last so many revisions stay`(revisions: Int64, deltasThrough: Int64) {
    let policy = SnapshotPolicy(minimumHistoryBytes: 1, minimumHistoryRevisions: revisions)
    let trim = policy.trim(verified: hundreds, named: [], slowestReader: nil)
    #expect(trim.deltasThrough == Revision(deltasThrough))
  }

  @Test(arguments: [(0, 800), (100, 800), (101, 700), (500, 400), (10_000, 0)] as [(Int64, Int64)])
  func `every moment of the last so long stays`(seconds: Int64, deltasThrough: Int64) {
    let policy = SnapshotPolicy(minimumHistoryBytes: 1, minimumHistoryAge: .seconds(seconds))
    let trim = policy.trim(verified: hundreds, named: [], slowestReader: nil)
    #expect(trim.deltasThrough == Revision(deltasThrough))
  }

  @Test
  func `the minimum that wants most decides`() {
    let policy = SnapshotPolicy(
      minimumHistoryBytes: 250,
      minimumHistoryRevisions: 420,
      minimumHistoryAge: .seconds(1)
    )
    let trim = policy.trim(verified: hundreds, named: [], slowestReader: nil)
    #expect(trim.deltasThrough == 400)
  }

  @Test
  func `an age beyond all time keeps everything`() {
    let policy = SnapshotPolicy(minimumHistoryBytes: 1, minimumHistoryAge: .seconds(Int64.max))
    let trim = policy.trim(verified: hundreds, named: [], slowestReader: nil)
    #expect(trim == SnapshotPolicy.Trim())
  }

  @Test
  func `all history stays where it is to`() {
    let policy = SnapshotPolicy(minimumHistoryBytes: 1, keepsAllHistory: true)
    let trim = policy.trim(verified: hundreds, named: [], slowestReader: nil)
    #expect(trim == SnapshotPolicy.Trim())
  }
}
