import Foundation
import StrataBase
import StrataJournal
import StrataRecords
import StrataSchema
import Testing

@Suite struct MigrationTraceTests {
  private func trace(
    bytes: [UInt8]? = nil,
    _ name: String,
    place: String = ""
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
        bytes: 1
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
      .up(3), .up(3, MigrationTraceTests.change), .down(12, .init()),
      .down(12, MigrationTraceTests.change), .revert(to: 7, .init()),
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

  @Test func `a trace is a byte, its numbers, and what it has changed in the catalog`() throws {
    #expect(try MigrationTrace.up(3).bytes == [1, 3])
    #expect(try MigrationTrace.down(200, .init()).bytes == [5, 200, 1, 0, 0, 0])
    #expect(try MigrationTrace.revert(to: 7, .init()).bytes == [6, 7, 0, 0, 0])
  }

  @Test(arguments: [[], [0], [2, 12], [4, 7], [8, 1], Array("strata.migration up 3".utf8)])
  func `bytes of something else are no trace, whatever the name`(_ bytes: [UInt8]) {
    #expect(trace(bytes: bytes, "migration 0001_a") == nil)
  }

  @Test(
    arguments: [
      "", "migration 0003_split", "migration 0003_split taken back", "revert without types to 17",
    ]
  )
  func `a delta without a trace is a commit of the program, whatever its name`(_ name: String) {
    #expect(trace(name) == nil)
    #expect(trace(name, place: "App/Sync.swift:12 sync()") == nil)
  }
}
