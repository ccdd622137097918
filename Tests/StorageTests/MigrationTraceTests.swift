import Foundation
import StrataJournal
import StrataMigrating
import Testing

@Suite struct MigrationTraceTests {
  private func trace(
    key: String? = nil,
    _ name: String,
    place: String = "",
    context: [UInt8]? = nil
  ) -> MigrationTrace? {
    MigrationTrace(
      of: DeltaHeader(
        revision: 5,
        first: 5,
        epoch: 1,
        time: 0,
        origin: 1,
        key: key.map { Array($0.utf8) },
        name: name,
        place: place,
        entities: 1,
        blocks: 1,
        bytes: 1,
        context: context
      )
    )
  }

  @Test(
    arguments: [.up(3), .down(12), .stragglers(2, since: 40), .revert(to: 7)] as [MigrationTrace]
  )
  func `a delta of a run says by its key what it is, whatever its name`(
    _ expected: MigrationTrace
  ) {
    let key = String(decoding: expected.key, as: UTF8.self)
    #expect(trace(key: key, "migration 0009_other taken back") == expected)
    #expect(trace(key: key, "", place: "App.swift:1 f()") == expected)
  }

  @Test(
    arguments: [
      "", "strata.migration", "strata.migration up", "strata.migration up x",
      "strata.migration up 1 2", "strata.migration sideways 1", "another up 1",
    ]
  )
  func `a key of something else is no trace, whatever the name`(_ key: String) {
    #expect(trace(key: key, "migration 0001_a") == nil)
  }

  @Test func `deltas from before the keys are known by their names`() {
    #expect(trace("migration 0003_split") == .up(3))
    #expect(trace("migration 0003_split taken back") == .down(3))
    #expect(
      trace("migration 0003_split, on records of an older build") == .stragglers(3, since: 0)
    )
    #expect(trace("revert without types to 17") == .revert(to: 17))
  }

  @Test(
    arguments: [
      "", "draft taken back", "migration", "migration of users", "migration to 0003_split",
      "revert without types to", "revert without types to x", "on records of an older build",
    ]
  )
  func `other names are commits of the program`(_ name: String) {
    #expect(trace(name) == nil)
  }

  @Test func `a commit with a place or a context is of the program, whatever its name`() {
    #expect(trace("migration 0003_split", place: "App/Sync.swift:12 sync()") == nil)
    #expect(trace("revert without types to 17", context: [1]) == nil)
  }
}
