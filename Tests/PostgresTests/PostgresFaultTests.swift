#if Postgres
  import Foundation
  import ProductSupport
  import StrataBase
  import StrataPostgres
  import StrataArchiving
  import StrataJournal
  import TestSupport
  import Testing

  /// Servers and networks that fail.
  @Suite(.enabled(if: PostgresServer.isAvailable, PostgresServer.comment), .serialized)
  struct PostgresFaultTests {
    private func led(_ archive: PostgresArchive) async throws -> ArchiveTerm {
      let head = try await archive.lead(ArchiveConformance.candidate())
      return ArchiveTerm(epoch: head.epoch, lease: ArchiveConformance.lease, leader: head.leader)
    }

    private func append(
      _ revisions: ClosedRange<Int64>,
      to archive: PostgresArchive,
      in term: ArchiveTerm
    ) async throws {
      for revision in revisions {
        let segment = ArchiveConformance.segment(revision...revision, epoch: term.epoch)
        try await archive.append(segment, catalog: nil, in: term)
      }
    }

    /// The head once the server answers.
    private func head(_ archive: PostgresArchive) async throws -> ArchiveHead? {
      for _ in 0..<600 {
        do throws(ArchiveError) {
          return try await archive.head()
        } catch {
          guard case .away = error.reason else { throw error }
          try await Task.sleep(for: .milliseconds(50))
        }
      }
      return try await archive.head()
    }

    private func expectAway(
      _ call: () async throws -> Void,
      location: SourceLocation = #_sourceLocation
    ) async {
      do {
        try await call()
        Issue.record("nothing was thrown", sourceLocation: location)
      } catch let error as ArchiveError {
        guard case .away = error.reason else {
          Issue.record("\(error)", sourceLocation: location)
          return
        }
      } catch {
        Issue.record(error, sourceLocation: location)
      }
    }

    @Test
    func `a killed server has every acknowledged segment, and none twice`() async throws {
      // The server would not wait for its log, so that the archive has to ask for it.
      let server = try PostgresServer(settings: [
        "synchronous_commit = off", "wal_writer_delay = 10s",
      ])
      let archive = try PostgresArchive(server.connection(), store: "app")
      let term = try await led(archive)
      var generator = SeededGenerator(seed: .random(in: 0 ... .max))
      var last: Int64 = 0
      var unknown = 0
      for _ in 0..<loopCount("STRATA_POSTGRES_KILLS", 3) {
        let appended = Lock(0)
        let isDone = Lock(false)
        let target = Int.random(in: 1...30, using: &generator)
        let killing = inBackground {
          appended.withLock(when: { $0 >= target }) { _ in }
          do {
            try server.kill()
            try server.start()
          } catch {
            Issue.record(error)
          }
          isDone.withLock { $0 = true }
        }
        while !isDone.withLock({ $0 }) {
          let next = ArchiveConformance.segment((last + 1)...(last + 1), epoch: term.epoch)
          do throws(ArchiveError) {
            try await archive.append(next, catalog: nil, in: term)
            last += 1
            appended.withLockSignalling { $0 += 1 }
          } catch {
            guard case .away = error.reason else { throw error }
            unknown += 1
            let mark = try #require(try await head(archive)).mark
            // Whole or not at all, and nothing acknowledged is gone.
            try #require(
              mark == next.start || mark == next.end,
              "\(mark) after \(last) acknowledged, \(generator)"
            )
            last = mark.revision.number
          }
        }
        #expect(await killing.isOpen())
      }
      #expect(unknown > 0)
      let segments = try await archive.segments(after: 0, bytes: .max)
      #expect(segments.map(\.end) == (1...last).map { ArchiveConformance.mark($0) })
    }

    @Test
    func `a server that stands still is away in time`() async throws {
      let server = try PostgresServer()
      let archive = try PostgresArchive(
        server.connection(),
        store: "app",
        connectTimeout: .seconds(1),
        callTimeout: .seconds(1)
      )
      let term = try await led(archive)
      try await append(1...2, to: archive, in: term)
      let backends = try server.backends()
      try server.signal(SIGSTOP, backends)
      let clock = ContinuousClock()
      for _ in 0..<3 {
        let time = await clock.measure {
          await expectAway { try await append(3...3, to: archive, in: term) }
        }
        // The limit is a second; the rest is for a slow machine.
        #expect(time < .seconds(20))
      }
      try server.signal(SIGCONT, backends)
      let mark = try #require(try await head(archive)).mark
      #expect([2, 3].contains(mark.revision))
      if mark.revision == 2 {
        // The former connection may still come first.
        do throws(ArchiveError) {
          let segment = ArchiveConformance.segment(3...3, epoch: term.epoch)
          try await archive.append(segment, catalog: nil, in: term)
        } catch {
          #expect(error.reason == .refused)
        }
      }
      try await append(4...4, to: archive, in: term)
      let revisions = try await archive.segments(after: 0, bytes: .max).map(\.end.revision)
      #expect(revisions == [1, 2, 3, 4])
    }

    @Test
    func `networks that hold, lose and cut are away, and nothing is in doubt for long`()
      async throws
    {
      let server = try PostgresServer.shared()
      let proxy = try FaultProxy(to: server.port)
      let store = "behind a proxy \(UUID())"
      let connection = "host=127.0.0.1 port=\(proxy.port) user=strata dbname=postgres"
      let archive = try PostgresArchive(
        connection,
        store: store,
        connectTimeout: .seconds(5),
        callTimeout: .seconds(2)
      )
      let direct = try PostgresArchive(server.connection(), store: store)
      let term = try await led(archive)
      try await append(1...1, to: archive, in: term)
      // What is sent waits: it has no effect before.
      proxy.set(toServer: .waits, toClient: .passes)
      await expectAway { try await append(2...2, to: archive, in: term) }
      #expect(try await direct.head()?.mark.revision == 1)
      proxy.cut()
      proxy.set(toServer: .passes, toClient: .passes)
      try await append(2...2, to: archive, in: term)
      // Answers are lost: it has an effect.
      proxy.set(toServer: .passes, toClient: .isLost)
      await expectAway { try await append(3...3, to: archive, in: term) }
      #expect(try await direct.head()?.mark.revision == 3)
      // Half-open: neither side sees that the other is gone, nor can one connect.
      proxy.set(toServer: .isLost, toClient: .isLost)
      await expectAway { _ = try await archive.head() }
      await expectAway { _ = try await archive.head() }
      proxy.cut()
      proxy.set(toServer: .passes, toClient: .passes)
      #expect(try await archive.head()?.mark.revision == 3)
      // An idle connection that was cut is not used.
      let before = proxy.accepted
      proxy.cut()
      while proxy.accepted == before {
        do throws(ArchiveError) {
          try await archive.renew(term)
        } catch {
          guard case .away = error.reason else { throw error }
        }
      }
      try await append(4...4, to: archive, in: term)
      #expect(try await direct.segments(after: 0, bytes: .max).count == 4)
    }

    @Test
    func `a read-only server can be read, and is away for a leader until it can be written`()
      async throws
    {
      let server = try PostgresServer.shared()
      let database = try server.newDatabase()
      let archive = try PostgresArchive(server.connection(database), store: "app")
      let term = try await led(archive)
      try await append(1...1, to: archive, in: term)
      try server.sql("ALTER DATABASE \(database) SET default_transaction_read_only = on")
      let later = try PostgresArchive(server.connection(database), store: "app")
      #expect(try await later.head()?.mark.revision == 1)
      #expect(try await later.segments(after: 0, bytes: .max).count == 1)
      await expectAway { try await append(2...2, to: later, in: term) }
      #expect(try await later.head()?.mark.revision == 1)
      await expectAway { try await later.renew(term) }
      // Who asks for the primary alone gets no other server.
      let strict = try PostgresArchive(
        server.connection(database) + " target_session_attrs=read-write",
        store: "app"
      )
      await expectAway { _ = try await strict.head() }
      try server.sql("ALTER DATABASE \(database) SET default_transaction_read_only = off")
      try await append(2...2, to: later, in: term)
      #expect(try await strict.head()?.mark.revision == 2)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can mount a small disk"))
    func `a full disk is away, and what was acknowledged stays`() async throws {
      let disk = try SmallDisk(megabytes: 96)
      let server = try PostgresServer(
        in: disk.path,
        settings: ["max_wal_size = 32MB", "min_wal_size = 32MB"]
      )
      let archive = try PostgresArchive(server.connection(), store: "app")
      let term = try await led(archive)
      var generator = SeededGenerator(seed: 7)
      var last: Int64 = 0
      var isFull = false
      while !isFull, last < 200 {
        let sample = ArchiveConformance.segment((last + 1)...(last + 1), epoch: term.epoch)
        let segment = ArchiveSegment(
          start: sample.start,
          end: sample.end,
          epoch: term.epoch,
          deltas: 1,
          times: sample.times,
          body: (0..<(128 << 10)).flatMap { _ in
            withUnsafeBytes(of: generator.next()) { Array($0) }
          }
        )
        do throws(ArchiveError) {
          try await archive.append(segment, catalog: nil, in: term)
          last += 1
        } catch {
          guard case .away = error.reason else { throw error }
          isFull = true
        }
      }
      #expect(isFull)
      try disk.grow(megabytes: 400)
      // Where its log could not be written, the server has ended itself.
      try? server.start()
      #expect(try #require(try await head(archive)).mark.revision == Revision(last))
      try await append((last + 1)...(last + 1), to: archive, in: term)
      let segments = try await archive.segments(after: Revision(last - 1), bytes: .max)
      #expect(segments.map(\.end.revision.number) == [last, last + 1])
    }
  }

  /// Standbys.
  extension PostgresFaultTests {
    private func archive(_ servers: [PostgresServer]) throws -> PostgresArchive {
      let hosts = servers.map { _ in "127.0.0.1" }.joined(separator: ",")
      let ports = servers.map { "\($0.port)" }.joined(separator: ",")
      return try PostgresArchive(
        "host=\(hosts) port=\(ports) user=strata dbname=postgres",
        store: "app",
        callTimeout: .seconds(5)
      )
    }

    @Test
    func `after a failover that lost the tail, appends continue from where it is`() async throws {
      let primary = try PostgresServer()
      let archive = try archive([primary])
      let term = try await led(archive)
      try await append(1...3, to: archive, in: term)
      let standby = try PostgresServer(standbyOf: primary, name: "second")
      // It has what was there when it was copied, and nothing of what comes.
      try standby.stop()
      try await append(4...6, to: archive, in: term)
      try primary.kill()
      try standby.start()
      try standby.promote()
      let both = try self.archive([primary, standby])
      #expect(try #require(try await head(both)).mark == ArchiveConformance.mark(3))
      let late = ArchiveConformance.segment(7...7, epoch: term.epoch)
      let error = await #expect(throws: ArchiveError.self) {
        try await both.append(late, catalog: nil, in: term)
      }
      #expect(error?.reason == .refused)
      try await append(4...7, to: both, in: term)
      #expect(try await both.segments(after: 0, bytes: .max).count == 7)
    }

    @Test
    func `with a synchronous standby nothing acknowledged is lost`() async throws {
      let primary = try PostgresServer()
      let archive = try archive([primary])
      let term = try await led(archive)
      let standby = try PostgresServer(standbyOf: primary, name: "second")
      try primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'second'")
      try primary.sql("SELECT pg_reload_conf()")
      let isSynchronous = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
      while try primary.sql(isSynchronous) != "1" {}
      try await append(1...20, to: archive, in: term)
      // Without the standby nothing is acknowledged.
      try standby.stop()
      await expectAway { try await append(21...21, to: archive, in: term) }
      // A backend whose wait an operator cancels has committed on the primary alone, and its statement succeeds.
      let isDone = Lock(false)
      let cancelling = Task {
        let cancel = """
          SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity, pg_sleep(0.01) WHERE wait_event = 'SyncRep'
          """
        var cancelled = 0
        while !isDone.withLock({ $0 }) { cancelled += Int(try primary.sql(cancel)) ?? 0 }
        return cancelled
      }
      await expectAway { try await archive.renew(term) }
      isDone.withLock { $0 = true }
      #expect(try await cancelling.value > 0)
      try primary.kill()
      try standby.start()
      try standby.promote()
      let both = try self.archive([primary, standby])
      #expect(try #require(try await head(both)).mark == ArchiveConformance.mark(20))
      try await append(21...21, to: both, in: term)
    }
  }

  /// A small disk in memory.
  private final class SmallDisk: Sendable {
    let path: String

    init(megabytes: Int) throws {
      path = "/tmp/strata-pg-disk-\(UUID().uuidString.prefix(8).lowercased())"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      _ = try Command.run(
        "/bin/mount",
        ["-t", "tmpfs", "-o", "size=\(megabytes)m,mode=755", "strata", path]
      )
      try PostgresServer.own(path)
    }

    func grow(megabytes: Int) throws {
      _ = try Command.run("/bin/mount", ["-o", "remount,size=\(megabytes)m", path])
    }

    deinit {
      // Lazily, as the server may still be ending.
      _ = try? Command.run("/bin/umount", ["-l", path])
      try? FileManager.default.removeItem(atPath: path)
    }
  }
#endif
