import StrataArchiving
import StrataJournal
import StrataMigrating
import Testing

/// An error of a product inside one of the core.
struct FeatureErrorTests {
  @Test(
    arguments: [
      (.archive(ArchiveError(.away("timeout"), archive: "a")), .retry, "Check the network"),
      (.dataMigration(.notEnoughSpace(needed: 2, free: 1)), .freeSpace, "Free some space"),
      (
        .archive(ArchiveError(.olderFormat(found: 2, known: 3), archive: "a")), .useOlderBuild,
        "Pull it with the version of Strata"
      ),
      (
        .archive(ArchiveError(.newerFormat(found: 9, known: 2), archive: "a")), .useNewerBuild,
        "Update this program."
      ),
      (
        .archive(ArchiveError(.notLeading(by: "b", because: ""), archive: "a")), .reopen,
        "open it again"
      ),
      (
        .archive(ArchiveError(.notLeading(by: nil, because: ""), archive: "a")), .retry,
        "can be reached"
      ),
      (.dataMigration(.pending(["0001_a"])), .migrate, "Run them with `up`"),
      (.dataMigration(.refused([:])), .fixProgram, "If this is intended, add"),
    ] as [(PersistenceError.Reason, PersistenceError.Remedy, String)]
  )
  func `the remedy that a program reads is the one that the text names`(
    reason: PersistenceError.Reason,
    remedy: PersistenceError.Remedy,
    words: String
  ) {
    let error = PersistenceError(.opening, path: "/app.strata", reason)
    #expect(error.remedy == remedy)
    let advice = PersistenceError(.appending, path: "/app.strata", reason).description
    #expect(advice.contains(words), "\(advice)")
  }

  @Test func `it is equal to one of the same type and value, and is read as its type`() {
    let empty = ArchiveError(.empty, archive: "a")
    let reasons: [PersistenceError.Reason] = [
      .archive(empty), .archive(ArchiveError(.empty, archive: "b")), .dataMigration(.pending([])),
      .dataMigration(.pending(["0001_a"])),
    ]
    for (index, reason) in reasons.enumerated() {
      for (other, another) in reasons.enumerated() {
        #expect((reason == another) == (index == other))
      }
    }
    let errors = reasons.map { PersistenceError(.opening, path: "/app.strata", $0) }
    #expect(errors[0].archive == empty && errors[0].dataMigration == nil)
    #expect(errors[3].dataMigration == .pending(["0001_a"]) && errors[3].archive == nil)
    #expect(PersistenceError(.opening, path: "/app.strata", wrapping: empty) == errors[0])
    #expect(PersistenceError(.opening, path: "/app.strata", .closed).archive == nil)
  }
}
