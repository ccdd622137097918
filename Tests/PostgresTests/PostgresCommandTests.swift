#if Postgres
  import Foundation
  import Strata
  import StrataBase
  import StrataArchiving
  import StrataPersistence
  import StrataPostgres
  import StrataStorage
  import TestSupport
  import Testing

  /// `strata` with an archive in PostgreSQL.
  @Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.comment))
  struct PostgresCommandTests {
    private let server: PostgresServer
    private let database: String
    private let directory: TemporaryDirectory

    init() throws {
      server = try PostgresServer.shared()
      database = try server.newDatabase()
      directory = try TemporaryDirectory()
    }

    private var url: String { "postgres://strata@127.0.0.1:\(server.port)/\(database)" }

    private func write(_ numbers: ClosedRange<Int>, to name: String = "app") async throws -> String
    {
      let path = directory.path("\(name).strata")
      let persistence = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db
      )
      let store = LibraryStore(persistence)
      for number in numbers {
        store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
      }
      try await persistence.close()
      return path
    }

    /// What the command prints, with its errors and its status.
    private func strata(
      _ arguments: String...,
      environment: [String: String] = [:]
    ) throws -> (text: String, status: Int32) {
      let process = Process()
      process.executableURL = ChildProcess.directory.appendingPathComponent("strata")
      process.arguments = arguments
      process.environment = ChildProcess.environment.merging(environment) { $1 }
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      process.standardInput = FileHandle.nullDevice
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (String(decoding: data, as: UTF8.self), process.terminationStatus)
    }

    @Test
    func `a store goes to a database and comes back`() async throws {
      let path = try await write(1...5)
      let empty = try strata("archive", "status", "--from", url)
      #expect(empty.status == 3)
      let push = try strata("push", path, "--to", url)
      #expect(push.status == 0, "\(push.text)")
      #expect(push.text.contains("the revisions 1 to 5, 1 snapshot."))
      #expect(push.text.contains("store app in PostgreSQL"))
      _ = try await write(6...6)
      #expect(try strata("push", path, "--to", url).text.contains("Sent revision 6."))
      let status = try strata("archive", "status", "--from", url, "--json")
      #expect(status.text.contains("\"revision\" : 6"))
      let copy = directory.path("copy.strata")
      let pull = try strata("pull", copy, "--from", url)
      #expect(pull.status == 0, "\(pull.text)")
      #expect(try strata("verify", copy).status == 0)
      let count = "SELECT count(*) AS books FROM books"
      #expect(try strata("query", copy, count, "--csv").text == "books\n6\n")
      let before = directory.path("before.strata")
      #expect(try strata("pull", before, "--from", url, "--at", "3").status == 0)
      #expect(try strata("query", before, count, "--csv").text == "books\n3\n")
      let prune = try strata("archive", "prune", "--from", url, "--days", "30")
      #expect(prune.text.contains("Everything is needed."))
    }

    @Test
    func `of several stores one is named`() async throws {
      let app = try await write(1...2)
      let web = try await write(1...3, to: "web")
      #expect(try strata("push", app, "--to", url).status == 0)
      // The only store is meant, which is another one.
      #expect(try strata("push", web, "--to", url).text.contains("belongs to the store"))
      #expect(try strata("push", web, "--to", url, "--name", "web").status == 0)
      let copy = directory.path("copy.strata")
      let ambiguous = try strata("pull", copy, "--from", url)
      #expect(ambiguous.status == 1)
      #expect(ambiguous.text.contains("app, web"))
      #expect(try strata("pull", copy, "--from", url, "--name", "web").text.contains("revision 3"))
      #expect(try strata("push", app, "--to", url).text.contains("There was nothing to send."))
    }

    @Test
    func `list has each store, and remove takes one`() async throws {
      #expect(try strata("archive", "list", "--from", url).text == "There is no store.\n")
      let app = try await write(1...2)
      let web = try await write(1...3, to: "web")
      #expect(try strata("push", app, "--to", url, "--name", "app").status == 0)
      #expect(try strata("push", web, "--to", url, "--name", "web").status == 0)
      let list = try strata("archive", "list", "--from", url)
      let rows = list.text.split(separator: "\n").map { $0.split(separator: " ") }
      #expect(rows.map(\.first) == ["name", "app", "web"])
      #expect(rows.map { $0[2] } == ["revision", "2", "3"])
      #expect(rows.dropFirst().allSatisfy { $0.last == "ended" })
      let size = try await PostgresArchive(server.connection(database), store: "web").bytes()
      let json = try strata("archive", "list", "--from", url, "--json")
      #expect(json.text.contains("\"bytes\":\(size),") && size > 1_000)
      #expect(try strata("archive", "remove", "--from", url, "--yes").status == 1)
      let asked = try strata("archive", "remove", "--from", url, "--name", "web")
      #expect(asked.text.contains("Nothing was removed."))
      let removed = try strata("archive", "remove", "--from", url, "--name", "web", "--yes")
      #expect(removed.status == 0, "\(removed.text)")
      let left = try strata("archive", "list", "--from", url)
      #expect(left.text.split(separator: "\n").count == 2)
      // A head without a store stays, so that no former leader finds the one that it knew.
      let objects = "SELECT string_agg(name, ' ') FROM strata.object WHERE store = 'web'"
      #expect(try server.sql(objects, in: database) == "head")
      #expect(try strata("archive", "status", "--from", url).text.contains("\nsize "))
    }

    @Test
    func `a role that only reads can pull, list, verify and ask for the status`() async throws {
      let app = try await write(1...2)
      #expect(try strata("push", app, "--to", url).status == 0)
      let role = "reader_\(UUID().uuidString.prefix(8).lowercased())"
      try server.sql(
        """
        CREATE ROLE \(role) LOGIN; ALTER ROLE \(role) SET default_transaction_read_only = on;
        GRANT USAGE ON SCHEMA strata TO \(role); GRANT SELECT ON ALL TABLES IN SCHEMA strata TO \(role)
        """,
        in: database
      )
      let reading = "postgres://\(role)@127.0.0.1:\(server.port)/\(database)"
      for command in [["archive", "status"], ["archive", "list"], ["archive", "verify"]] {
        let result = try strata(command[0], command[1], "--from", reading)
        #expect(result.status == 0, "\(command): \(result.text)")
      }
      let copy = directory.path("copy.strata")
      #expect(try strata("pull", copy, "--from", reading).text.contains("revision 2"))
      let more = try strata("push", app, "--to", reading)
      #expect(more.status != 0 && more.text.contains("read-only"), "\(more.text)")
    }

    @Test
    func `a password comes from a service and a password file, and is not shown`() async throws {
      let role = "role_\(UUID().uuidString.prefix(8).lowercased())"
      try server.sql("CREATE ROLE \(role) LOGIN PASSWORD 'pass-of-role'")
      try server.sql("GRANT ALL ON DATABASE \(database) TO \(role)")
      try server.permit(["host all \(role) 127.0.0.1/32 scram-sha-256"])
      let service = directory.path("services.conf")
      let passwords = directory.path("passwords")
      try Data(
        "[archive]\nhost=127.0.0.1\nport=\(server.port)\nuser=\(role)\ndbname=\(database)\n".utf8
      ).write(to: URL(fileURLWithPath: service))
      func write(password: String) throws {
        try Data("*:*:*:\(role):\(password)\n".utf8).write(to: URL(fileURLWithPath: passwords))
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o600],
          ofItemAtPath: passwords
        )
      }
      let environment = ["PGSERVICEFILE": service, "PGPASSFILE": passwords]
      let path = try await self.write(1...2)
      try write(password: "pass-of-nobody")
      let arguments = ("push", path, "--to", "postgres:///?service=archive")
      func push() throws -> (text: String, status: Int32) {
        try strata(
          arguments.0,
          arguments.1,
          arguments.2,
          arguments.3,
          environment: environment
        )
      }
      let refused = try push()
      #expect(refused.status == 1)
      #expect(!refused.text.contains("pass-of-nobody"))
      try write(password: "pass-of-role")
      let pushed = try push()
      #expect(pushed.status == 0, "\(pushed.text)")
      #expect(pushed.text.contains("service archive"))
      #expect(!pushed.text.contains("pass-of-role"))
    }
  }
#endif
