import Foundation
package import StrataJournal

extension PersistenceError.Reason {
  /// Each case of the core, with the exit code of `strata`.
  package static let all: [(reason: PersistenceError.Reason, exit: Int32)] = [
    (.missing, 3),
    (.missingDirectory("/nowhere"), 3),
    (.notFound("table userz"), 3),
    (.notReached(9, last: 8), 3),
    (.trimmed(1, oldest: 5), 3),
    (.merged(3...4), 3),
    (.beforeHistory(.distantPast), 3),
    (.notAFile("a directory"), 1),
    (.foreignCompanion("app.strata-journal"), 1),
    (.empty, 1),
    (.notADatabase, 1),
    (.foreign(applicationID: 7), 1),
    (.otherApplication(found: "a", expected: "b"), 1),
    (.movedOn(from: 1, to: 2), 1),
    (.alreadyOpen(by: "process 1"), 5),
    (.busy("now"), 5),
    (.truncated(expected: 2, found: 1), 4),
    (.damaged("everything"), 4),
    (.endMissing(last: 4, written: 9), 4),
    (.newerFormat(found: 4, known: 3), 7),
    (.needsFeature("folding"), 7),
    (.olderFormat(found: 2, known: 3), 6),
    (.migration("another checksum"), 6),
    (.undecodable(table: "users", id: "1", detail: "no age"), 1),
    (.undecodable(table: "value:theme", id: "value", detail: "no age"), 1),
    (.sealed(table: "users"), 1),
    (.unopenable(table: "users", id: "1", detail: "another key"), 1),
    (.beforeMigration("0001_a", 3), 1),
    (.reservedName("value:a"), 1),
    (.ruleBroken("two users have one name"), 1),
    (
      .unlistedTables(database: "Database", properties: ["users"], lines: ["Entities(\\.users)"]), 1
    ),
    (.tablesGone(["notes": 1], new: ["memos"]), 1),
    (.readOnly, 1),
    (.previewing, 1),
    (.fileExists("copy.strata"), 1),
    (.nameTaken("daily", 7), 1),
    (.diskFull, 74),
    (.temporaryFile("EIO"), 74),
    (.io("EIO"), 74),
    (.notReadable("EACCES"), 74),
    (.notWritable("read-only"), 74),
    (.closed, 1),
    (.suspended, 1),
    (.notPersisted([]), 1),
  ]
}
