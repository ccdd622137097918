import Foundation
import Strata
import StrataCLI
import Testing

@Suite struct ExitStatusTests {
  @Test(
    arguments: [
      (PersistenceError.Reason.missing, 3),
      (.missingDirectory("/nowhere"), 3),
      (.notFound("table userz"), 3),
      (.notAFile("a directory"), 1),
      (.empty, 1),
      (.notADatabase, 1),
      (.foreign(applicationID: 7), 1),
      (.undecodable(table: "users", id: "1", detail: ""), 1),
      (.closed, 1),
      (.suspended, 1),
      (.fileExists("copy.strata"), 1),
      (.movedOn(from: 1, to: 2), 1),
      (.notPersisted([]), 1),
      (.previewing, 1),
      (.notReached(9, last: 8), 3),
      (.trimmed(1, oldest: 5), 3),
      (.merged(3...4), 3),
      (.beforeHistory(.distantPast), 3),
      (.truncated(expected: 2, found: 1), 4),
      (.damaged("everything"), 4),
      (.endMissing(last: 4, written: 9), 4),
      (.alreadyOpen(by: "process 1"), 5),
      (.busy("now"), 5),
      (.migration("another checksum"), 6),
      (.olderFormat(found: 2, known: 3), 1),
      (.newerFormat(found: 4, known: 3), 7),
      (.otherApplication(found: "a", expected: "b"), 1),
      (.nameTaken("daily", 7), 1),
      (.stillPresent(table: "users", id: "1"), 1),
      (.stillReferenced(table: "users", id: "1", by: "2 of table notes", count: 1), 1),
      (.notRedactable(field: "users.id", detail: ""), 1),
      (.notWritable("read-only"), 74),
      (.diskFull, 74),
      (.io("EIO"), 74),
    ] as [(PersistenceError.Reason, Int32)]
  )
  func `every reason has its exit code`(reason: PersistenceError.Reason, code: Int32) {
    #expect(ExitStatus(reason).rawValue == code)
  }

  @Test func `the codes are those that are promised`() {
    #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 64, 74, 130])
  }
}
