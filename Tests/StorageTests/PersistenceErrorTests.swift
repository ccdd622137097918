import Foundation
import Testing

@testable import StrataJournal

@Suite struct PersistenceErrorTests {
  @Test(arguments: [EACCES, EPERM])
  func `a reader that may not read is not asked for permission to write`(code: Int32) {
    let error = PersistenceError(
      .inspecting,
      path: "/app.strata",
      wrapping: SystemError("open", "/app.strata", code: code)
    )
    guard case .notReadable = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
    #expect(!error.description.contains("write"), "\(error)")
    #expect(error.description.hasPrefix("/app.strata: cannot read this path ("))
  }

  @Test(arguments: [EACCES, EPERM, EROFS])
  func `an opening that may not write says so`(code: Int32) {
    let error = PersistenceError(
      .opening,
      path: "/app.strata",
      wrapping: SystemError("open", "/app.strata", code: code)
    )
    guard case .notWritable = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
  }

  @Test func `an opening that fails does not speak of a state in memory`() {
    for reason in [PersistenceError.Reason.io("EIO"), .diskFull] {
      let error = PersistenceError(.opening, path: "/app.strata", reason)
      #expect(error.description.contains("The store is not open."))
      #expect(!error.description.contains("in memory"))
      let later = PersistenceError(.appending, path: "/app.strata", reason)
      #expect(later.description.contains("in memory"))
    }
  }

  @Test func `a call on a file that no program has open does not speak of a state in memory`() {
    let operations: [PersistenceError.Operation] = [
      .inspecting, .backingUp, .restoringBackup, .forking, .quarantining, .exporting, .migrating,
      .erasing, .bundling, .importing, .archiving, .snapshotting, .compacting,
    ]
    for operation in operations {
      for reason in [PersistenceError.Reason.io("EIO"), .diskFull] {
        let error = PersistenceError(operation, path: "/app.strata", reason)
        #expect(!error.description.contains("in memory"), "\(error)")
      }
    }
  }

  @Test(
    arguments: [
      (.alreadyOpen(by: "process 1"), .retry, "Close it there first"),
      (.busy("now"), .retry, "Try again."),
      (.diskFull, .freeSpace, "Free some space."),
      (.temporaryFile("EIO"), .freeSpace, "Free some space"),
      (.io("EIO"), .checkDisk, "Check the disk"),
      (.missing, .chooseAnother, "Check the path."),
      (.trimmed(1, oldest: 5), .chooseAnother, "Ask for a later one."),
      (.olderFormat(found: 2, known: 3), .useOlderBuild, "Export it with the version of Strata"),
      (.newerFormat(found: 9, known: 2), .useNewerBuild, "Use a newer version"),
      (.needsFeature("folding"), .useNewerBuild, "Use a newer version"),
      (.tablesGone(["notes": 1], new: ["memos"]), .migrate, ".rename("),
      (.damaged("a chunk"), .restore, "Restore a backup"),
      (.ruleBroken("titles"), .repair, "repair them"),
      (.closed, .reopen, "open the store again"),
      (.reservedName("value:a"), .fixProgram, "Use another name"),
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

  @Test func `a detail that ends with a full stop is not followed by another one`() {
    let reason = PersistenceError.Reason.undecodable(
      table: "users",
      id: "1",
      detail: "It is not exactly that."
    )
    let error = PersistenceError(.opening, path: "/app.strata", reason)
    #expect(error.description.contains("not exactly that. If a field is new"))
  }

  @Test func `a revision is read from text, and negative numbers are none`() {
    #expect(Revision("42") == 42)
    #expect(Revision("0") == 0)
    #expect(Revision("-1") == nil)
    #expect(Revision("HEAD") == nil)
    #expect(Revision("") == nil)
  }
}
