import Foundation
import Strata
import StrataStorage
import Testing

/// Commands in, screens out.
@Suite struct QueryTests {
  @Test func `a table is aligned, whatever its texts are`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let sample = try await OpenSample(at: path)
    sample.store.commit { state in
      state.db.users.insert(User(id: 2, name: "林 Mei", tags: ["a"]))
      state.db.users.insert(User(id: 30, name: "👩🏽‍🚀 Zoë", email: "zoe@example.org"))
      state.db.users.insert(User(id: 400, name: "one\ntwo\u{1B}[31m", email: "x"))
    }
    try await sample.close()
    let program = try await Program.strata("query", path, "SELECT id, name, email FROM users")
    #expect(
      program
        == Program(
          status: 0,
          output: """
             id  name                email
              1  Initial Ida
              2  林 Mei
             30  👩🏽‍🚀 Zoë              zoe@example.org
            400  one\\ntwo\\u001b[31m  x

            4 rows at revision 1

            """,
          errors: ""
        )
    )
  }

  @Test func `a join with yesterday names what changed since`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let program = try await Program.strata(
      "query",
      path,
      "SELECT o.id, o.name FROM users_at(0) o LEFT JOIN users n USING (id) WHERE n.id IS NULL"
    )
    #expect(program.output == "id  name\n 1  Initial Ida\n\n1 row at revision 3\n")
    #expect(program.status == 0)
  }

  @Test func `--at reads the tables as they were`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    for (at, ids) in [
      ("0", "1"), ("1", "1,2,42"), ("HEAD", "2,42"), ("HEAD~3", "1"), ("@now", "2,42"),
    ] {
      let program = try await Program.strata(
        "query",
        path,
        "SELECT group_concat(id) AS ids FROM users",
        "--at",
        at,
        "--csv"
      )
      #expect(program.output == "ids\n\(ids.contains(",") ? "\"\(ids)\"" : ids)\n", "\(at)")
    }
  }

  @Test func `--json, --ndjson and --csv`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let sql = "SELECT id, name, email, x'00ff' AS bytes, 0.5 AS id FROM users WHERE id = 2"
    let object =
      #"{"id":2,"name":"Delta Dora","email":"dora@example.org","bytes":"AP8=","id:2":0.5}"#
    #expect(try await Program.strata("query", path, sql, "--ndjson").output == object + "\n")
    #expect(try await Program.strata("query", path, sql, "--json").output == "[\n\(object)\n]\n")
    #expect(
      try await Program.strata(
        "query",
        path,
        "SELECT 'a,\"b\"' AS \"x\"\"y\", NULL, '', 1.5",
        "--csv"
      )
      .output == "\"x\"\"y\",NULL,'',1.5\n\"a,\"\"b\"\"\",,\"\",1.5\n"
    )
    let none = try await Program.strata(
      "query",
      path,
      "SELECT id FROM users WHERE id = 0",
      "--json"
    )
    #expect(none.output == "[\n]\n")
  }

  @Test func `each error has its exit code and says what to do`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    let cases: [(arguments: [String], status: Int32, text: String)] = [
      (["SELECT * FROM nobody"], 3, "There is no table nobody. The store has notes, users."),
      (["SELECT nobody FROM users"], 1, "no such column: nobody"),
      (["DELETE FROM users"], 1, "A query only reads, and writing into a table is more than that."),
      (["ATTACH 'x' AS y"], 1, "ATTACH"), (["PRAGMA page_size"], 1, "PRAGMA"),
      (["SELECT load_extension('x')"], 1, "load_extension"),
      (["SELECT randomblob(1e9)"], 1, "too large"),
      (
        [
          "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c",
          "--timeout", "0.2",
        ], 1, "longer than 0.2 s"
      ),
      (
        [
          "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 60) "
            + "SELECT length(group_concat(hex(randomblob(500000)))) FROM c",
          "--memory", "32",
        ], 1, "memory"
      ),
      (["SELECT * FROM users_at(99)"], 3, "99"), (["SELECT 1", "--at", "snap:none"], 3, "none"),
      (["SELECT 1", "--at", "tomorrow"], 64, "HEAD~3"),
      (["SELECT 1", "--timeout", "0"], 64, "--timeout"),
    ]
    for (arguments, status, text) in cases {
      let program = try await Program.run(
        try Program.strataPath(),
        ["query", path] + arguments
      )
      #expect(program.status == status, "\(arguments): \(program.errors)")
      #expect(program.errors.contains(text), "\(arguments): \(program.errors)")
      #expect(program.output == "", "\(arguments)")
    }
  }

  @Test func `a damaged snapshot is passed over if the journal goes back further`() async throws {
    let folder = try Folder()
    let path = folder.path("app.strata")
    let sample = try await OpenSample(at: path)
    try await sample.commitSample()
    try await sample.persistence.snapshot(named: "new")
    try await sample.close()
    try Patch.clearChunks(ofNewestSnapshotIn: path)
    for sql in ["SELECT id FROM users", "SELECT a.id FROM users a JOIN users b USING (id)"] {
      let program = try await Program.strata("query", path, sql, "--csv")
      #expect(program == Program(status: 0, output: "id\n2\n42\n", errors: ""))
    }
  }

  @Test func `a query with no older snapshot reports the damage`() async throws {
    let folder = try Folder()
    let path = try await folder.closedSample()
    try Patch.clearChunks(ofNewestSnapshotIn: path)
    let program = try await Program.strata("query", path, "SELECT * FROM users")
    #expect(program.status == 4)
    #expect(program.errors.contains("this store is damaged: chunk "))
  }

  @Test func `commits that are only in SQLite's WAL are read, and a store that is open`()
    async throws
  {
    let folder = try Folder()
    let unclosed = try await folder.unclosedSample()
    let sql = "SELECT count(*) FROM users"
    #expect(try await Program.strata("query", unclosed, sql, "--csv").output == "count(*)\n2\n")
    let other = try Folder()
    let sample = try await OpenSample(at: other.path("app.strata"))
    try await sample.commitSample()
    #expect(
      try await Program.strata("query", other.path("app.strata"), sql, "--csv").output
        == "count(*)\n2\n"
    )
    try await sample.close()
  }
}
