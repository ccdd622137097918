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
  /// Each object of an `ObjectArchive` is a row. A put is one statement, an append as well, which the server has on its disk
  /// when the call returns, also where `synchronous_commit` is off. Leases run by the server's clock. The tables are those of
  /// <doc:StrataPostgres>; the first leader makes them.
  public actor PostgresArchive: ObjectArchive {
    /// The store and where its database is, without user, options or password.
    public nonisolated let name: String

    private let executor = FileExecutor(label: "strata.postgres")
    /// The queue of the archive, as calls wait for the server.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
      executor.asUnownedSerialExecutor()
    }

    /// How long a call may take once it is connected.
    public nonisolated var callLimit: Duration? { access.callTimeout }

    /// What this value has read and put.
    public nonisolated let memory = ObjectMemory()
    private nonisolated let store: String
    private nonisolated let access: PostgresAccess
    private let notifier: PostgresNotifier
    private var connection: PostgresConnection?
    private var hasSchema = false
    /// The head that was read last: a server that only reads may be behind that.
    private var lastHead: ObjectContents?

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
      try await stores(in: connection).map(\.name)
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
        return try call.run(PostgresStatements.heads).compactMap { row in
          let head = try ArchiveHead(Self.object(row))
          return try head.map { (try row.text(4), $0, try row.integer(5)) }
        }
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
      @discardableResult
      func runPrepared(
        _ sql: String,
        _ parameters: PostgresValue...
      ) throws(PostgresFailure) -> [PostgresRow] {
        try connection.runPrepared(sql, parameters, until: deadline)
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
        if connection?.isUsable() != true { connection = nil }
        throw ArchiveError(reason, archive: name)
      } catch let failure as PostgresFailure {
        connection = nil
        throw ArchiveError(failure.reason, archive: name)
      } catch let error as CorruptionError {
        throw ArchiveError(.damaged(error.detail), archive: name)
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
  }

  /// The operations.
  extension PostgresArchive {
    /// A row.
    public func get(_ name: String) throws(ArchiveError) -> ObjectContents? {
      try perform(reading: true) { call in
        guard call.hasSchema else { return nil }
        let row = try call.runPrepared(PostgresStatements.get, .text(store), .text(name)).first
        guard let object = try row.map(Self.object) else { return nil }
        if name == ObjectContents.headName { try noteHead(object, on: call.connection) }
        return object
      }
    }

    private static func object(_ row: PostgresRow) throws(ArchiveError.Reason) -> ObjectContents {
      ObjectContents(
        body: try row.bytes(0),
        tag: try row.text(1),
        time: Date(microseconds: try row.integer(2)),
        age: .microseconds(try row.integer(3))
      )
    }

    /// What a server that only reads lacks still arrives: it was not taken back.
    private func noteHead(_ object: ObjectContents, on connection: PostgresConnection) throws {
      if connection.kind == .any, let last = try lastHead.map({ try ArchiveHead($0) }) ?? nil,
        let head = try ArchiveHead(object), head.epoch <= last.epoch,
        head.mark.revision < last.mark.revision
      {
        let (found, last) = (head.mark.revision, last.mark.revision)
        throw ArchiveError.Reason.away(
          "a server that only reads is at revision \(found) of \(last)"
        )
      }
      lastHead = object
    }

    /// Rows, with one statement.
    public func get(_ names: [String], bytes: Int) throws(ArchiveError) -> [NamedBody] {
      try perform(reading: true) { call in
        guard call.hasSchema, !names.isEmpty else { return [] }
        return try call.runPrepared(
          PostgresStatements.getSome,
          .text(store),
          .texts(names),
          .integer(Int64(bytes))
        ).map { NamedBody(name: try $0.text(0), body: try $0.bytes(1)) }
      }
    }

    /// Inserts a row, or updates that of the head; the first head makes the tables.
    public func put(
      _ body: [UInt8],
      as name: String,
      if condition: ObjectCondition
    ) throws(ArchiveError) -> ObjectContents.Tag? {
      if case .tag(let tag) = condition { return try put([], andHead: body, if: tag) }
      return try perform { call in
        if !call.hasSchema {
          try call.connection.runScript(PostgresSchema.script, until: call.deadline)
          hasSchema = true
        }
        return try call.runPrepared(
          PostgresStatements.putIfAbsent,
          .text(store),
          .text(name),
          .bytes(body)
        ).first?.text(0)
      }
    }

    /// Updates the row of the head and inserts the others, with one statement; wakes followers.
    public func put(
      _ objects: [NamedBody],
      andHead head: [UInt8],
      if tag: ObjectContents.Tag
    ) throws(ArchiveError) -> ObjectContents.Tag? {
      let new: ObjectContents.Tag? = try perform { call in
        guard call.hasSchema else { return nil }
        return try call.runPrepared(
          PostgresStatements.putAndHead,
          .text(store),
          .text(tag),
          .bytes(head),
          .texts(objects.map(\.name)),
          .byteStrings(objects.map(\.body))
        ).first?.text(0)
      }
      if new != nil, !objects.isEmpty { notifier.notify() }
      return new
    }

    /// The names, sizes and ages of rows.
    public func list(_ prefix: String, after name: String) throws(ArchiveError) -> [ObjectEntry] {
      try perform(reading: true) { call in
        guard call.hasSchema else { return [] }
        return try call.runPrepared(
          PostgresStatements.list,
          .text(store),
          .text(prefix),
          .text(prefix + "\u{10FFFF}"),
          .text(name)
        ).map { row in
          ObjectEntry(
            name: try row.text(0),
            size: try row.integer(1),
            age: .microseconds(try row.integer(2))
          )
        }
      }
    }

    /// Removes rows, a hundred with a statement: each may have 64 MB.
    public func remove(_ names: [String]) throws(ArchiveError) {
      for start in stride(from: 0, to: names.count, by: 100) {
        try perform { call in
          let some = Array(names[start..<min(start + 100, names.count)])
          if call.hasSchema {
            try call.run(PostgresStatements.remove, .text(store), .texts(some))
          }
        }
      }
    }

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
  }
#endif
