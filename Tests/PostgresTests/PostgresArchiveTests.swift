#if Postgres
  import Foundation
  import ProductSupport
  import StrataBase
  import StrataPostgres
  import StrataArchiving
  import StrataJournal
  import TestSupport
  import Testing

  @Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.comment))
  struct PostgresArchiveTests {
    private let server: PostgresServer

    init() throws { server = try PostgresServer.shared() }

    /// A name that no other test uses.
    private let store = "store \(UUID())"

    private func archive(
      _ database: String = "postgres",
      user: String = "strata",
      extra: String = ""
    ) throws -> PostgresArchive {
      // The limits are only for a deadlock.
      try PostgresArchive(
        server.connection(database, user: user) + extra,
        store: store,
        connectTimeout: .seconds(60),
        callTimeout: .seconds(60)
      )
    }

    /// Starts to lead and appends segments of one delta each.
    private func led(
      _ archive: PostgresArchive,
      segments: ClosedRange<Int64> = 1...2
    ) async throws -> ArchiveTerm {
      let head = try await archive.lead(ArchiveConformance.candidate())
      let term = ArchiveTerm(
        epoch: head.epoch,
        lease: ArchiveConformance.lease,
        leader: head.leader
      )
      for revision in segments {
        let segment = ArchiveConformance.segment(revision...revision, epoch: term.epoch)
        try await archive.append(segment, catalog: [1, 2], in: term)
      }
      return term
    }

    @Test(arguments: ArchiveConformance.Law.allCases)
    func conforms(to law: ArchiveConformance.Law) async throws {
      let (server, store) = (server, store)
      let conformance = ArchiveConformance(
        open: { try PostgresArchive(server.connection(), store: store) },
        pass: { duration in
          let shift = "interval '\(duration / .seconds(1)) seconds'"
          try server.sql("UPDATE strata.object SET put = put - \(shift) WHERE store = '\(store)'")
        }
      )
      try await conformance.check(law)
    }

    @Test
    func `several stores share a database`() async throws {
      let first = try archive()
      let second = try PostgresArchive(server.connection(), store: store + " 2")
      _ = try await led(first)
      #expect(try await second.head() == nil)
      var candidate = ArchiveConformance.candidate("bob")
      candidate.store = UUID()
      let head = try await second.lead(candidate)
      #expect(head.store == candidate.store)
      #expect(try await second.segments(after: 0, bytes: .max) == [])
      #expect(try await first.segments(after: 0, bytes: .max).count == 2)
    }

    @Test
    func `a segment of 64 MB passes`() async throws {
      let archive = try archive()
      let head = try await archive.lead(ArchiveConformance.candidate())
      let term = ArchiveTerm(
        epoch: head.epoch,
        lease: ArchiveConformance.lease,
        leader: head.leader
      )
      let sample = ArchiveConformance.segment(1...1, epoch: term.epoch)
      var generator = SeededGenerator(seed: 1)
      let block = (0..<(1 << 16)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      var body: [UInt8] = []
      body.reserveCapacity(64 << 20)
      while body.count < 64 << 20 { body += block }
      let segment = ArchiveSegment(
        start: sample.start,
        end: sample.end,
        epoch: term.epoch,
        deltas: 1,
        times: sample.times,
        body: body
      )
      try await archive.append(segment, catalog: nil, in: term)
      let read = try await archive.segments(after: 0, bytes: 1)
      // Not compared by `#expect`, which would print it.
      #expect(read.count == 1)
      #expect(read[0] == segment, "\(read[0].body.count) bytes came back")
    }

    @Test
    func `leading waits for an append in progress, and its head includes it`() async throws {
      let archive = try archive()
      let term = try await led(archive)
      let (server, store) = (server, store)
      let row = "store = '\(store)' AND name = 'head'"
      // The head that an append puts, which another transaction waits for.
      let before = try server.sql("SELECT encode(body, 'hex') FROM strata.object WHERE \(row)")
      let segment = ArchiveConformance.segment(3...3, epoch: term.epoch)
      try await archive.append(segment, catalog: nil, in: term)
      let after = try server.sql("SELECT encode(body, 'hex') FROM strata.object WHERE \(row)")
      try server.sql("UPDATE strata.object SET body = decode('\(before)', 'hex') WHERE \(row)")
      let holding = inBackground {
        do {
          try server.sql(
            """
            DO $$ BEGIN
              UPDATE strata.object SET body = decode('\(after)', 'hex') WHERE \(row);
              FOR i IN 1..3000 LOOP
                EXIT WHEN EXISTS (
                  SELECT FROM pg_locks
                  WHERE NOT granted AND transactionid = pg_current_xact_id()::xid);
                PERFORM pg_sleep(0.01);
              END LOOP;
            END $$
            """
          )
        } catch {
          Issue.record(error)
        }
      }
      let free = "SELECT name FROM strata.object WHERE \(row) FOR UPDATE SKIP LOCKED"
      while try !server.sql(free).isEmpty {}
      let head = try await self.archive().lead(ArchiveConformance.candidate())
      #expect(await holding.isOpen())
      #expect(head.mark == ArchiveConformance.mark(3))
      #expect(head.epoch == term.epoch + 1)
    }

    /// After a failover that lost the former leader's epoch, its number is given again.
    @Test
    func `a former leader with the same epoch is refused`() async throws {
      let first = try archive()
      let before = try await led(first, segments: 1...1)
      try await first.release(before)
      let copy = "copy_\(UUID().uuidString.prefix(8).lowercased())"
      try server.sql("CREATE TABLE \(copy) AS SELECT * FROM strata.object WHERE store = '\(store)'")
      let again = try await first.lead(ArchiveConformance.candidate())
      let term = ArchiveTerm(epoch: again.epoch, lease: before.lease, leader: again.leader)
      try server.sql(
        """
        UPDATE strata.object o SET body = c.body FROM \(copy) c WHERE o.store = c.store AND o.name = c.name
        """
      )
      let second = try archive()
      let head = try await second.lead(ArchiveConformance.candidate("bob"))
      #expect(head.epoch == term.epoch)
      let segment = ArchiveConformance.segment(2...2, epoch: term.epoch)
      let error = await #expect(throws: ArchiveError.self) {
        try await first.append(segment, catalog: nil, in: term)
      }
      #expect(error?.reason == .refused)
      let next = ArchiveTerm(epoch: head.epoch, lease: term.lease, leader: head.leader)
      try await second.append(segment, catalog: nil, in: next)
    }
  }

  /// Connection strings.
  extension PostgresArchiveTests {
    @Test(arguments: [
      "postgres://ann:s3cret@127.0.0.1/app",
      "postgresql://ann:s3cret@127.0.0.1/app?sslmode=require",
      "host=127.0.0.1 password=s3cret", "postgres://127.0.0.1/app?password=s3cret",
      "host=127.0.0.1 sslpassword='s3cret'", "host=127.0.0.1 password=''",
    ])
    func `a connection string with a password is refused, and not quoted`(text: String) throws {
      let error = #expect(throws: ArchiveError.self) {
        try PostgresArchive(text, store: "app")
      }
      guard case .unusable(let detail)? = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(detail.contains("PGPASSFILE"))
      #expect(!"\(try #require(error))".contains("s3cret"))
    }

    @Test(arguments: [
      "s3cret", "host=127.0.0.1 s3cret", "postgres://127.0.0.1:s3cret:s3cret/%zz",
      "pasword=s3cret", "host='s3cret", "",
    ])
    func `a connection string that libpq cannot read is not quoted`(text: String) throws {
      if text.isEmpty {
        #expect(try PostgresArchive(text, store: "app").name.contains("environment"))
        return
      }
      let error = #expect(throws: ArchiveError.self) {
        try PostgresArchive(text, store: "app")
      }
      guard case .unusable? = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(!"\(try #require(error))".contains("s3cret"))
    }

    @Test
    func `an error of the list of stores names the server, and no store`() async throws {
      let error = await #expect(throws: ArchiveError.self) {
        try await PostgresArchive.storeNames(in: "postgres://ann@127.0.0.1:1/app")
      }
      #expect(error?.archive == "PostgreSQL (127.0.0.1:1/app)")
    }

    @Test
    func `the name says where it is, without user and options`() throws {
      #expect(
        try PostgresArchive(
          "postgres://ann@db1,db2:5433/app?options=-csecret.key%3Ds3cret&sslmode=prefer",
          store: "orders"
        ).name == "store orders in PostgreSQL (db1,db2:,5433/app)"
      )
      #expect(
        try PostgresArchive("service=strata", store: "orders").name
          == "store orders in PostgreSQL (service strata)"
      )
    }

    @Test(arguments: ["", "a\nb", String(repeating: "x", count: 201), "a\0b"])
    func `a name of a store is one line`(name: String) {
      #expect(throws: ArchiveError.self) { try PostgresArchive("service=strata", store: name) }
    }

    @Test
    func `a server that is not there is away, and the error names it`() async throws {
      let port = try PostgresServer.freePort()
      let archive = try PostgresArchive("host=127.0.0.1 port=\(port) dbname=app", store: store)
      let error = await #expect(throws: ArchiveError.self) { try await archive.head() }
      guard case .away(let detail)? = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(detail.contains("\(port)"))
    }

    @Test
    func `a host that does not answer leaves time for the next one`() async throws {
      let silent = try SilentPort()
      let server = server
      let archive = try PostgresArchive(
        """
        host=127.0.0.1,127.0.0.1 port=\(silent.port),\(server.port) user=strata dbname=postgres
        """,
        store: store,
        connectTimeout: .seconds(4)
      )
      #expect(try await archive.head() == nil)
    }

    @Test
    func `a password file is used, and a wrong password is not quoted`() async throws {
      let database = try server.newDatabase()
      let role = "guarded_\(database)"
      try server.sql(
        """
        SET password_encryption = 'scram-sha-256';
        CREATE ROLE \(role) LOGIN PASSWORD 'right s3cret';
        GRANT CREATE ON DATABASE \(database) TO \(role)
        """
      )
      try server.permit(["host \(database) \(role) 127.0.0.1/32 scram-sha-256"])
      let directory = try TemporaryDirectory()
      for (password, isRight) in [("right s3cret", true), ("wrong s3cret", false)] {
        let file = directory.path("pass \(isRight)")
        try Data("127.0.0.1:\(server.port):\(database):\(role):\(password)\n".utf8)
          .write(to: URL(fileURLWithPath: file))
        #expect(chmod(file, 0o600) == 0)
        let archive = try archive(database, user: role, extra: " passfile='\(file)'")
        if isRight {
          _ = try await led(archive)
        } else {
          let error = await #expect(throws: ArchiveError.self) { try await archive.head() }
          let text = "\(try #require(error))"
          #expect(text.contains("password authentication failed"))
          #expect(!text.contains("s3cret"))
        }
      }
    }

    @Test
    func `what the user has not set is added`() async throws {
      let archive = try archive(extra: " application_name='strata test \(store)'")
      _ = try await led(archive)
      #expect(
        try server.sql(
          "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'strata test \(store.prefix(30))'"
        ) != ""
      )
      let other = try self.archive()
      _ = try await other.head()
      #expect(
        try server.sql(
          "SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = 'strata'"
        ) == "t"
      )
    }
  }

  /// The tables.
  extension PostgresArchiveTests {
    @Test
    func `several first leaders make the tables once`() async throws {
      let database = try server.newDatabase()
      let server = server
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<6 {
          group.addTask {
            let archive = try PostgresArchive(server.connection(database), store: "\(index)")
            _ = try await archive.lead(ArchiveConformance.candidate())
          }
        }
        try await group.waitForAll()
      }
      #expect(try server.sql("SELECT count(*) FROM strata.object", in: database) == "6")
      #expect(try server.sql("SELECT count(*) FROM strata.format", in: database) == "1")
    }

    @Test
    func `reading makes no tables`() async throws {
      let database = try server.newDatabase()
      let archive = try archive(database)
      #expect(try await archive.head() == nil)
      #expect(try await archive.segments(after: 0, bytes: 1) == [])
      #expect(try server.sql("SELECT to_regnamespace('strata') IS NULL", in: database) == "t")
      // Those that another process makes are seen.
      _ = try await led(try self.archive(database))
      #expect(try await archive.head()?.mark == ArchiveConformance.mark(2))
    }

    @Test
    func `tables of another version are refused`() async throws {
      let database = try server.newDatabase()
      _ = try await led(try archive(database))
      try await expectRefused(.newerFormat(found: 5, known: 4), version: 5, in: database)
      for version in [3, 2, 1, 0, -1] {
        let reason = ArchiveError.Reason.olderFormat(found: version, known: 4)
        try await expectRefused(reason, version: version, in: database)
      }
    }

    private func expectRefused(
      _ reason: ArchiveError.Reason,
      version: Int,
      in database: String
    ) async throws {
      try server.sql("UPDATE strata.format SET version = \(version)", in: database)
      let tables = "SELECT string_agg(o::text, ';' ORDER BY name) FROM strata.object AS o"
      let before = try server.sql(tables, in: database)
      let archive = try archive(database)
      for call in [
        { _ = try await archive.head() },
        { _ = try await archive.lead(ArchiveConformance.candidate()) },
      ] as [() async throws -> Void] {
        let error = await #expect(throws: ArchiveError.self) { try await call() }
        #expect(error?.reason == reason)
      }
      #expect(try server.sql(tables, in: database) == before)
    }

    @Test
    func `a role without rights is given the SQL to run`() async throws {
      let database = try server.newDatabase()
      let role = "Plain \"\(database)"
      let quoted = "\"Plain \"\"\(database)\""
      try server.sql("CREATE ROLE \(quoted) LOGIN")
      let connection =
        "host=127.0.0.1 port=\(server.port) user='\(role)' dbname=\(database)"
      let archive = try PostgresArchive(connection, store: store)
      let error = await #expect(throws: ArchiveError.self) {
        try await archive.lead(ArchiveConformance.candidate())
      }
      guard case .noAccess(let detail)? = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
      let range = try #require(detail.range(of: "GRANT CREATE"))
      try server.sql(String(detail[range.lowerBound...]), in: database)
      _ = try await led(archive)
    }

    @Test(arguments: [
      ("head", "''"), ("head", "body || 'x'"), ("head", "'{}'"), ("segments/%", "''"),
      ("segments/%", "substr(body, 1, 20)"), ("segments/%", "set_byte(body, 40, 1)"),
    ])
    func `what is in no archive is refused when it is read`(change: (String, String)) async throws {
      let database = try server.newDatabase()
      let archive = try archive(database)
      _ = try await led(archive)
      try server.sql(
        "UPDATE strata.object SET body = \(change.1) WHERE name LIKE '\(change.0)'",
        in: database
      )
      let error = await #expect(throws: ArchiveError.self) {
        _ = try await archive.head()
        _ = try await archive.segments(after: 0, bytes: .max)
      }
      var errors = [error]
      if change.0 == "head" {
        let place = server.connection(database)
        errors += [
          await #expect(throws: ArchiveError.self) { try await PostgresArchive.stores(in: place) }
        ]
      }
      for error in errors {
        guard case .damaged? = error?.reason else {
          Issue.record("\(String(describing: error))")
          continue
        }
      }
    }

    @Test
    func `tables that are gone or changed are an error, and it goes on when they are back`()
      async throws
    {
      let database = try server.newDatabase()
      let archive = try archive(database)
      let term = try await led(archive)
      try server.sql("ALTER TABLE strata.object RENAME TO elsewhere", in: database)
      let segment = ArchiveConformance.segment(3...3, epoch: term.epoch)
      let error = await #expect(throws: ArchiveError.self) {
        try await archive.append(segment, catalog: nil, in: term)
      }
      guard case .unusable? = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
      try server.sql("ALTER TABLE strata.elsewhere RENAME TO object", in: database)
      try await archive.append(segment, catalog: nil, in: term)
      try server.sql("DROP SCHEMA strata CASCADE", in: database)
      await #expect(throws: ArchiveError.self) { try await archive.renew(term) }
      #expect(try await archive.head() == nil)
    }
  }

  /// Hints.
  extension PostgresArchiveTests {
    @Test
    func `a store can be deleted with SQL, and the archive says that it has none`() async throws {
      let database = try server.newDatabase()
      let archive = try archive(database)
      let term = try await led(archive, segments: 1...4)
      let chunk = ArchiveChunk(body: [1, 2, 3])
      try await archive.add([chunk], in: term)
      let list = ArchiveSnapshot.List(image: [4], chunks: [1: chunk.id])
      try await archive.add(ArchiveConformance.snapshot(4), list, catalog: nil, in: term)
      try server.sql("DELETE FROM strata.object WHERE store = '\(store)'", in: database)
      #expect(try await archive.head() == nil)
      let segment = ArchiveConformance.segment(5...5, epoch: term.epoch)
      let error = await #expect(throws: ArchiveError.self) {
        try await archive.append(segment, catalog: nil, in: term)
      }
      #expect(error?.reason == .empty)
      #expect(try server.sql("SELECT count(*) FROM strata.object", in: database) == "0")
    }

    @Test
    func `an append wakes those that listen`() async throws {
      let archive = try archive()
      let term = try await led(archive)
      let other = try self.archive()
      var hints = try #require(other.hints()).makeAsyncIterator()
      // It listens from its first element on.
      #expect(await hints.next() != nil)
      for revision in 3...5 as ClosedRange<Int64> {
        let segment = ArchiveConformance.segment(revision...revision, epoch: term.epoch)
        try await archive.append(segment, catalog: nil, in: term)
        #expect(await hints.next() != nil)
      }
    }

    @Test
    func `a listener whose connection ends listens again`() async throws {
      let archive = try archive()
      let term = try await led(archive)
      let other = try self.archive(extra: " application_name='listener \(store)'")
      var hints = try #require(other.hints()).makeAsyncIterator()
      #expect(await hints.next() != nil)
      let ended = try server.sql(
        """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = left('listener \(store)', 63)
        """
      )
      #expect(ended == "1")
      #expect(await hints.next() != nil)
      let segment = ArchiveConformance.segment(3...3, epoch: term.epoch)
      try await archive.append(segment, catalog: nil, in: term)
      #expect(await hints.next() != nil)
    }

    @Test
    func `other archives have no hints`() throws {
      #expect(FolderArchive("/nowhere").hints() == nil)
    }
  }

  /// A port that accepts connections and says nothing.
  private final class SilentPort: Sendable {
    let port: Int
    private let listener: Int32

    init() throws {
      port = try PostgresServer.freePort()
      listener = socket(AF_INET, PostgresServer.streamSocket, 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, size) == 0 && listen(listener, 8) == 0
        }
      }
      guard isBound else { throw Command.Failure(description: "cannot listen: errno \(errno)") }
    }

    deinit { close(listener) }
  }
#endif
