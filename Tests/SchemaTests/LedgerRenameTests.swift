import StrataBase
import StrataSQLite
import StrataSchema
import Testing

/// The names that migrations gave tables and fields, as the ledger keeps them.
struct LedgerRenameTests {
  private let connection: Connection

  init() throws {
    connection = try Connection.inMemory()
    try MigrationLedger.create(on: connection)
  }

  private func append(
    _ number: Int,
    at revision: Int64,
    _ renames: [DataLedger.Rename]
  ) throws {
    try DataLedger.append(
      DataLedger.Entry(
        number: number,
        name: "\(number)",
        checksum: Checksum(of: [UInt8(number)]),
        applied: 0,
        duration: 0,
        form: "declaration",
        revision: revision,
        layout: 0,
        renames: renames
      ),
      on: connection
    )
  }

  private func table(_ former: String, _ name: String) -> DataLedger.Rename {
    .init(.init(table: former), to: .init(table: name))
  }

  @Test func `names may have any characters`() throws {
    let odd = ["a\tb", "a\nb", "a\r\nb", "\r", "\\", "\\t", "\\\\n\\", "", " ", "語.ß"]
    let renames = odd.flatMap { former in
      odd.map { name in
        DataLedger.Rename(
          .init(table: former, field: name),
          to: .init(table: name, field: former)
        )
      } + [table(former, former + "2")]
    }
    try append(1, at: 3, renames)
    #expect(try DataLedger.entries(on: connection).map(\.renames) == [renames])
    try append(2, at: 4, [])
    #expect(try DataLedger.entries(on: connection).last?.renames == [])
  }

  @Test func `what is taken back has its former name again, and a revert is one step`() throws {
    try append(1, at: 5, [table("people", "users"), table("tags", "labels")])
    let field = DataLedger.Rename(
      .init(table: "users", field: "mail"),
      to: .init(table: "users", field: "email")
    )
    try append(2, at: 7, [field])
    try append(3, at: 8, [table("users", "clients")])
    try DataLedger.end(3, at: 9, on: connection)
    try append(3, at: 10, [table("users", "clients"), table("labels", "users")])
    try DataLedger.revert(to: 2, at: 12, on: connection)
    try DataLedger.revert(to: 10, at: 14, on: connection)
    #expect(
      try DataLedger.tableRenames(on: connection) == [
        .init(revision: 5, names: ["people": "users", "tags": "labels"]),
        .init(revision: 8, names: ["users": "clients"]),
        .init(revision: 9, names: ["clients": "users"]),
        .init(revision: 10, names: ["users": "clients", "labels": "users"]),
        .init(revision: 12, names: ["clients": "people", "users": "tags"]),
        .init(revision: 14, names: ["people": "clients", "tags": "users"]),
      ]
    )
  }
}
