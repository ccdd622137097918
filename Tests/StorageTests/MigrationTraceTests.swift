import Foundation
import StrataBase
import StrataJournal
import StrataMigrations
import StrataRecords
import Testing

@Suite struct MigrationTraceTests {
  private func trace(
    bytes: [UInt8]? = nil,
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
        trace: bytes,
        name: name,
        place: place,
        entities: 1,
        blocks: 1,
        bytes: 1,
        context: context
      )
    )
  }

  private static let change = MigrationTrace.CatalogChange(
    removed: [
      row(1, script: "UPDATE notes SET text = 'ä';"), row(2, replaces: 1...2), row(300),
    ],
    added: [4, 5],
    declared: [
      "notes": [
        column("stars", .scalar(.int64)), column("tag", .scalar(.string), to: .table("tags")),
      ],
      "tags": [],
    ]
  )

  private static func column(
    _ name: String,
    _ kind: Layout.Kind,
    to references: ReferencedTables? = nil
  ) -> DeclaredColumn {
    DeclaredColumn(
      table: "notes",
      field: Layout.Field(name, kind, to: references),
      isRequired: references == nil,
      since: 900
    )
  }

  private static func row(
    _ number: Int,
    script: String? = nil,
    replaces: ClosedRange<Int>? = nil
  ) -> DataLedger.Entry {
    DataLedger.Entry(
      number: number,
      name: "000\(number)_row",
      checksum: Checksum(of: [UInt8(number % 256)]),
      applied: 1_700_000_000_000_000,
      duration: 17,
      form: "SQL",
      script: script,
      revision: 900,
      layout: 3,
      replaces: replaces
    )
  }

  @Test(
    arguments: [
      .up(3), .up(3, MigrationTraceTests.change), .down(12), .down(12, MigrationTraceTests.change),
      .stragglers(2, since: 40),
      .revert(to: 7),
      .revert(to: 7, MigrationTraceTests.change),
    ] as [MigrationTrace]
  )
  func `a delta of a run says by its trace what it is, whatever its name`(
    _ expected: MigrationTrace
  ) throws {
    let bytes = try expected.bytes
    #expect(trace(bytes: bytes, "migration 0009_other taken back") == expected)
    #expect(trace(bytes: bytes, "", place: "App.swift:1 f()") == expected)
    #expect(trace(bytes: bytes + [0], "migration 0009_other") == nil)
    for count in 0..<bytes.count {
      #expect(trace(bytes: Array(bytes.prefix(count)), "migration 0009_other") == nil)
    }
  }

  @Test func `a trace is a byte and its numbers`() throws {
    #expect(try MigrationTrace.up(3).bytes == [1, 3])
    #expect(try MigrationTrace.down(200).bytes == [2, 200, 1])
    #expect(try MigrationTrace.stragglers(2, since: 40).bytes == [3, 2, 40])
    #expect(try MigrationTrace.revert(to: 7).bytes == [4, 7])
  }

  @Test func `a delta of format 2 says it as a text`() {
    func trace(_ text: String) -> MigrationTrace? { self.trace(bytes: Array(text.utf8), "") }
    #expect(trace("strata.migration up 3") == .up(3))
    #expect(trace("strata.migration down 12") == .down(12))
    #expect(trace("strata.migration stragglers 2 40") == .stragglers(2, since: 40))
    #expect(trace("strata.migration revert 7") == .revert(to: 7))
  }

  @Test(
    arguments: [
      "", "strata.migration", "strata.migration up", "strata.migration up x",
      "strata.migration up 1 2", "strata.migration sideways 1", "another up 1",
    ]
  )
  func `bytes of something else are no trace, whatever the name`(_ text: String) {
    #expect(trace(bytes: Array(text.utf8), "migration 0001_a") == nil)
  }

  @Test func `deltas from before the traces are known by their names`() {
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
