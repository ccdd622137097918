#if Postgres
  import Foundation
  import StrataBase
  public import StrataArchiving
  import StrataJournal

  /// An archive in a PostgreSQL database.
  ///
  /// ```swift
  /// let archive = try PostgresArchive("service=strata", store: "app")
  /// let archive = try PostgresArchive("postgres://db1,db2/app", store: "app")
  /// ```
  ///
  /// It exists with the package trait `Postgres`, which is off by default, and uses libpq: TLS, passwords, several
  /// hosts and the rest are libpq's. A value has one connection, which it opens when it needs it and again after an
  /// error. It needs no state of a session, so it works through pgbouncer in transaction mode.
  ///
  /// Each change is one statement or one short transaction that the server has on its disk when the call
  /// returns, also where `synchronous_commit` is off. Leases run by the server's clock. The tables are those of
  /// <doc:StrataPostgres>; the first leader makes them.
  public actor PostgresArchive: Archive {
    /// The store and where its database is, without user, options or password.
    public nonisolated let name: String

    let executor = FileExecutor(label: "strata.postgres")
    /// The queue of the archive, as calls wait for the server.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
      executor.asUnownedSerialExecutor()
    }

    /// How long a call may take once it is connected.
    public nonisolated var callLimit: Duration? { access.callTimeout }

    nonisolated let store: String
    private nonisolated let access: PostgresAccess
    private let notifier: PostgresNotifier
    private var connection: PostgresConnection?
    private var hasSchema = false
    /// The head when it was last asked for: a server that only reads may be behind that.
    private var lastHead: ArchiveHead?

    /// An archive of a store in a database; nothing is connected yet.
    ///
    /// What the connection string does not say comes from libpq's environment and files. These options are set unless they
    /// are given: `target_session_attrs=read-write`, so that of several hosts the primary is used, keepalives,
    /// `tcp_user_timeout` and `fallback_application_name`. What only reads uses a server that can only be read, such as a
    /// standby, while there is no other.
    ///
    /// - Parameters:
    ///   - connection: libpq's connection string, or a URL. One with a password is refused.
    ///   - store: The name of the store in the database, which may have several.
    ///   - connectTimeout: How long connecting may take, over all hosts.
    ///   - callTimeout: How long a call may take once it is connected. A lease must be longer.
    ///
    /// Throws `.unusable`.
    public init(
      _ connection: String,
      store: String,
      connectTimeout: Duration = .seconds(5),
      callTimeout: Duration = .seconds(8)
    ) throws(ArchiveError) {
      try self.init(connection, of: store, connectTimeout, callTimeout)
    }

    /// - Parameter store: The name of the store; nil to ask only for those that are there.
    private init(
      _ connection: String,
      of store: String?,
      _ connectTimeout: Duration = .seconds(5),
      _ callTimeout: Duration = .seconds(8)
    ) throws(ArchiveError) {
      let place: String
      do throws(ArchiveError.Reason) {
        let options = try ConnectionOptions(connection)
        let server = "PostgreSQL (\(options.place))"
        place = store.map { "store \($0) in \(server)" } ?? server
        if let store {
          guard !store.isEmpty, store.utf8.count <= 200, !store.contains(where: \.isNewline),
            !store.utf8.contains(0)
          else {
            throw .unusable("the name of a store is one line of at most 200 bytes")
          }
        }
        guard connectTimeout > .zero, callTimeout > .zero else {
          throw .unusable("a time-out is not above zero")
        }
        access = PostgresAccess(
          options: options,
          connectTimeout: connectTimeout,
          callTimeout: callTimeout,
          canceller: PostgresCanceller()
        )
      } catch {
        throw ArchiveError(error, archive: "PostgreSQL")
      }
      name = place
      self.store = store ?? ""
      notifier = PostgresNotifier(access, store: self.store)
    }

    /// The names of the stores in a database.
    ///
    /// Throws like the initializer, and `.away`.
    package static func storeNames(in connection: String) async throws(ArchiveError) -> [String] {
      try await PostgresArchive(connection, of: nil).storeNames()
    }

    /// The stores in a database, by name, with their heads and sizes.
    ///
    /// Throws like the initializer, and `.away`.
    package static func stores(
      in connection: String
    ) async throws(ArchiveError) -> [(name: String, head: ArchiveHead, bytes: Int64)] {
      try await PostgresArchive(connection, of: nil).stores()
    }

    private func stores() throws(ArchiveError) -> [(name: String, head: ArchiveHead, bytes: Int64)]
    {
      try perform(reading: true) { call in
        guard call.hasSchema else { return [] }
        return try call.run(PostgresStatements.stores).map { row in
          (try row.text(7), try Self.head(row), try row.integer(8))
        }
      }
    }

    private func storeNames() throws(ArchiveError) -> [String] {
      try perform(reading: true) { call in
        guard call.hasSchema else { return [] }
        return try call.run(PostgresStatements.names).map { try $0.text(0) }
      }
    }

    /// Wakes a follower soon after a leader has appended.
    ///
    /// It listens on a connection of its own until the stream is dropped, and connects again by itself. What it misses, a
    /// follower finds when it looks by itself; through pgbouncer in transaction mode nothing comes.
    public nonisolated func hints() -> AsyncStream<Void>? {
      PostgresListener.stream(access, store: store)
    }
  }

  /// How connections are made.
  struct PostgresAccess: Sendable {
    let options: ConnectionOptions
    let connectTimeout: Duration
    let callTimeout: Duration
    let canceller: PostgresCanceller

    /// Connects to a server that may be written.
    ///
    /// - Parameter reading: Whether one that only reads will do if there is none: a standby, or a role whose transactions are
    ///   read-only.
    func connect(reading: Bool = false) throws(PostgresFailure) -> PostgresConnection {
      do throws(PostgresFailure) {
        return try connect(.readWrite)
      } catch {
        guard reading, case .readOnly = error else { throw error }
        return try connect(.any)
      }
    }

    private func connect(_ kind: PostgresConnection.Kind) throws(PostgresFailure)
      -> PostgresConnection
    {
      try PostgresConnection(
        options,
        kind,
        within: connectTimeout,
        timeout: callTimeout,
        canceller
      )
    }

    /// Whether a database has the tables.
    ///
    /// - Throws: `.olderFormat` or `.newerFormat` if another version has made them, and `.unusable` if the role must not read
    ///   them.
    func findsSchema(_ connection: PostgresConnection) throws -> Bool {
      let deadline = PostgresConnection.Deadline.now + callTimeout
      guard let found = try connection.run(PostgresSchema.find, until: deadline).first else {
        return false
      }
      let lacking = try found.text(0)
      if !lacking.isEmpty { throw missingRights(lacking, of: connection.user, "SELECT") }
      let rows = try connection.run(PostgresSchema.readVersion, until: deadline)
      guard let version = try rows.first?.integer(0) else {
        throw ArchiveError.Reason.damaged("strata.format has no version")
      }
      try ArchiveError.Reason.check(format: Int(version), known: PostgresSchema.version)
      return true
    }

    /// Checks that the texts of every program can be kept: names of snapshots, leaders and stores.
    ///
    /// - Throws: `.unusable` if the database has an encoding that lacks characters.
    func checkEncoding(_ connection: PostgresConnection) throws {
      let deadline = PostgresConnection.Deadline.now + callTimeout
      let row = try connection.run(PostgresSchema.encoding, until: deadline).first
      guard let encoding = try row?.text(0), !["UTF8", "SQL_ASCII"].contains(encoding)
      else { return }
      throw ArchiveError.Reason.unusable(
        """
        its database has the encoding \(encoding), which lacks characters that names may have; an archive needs one made with \
        CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0
        """
      )
    }

    /// Checks that a role may lead.
    ///
    /// - Throws: `.noAccess` if it must not write the tables.
    func checkMayWrite(_ connection: PostgresConnection) throws {
      let deadline = PostgresConnection.Deadline.now + callTimeout
      let rows = try connection.run(PostgresSchema.missingForLeader, until: deadline)
      let lacking = try rows.first?.text(0) ?? ""
      if lacking.isEmpty { return }
      throw missingRights(lacking, of: connection.user, "SELECT, INSERT, UPDATE, DELETE")
    }

    private func missingRights(
      _ lacking: String,
      of user: String,
      _ needed: String
    ) -> ArchiveError.Reason {
      let role = "\"\(user.replacing(scalar: "\"", with: "\"\""))\""
      return .noAccess(
        """
        the role \(user) lacks \(lacking); let an owner of the tables run GRANT USAGE ON SCHEMA strata TO \(role); \
        GRANT \(needed) ON ALL TABLES IN SCHEMA strata TO \(role)
        """
      )
    }
  }

  /// Calls.
  extension PostgresArchive {
    /// A call with its deadline.
    struct Call {
      let connection: PostgresConnection
      let deadline: PostgresConnection.Deadline
      /// Whether the database has the tables.
      let hasSchema: Bool

      @discardableResult
      func run(
        _ sql: String,
        _ parameters: PostgresValue...
      ) throws(PostgresFailure) -> [PostgresRow] {
        try connection.run(sql, parameters, until: deadline)
      }

      /// Runs a statement that is run often, as a transaction of its own.
      func runPrepared(
        _ sql: String,
        _ parameters: PostgresValue...
      ) throws(PostgresFailure) -> [PostgresRow] {
        try connection.runPrepared(sql, parameters, until: deadline)
      }

      /// Runs `body` as a transaction; one that throws is rolled back, as the connection ends.
      func transaction<R>(_ body: () throws -> R) throws -> R {
        try run(PostgresStatements.begin)
        let result = try body()
        try run(PostgresStatements.commit)
        return result
      }
    }

    /// Makes a call.
    ///
    /// - Parameter isReading: Whether it changes nothing, so that a server that only reads will do.
    func perform<R>(
      reading isReading: Bool = false,
      _ body: (Call) throws -> R
    ) throws(ArchiveError) -> R {
      do {
        let connection = try connected(reading: isReading)
        let deadline = PostgresConnection.Deadline.now + access.callTimeout
        let result = try body(
          Call(connection: connection, deadline: deadline, hasSchema: hasSchema)
        )
        return result
      } catch let reason as ArchiveError.Reason {
        // A transaction may be open.
        if connection?.isUsable() != true { connection = nil }
        throw ArchiveError(reason, archive: name)
      } catch let failure as PostgresFailure {
        connection = nil
        throw ArchiveError(failure.reason, archive: name)
      } catch {
        connection = nil
        throw ArchiveError(.away("\(error)"), archive: name)
      }
    }

    private func connected(reading: Bool) throws -> PostgresConnection {
      if let connection, reading || connection.kind == .readWrite, connection.isUsable() {
        if !hasSchema { hasSchema = try access.findsSchema(connection) }
        return connection
      }
      connection = nil
      let new = try access.connect(reading: reading)
      hasSchema = try access.findsSchema(new)
      connection = new
      return new
    }

    /// The name under which the leader of a term started to lead, if that is to be checked.
    func leader(_ term: ArchiveTerm) -> PostgresValue {
      term.leader.map { .text($0) } ?? .noText
    }

    func notifyFollowers() { notifier.notify() }

    /// Why a statement of a term changed nothing.
    func refusal(_ call: Call) throws -> ArchiveError.Reason {
      let isThere = try !call.run(PostgresStatements.number, .text(store)).isEmpty
      return isThere ? .refused : .empty
    }
  }

  /// Leading.
  extension PostgresArchive {
    /// How far the archive is and who leads; nil while it has no store.
    public func head() throws(ArchiveError) -> ArchiveHead? {
      try perform(reading: true) { call in
        guard call.hasSchema else { return nil }
        let row = try call.runPrepared(PostgresStatements.head, .text(store)).first
        guard let head = try row.map(Self.head) else { return nil }
        // What it lacks still arrives: it was not taken back.
        if call.connection.kind == .any, let lastHead, head.epoch <= lastHead.epoch,
          head.mark.revision < lastHead.mark.revision
        {
          let (found, last) = (head.mark.revision, lastHead.mark.revision)
          throw ArchiveError.Reason.away(
            "a server that only reads is at revision \(found) of \(last)"
          )
        }
        lastHead = head
        return head
      }
    }

    private static func head(_ row: PostgresRow) throws(ArchiveError.Reason) -> ArchiveHead {
      ArchiveHead(
        store: try row.uuid(0),
        epoch: try row.integer(1),
        leader: try row.text(2),
        lease: .microseconds(try row.integer(3)),
        leaseEnd: Date(microseconds: try row.integer(6)),
        mark: try row.mark(4, 5)
      )
    }

    /// Starts to lead, and returns the head under the new epoch; the first leader makes the tables.
    public func lead(_ candidate: ArchiveCandidate) throws(ArchiveError) -> ArchiveHead {
      try perform { call in
        if let flaw = candidate.flaw { throw ArchiveError.Reason.unusable(flaw) }
        try access.checkEncoding(call.connection)
        if call.hasSchema {
          try access.checkMayWrite(call.connection)
        } else {
          try makeSchema(call)
        }
        return try changeLeader(to: candidate, call)
      }
    }

    private func changeLeader(to candidate: ArchiveCandidate, _ call: Call) throws -> ArchiveHead {
      for _ in 0..<Self.attempts {
        let led = try call.run(
          PostgresStatements.lead,
          .text(store),
          .uuid(candidate.store),
          .integer(candidate.epoch),
          .text(candidate.leader),
          .integer(candidate.lease.leaseMicroseconds),
          .integer(candidate.start.revision.number),
          .bytes([UInt8](hexadecimal: candidate.start.chain))
        )
        if let row = led.first { return try Self.head(row) }
        guard let row = try call.run(PostgresStatements.head, .text(store)).first else { continue }
        let head = try Self.head(row)
        if head.store != candidate.store { throw ArchiveError.Reason.otherStore(head.store) }
        // A lease that has ended meanwhile is tried again.
        if head.lease > .zero {
          throw ArchiveError.Reason.led(by: head.leader, for: head.lease)
        }
      }
      throw ArchiveError.Reason.away("other processes take the lead over and over")
    }

    private static let attempts = 10

    /// Checks that the role may make the tables, if there are none, or write them.
    public func checkMayStart() throws(ArchiveError) {
      try perform { call in
        try access.checkEncoding(call.connection)
        if call.hasSchema { return try access.checkMayWrite(call.connection) }
        guard let row = try call.run(PostgresSchema.missingForTables).first else { return }
        let (lacking, remedy) = (try row.text(0), try row.text(1))
        if lacking.isEmpty { return }
        throw ArchiveError.Reason.noAccess(
          """
          the role \(call.connection.user) lacks \(lacking), to make the tables; let an owner of the database run \(remedy)
          """
        )
      }
    }

    private func makeSchema(_ call: Call) throws {
      do throws(PostgresFailure) {
        try call.connection.runScript(PostgresSchema.script, until: call.deadline)
        hasSchema = true
      } catch {
        guard case .server("42501", let message) = error else { throw error }
        let user = call.connection.user.replacing(scalar: "\"", with: "\"\"")
        throw ArchiveError.Reason.noAccess(
          """
          its tables cannot be made: \(message); let an owner of the database run \
          CREATE SCHEMA strata AUTHORIZATION "\(user)";
          """
        )
      }
    }

    /// Extends the lease.
    public func renew(_ term: ArchiveTerm) throws(ArchiveError) {
      try perform { call in
        guard call.hasSchema else { throw ArchiveError.Reason.empty }
        let renewed = try call.run(
          PostgresStatements.renew,
          .text(store),
          .integer(term.epoch),
          leader(term),
          .integer(term.lease.leaseMicroseconds)
        )
        if renewed.isEmpty { throw try refusal(call) }
      }
    }

    /// Ends the lease, so that another may lead at once.
    public func release(_ term: ArchiveTerm) throws(ArchiveError) {
      try perform { call in
        guard call.hasSchema else { return }
        try call.run(
          PostgresStatements.release,
          .text(store),
          .integer(term.epoch),
          leader(term)
        )
      }
    }
  }
#endif
