#if Postgres
  import CStrataPostgres
  import Foundation
  import StrataBase

  /// One connection to a server, of which no call waits longer than its deadline.
  ///
  /// It belongs to the thread that uses it. After an error or a time-out it is not used again.
  final class PostgresConnection {
    typealias Deadline = ContinuousClock.Instant

    /// Which servers are asked for, where the connection string does not say it.
    enum Kind: String {
      case readWrite = "read-write"
      case any
    }

    let kind: Kind
    private let handle: OpaquePointer
    private let canceller: PostgresCanceller
    private let secrets: [String]
    private let notices = Notices()
    /// The statements that the server has prepared for this connection.
    private var prepared: Set<String> = []
    /// Whether the server keeps what it has prepared.
    private var keepsPrepared = true

    /// Connects, at most for a time.
    ///
    /// A name server is asked by the system's call, which does not keep to the time.
    ///
    /// - Parameter timeout: How long what was sent may remain without an acknowledgement of TCP.
    init(
      _ options: ConnectionOptions,
      _ kind: Kind,
      within time: Duration,
      timeout: Duration,
      _ canceller: PostgresCanceller
    ) throws(PostgresFailure) {
      let (attempts, secrets) = options.attempts(kind, timeout: timeout)
      self.kind = kind
      self.canceller = canceller
      self.secrets = secrets
      handle = try Self.connect(attempts, within: time, secrets)
      let receiver = Unmanaged.passUnretained(notices).toOpaque()
      PQsetNoticeReceiver(handle, { Notices.receive($1, $0) }, receiver)
    }

    deinit { PQfinish(handle) }

    private static func connect(
      _ attempts: [[String: String]],
      within time: Duration,
      _ secrets: [String]
    ) throws(PostgresFailure) -> OpaquePointer {
      var failures: [PostgresFailure] = []
      for options in attempts {
        do throws(PostgresFailure) {
          return try connect(
            options,
            until: .now + time / attempts.count,
            secrets,
            among: attempts.count == 1 ? .one : .several
          )
        } catch {
          failures.append(error)
        }
      }
      // One that can be read is there now. A host that may be back later may take what another one refuses.
      let readOnly = failures.first { if case .readOnly = $0 { true } else { false } }
      throw readOnly ?? failures.last(where: \.mayPass) ?? failures.last
        ?? .lost("there is no host to try")
    }

    private static func connect(
      _ options: [String: String],
      until deadline: Deadline,
      _ secrets: [String],
      among hosts: ConnectionRefusal.Hosts
    ) throws(PostgresFailure) -> OpaquePointer {
      guard let handle = ConnectionOptions.start(options) else {
        throw .lost("no memory for a connection")
      }
      do throws(PostgresFailure) {
        try finishConnecting(handle, until: deadline, secrets, among: hosts)
        return handle
      } catch {
        PQfinish(handle)
        throw error
      }
    }

    private static func finishConnecting(
      _ handle: OpaquePointer,
      until deadline: Deadline,
      _ secrets: [String],
      among hosts: ConnectionRefusal.Hosts
    ) throws(PostgresFailure) {
      PQsetNoticeReceiver(handle, { _, _ in }, nil)
      // Only this form of a message has the SQLSTATE of a connection that is refused.
      PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
      var state = PGRES_POLLING_WRITING
      while PQstatus(handle) != CONNECTION_BAD {
        switch state {
        case PGRES_POLLING_OK:
          PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
          guard PQsetnonblocking(handle, 1) == 0 else {
            throw .lost(message(of: handle, secrets))
          }
          return
        case PGRES_POLLING_READING: try wait(handle, for: POLLIN, until: deadline)
        case PGRES_POLLING_WRITING: try wait(handle, for: POLLOUT, until: deadline)
        default: throw refusal(of: handle, among: hosts, secrets)
        }
        state = PQconnectPoll(handle)
      }
      throw refusal(of: handle, among: hosts, secrets)
    }
  }

  /// What a server says beside its results.
  ///
  /// A backend that is cancelled while it waits for a synchronous standby has committed, and says so in a warning alone
  /// (`SyncRepWaitForLSN` in PostgreSQL's `syncrep.c`): the statement succeeds, and may be lost with the server.
  private final class Notices {
    var isUnreplicated = false

    static func receive(_ notice: OpaquePointer?, _ receiver: UnsafeMutableRawPointer?) {
      // `PG_DIAG_SOURCE_FUNCTION`, a macro of a character. The text is in the language of the server.
      guard let notice, let receiver,
        let function = PQresultErrorField(notice, Int32(UInt8(ascii: "R"))),
        String(cString: function) == "SyncRepWaitForLSN"
      else { return }
      Unmanaged<Notices>.fromOpaque(receiver).takeUnretainedValue().isUnreplicated = true
    }
  }

  /// Calls.
  extension PostgresConnection {
    /// Runs a statement and returns its rows.
    func run(
      _ sql: String,
      _ parameters: [PostgresValue] = [],
      until deadline: Deadline
    ) throws(PostgresFailure) -> [PostgresRow] {
      let types = parameters.map(\.type)
      return try send(parameters, until: deadline) { count, pointers, lengths, formats in
        PQsendQueryParams(handle, sql, count, types, pointers, lengths, formats, 1)
      }
    }

    /// Runs a statement that the server plans once and not at each run; in no transaction of several statements.
    ///
    /// Behind pgbouncer in transaction mode another session may run it, which has not prepared it. Then the statement has
    /// no effect, and it is run as ``run(_:_:until:)`` does, from then on always.
    func runPrepared(
      _ sql: String,
      _ parameters: [PostgresValue],
      until deadline: Deadline
    ) throws(PostgresFailure) -> [PostgresRow] {
      guard keepsPrepared else { return try run(sql, parameters, until: deadline) }
      // The name is made from the text, so clients that share a session agree on what a name stands for.
      let name = "strata_\(Checksum(of: Array(sql.utf8)))"
      do throws(PostgresFailure) {
        if !prepared.contains(name) {
          try prepare(sql, parameters, as: name, until: deadline)
          prepared.insert(name)
        }
        return try send(parameters, until: deadline) { count, pointers, lengths, formats in
          PQsendQueryPrepared(handle, name, count, pointers, lengths, formats, 1)
        }
      } catch .server("26000", _) {
        keepsPrepared = false
        return try run(sql, parameters, until: deadline)
      }
    }

    private func prepare(
      _ sql: String,
      _ parameters: [PostgresValue],
      as name: String,
      until deadline: Deadline
    ) throws(PostgresFailure) {
      let types = parameters.map(\.type)
      guard PQsendPrepare(handle, name, sql, Int32(types.count), types) == 1 else { throw lost }
      do throws(PostgresFailure) {
        _ = try finish(until: deadline)
      } catch .server("42P05", _) {
        // It is there already.
      }
    }

    private func send(
      _ parameters: [PostgresValue],
      until deadline: Deadline,
      _ send: (Int32, [UnsafePointer<CChar>?], [Int32], [Int32]) -> Int32
    ) throws(PostgresFailure) -> [PostgresRow] {
      let values = parameters.map(\.bytes)
      let size = values.reduce(0) { $0 + ($1?.count ?? 0) }
      guard size <= Self.sizeLimit else {
        throw .server(code: "54000", message: "\(size) bytes are too many for one call")
      }
      let lengths = values.map { Int32($0?.count ?? 0) }
      let formats = [Int32](repeating: 1, count: values.count)
      let isSent = Self.withPointers(to: values) { pointers in
        send(Int32(values.count), pointers, lengths, formats)
      }
      guard isSent == 1 else { throw lost }
      return try finish(until: deadline)
    }

    /// Runs several statements without parameters as one transaction.
    func runScript(_ sql: String, until deadline: Deadline) throws(PostgresFailure) {
      guard PQsendQuery(handle, sql) == 1 else { throw lost }
      _ = try finish(until: deadline)
    }

    /// What PostgreSQL's protocol and a column of bytes can carry, with room for the rest.
    private static let sizeLimit = 1_000_000_000

    /// Whether it can be used: nothing has come from the server, such as the end of the connection.
    ///
    /// What was sent to another client of the same session, as behind pgbouncer, is dropped.
    func isUsable() -> Bool {
      while let notification = PQnotifies(handle) { PQfreemem(notification) }
      return PQconsumeInput(handle) == 1 && PQstatus(handle) == CONNECTION_OK
        && PQtransactionStatus(handle) == PQTRANS_IDLE
    }

    /// The user of the connection.
    var user: String { PQuser(handle).map { String(cString: $0) } ?? "" }

    /// The file descriptor to wait for.
    var socket: Int32 { PQsocket(handle) }

    /// Whether notifications have come; it takes all of them.
    func takeNotifications() throws(PostgresFailure) -> Bool {
      guard PQconsumeInput(handle) == 1, PQstatus(handle) == CONNECTION_OK else { throw lost }
      var isNotified = false
      while let notification = PQnotifies(handle) {
        PQfreemem(notification)
        isNotified = true
      }
      return isNotified
    }

    private func finish(until deadline: Deadline) throws(PostgresFailure) -> [PostgresRow] {
      do throws(PostgresFailure) {
        return try results(until: deadline)
      } catch {
        if error == .timedOut { canceller.cancel(handle) }
        throw error
      }
    }

    private func results(until deadline: Deadline) throws(PostgresFailure) -> [PostgresRow] {
      while true {
        let flushed = PQflush(handle)
        if flushed == 0 { break }
        if flushed < 0 { throw lost }
        let events = try Self.wait(handle, for: POLLIN | POLLOUT, until: deadline)
        if events & POLLIN != 0, PQconsumeInput(handle) == 0 { throw lost }
      }
      var rows: [PostgresRow] = []
      var failure: PostgresFailure?
      while true {
        while PQisBusy(handle) == 1 {
          try Self.wait(handle, for: POLLIN, until: deadline)
          if PQconsumeInput(handle) == 0 { throw failure ?? lost }
        }
        guard let result = PQgetResult(handle) else { break }
        defer { PQclear(result) }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK: rows = Self.rows(of: result)
        case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
        default: failure = failure ?? self.failure(of: result)
        }
      }
      if notices.isUnreplicated {
        throw failure ?? .lost("the server has committed it, and its standby may not have it")
      }
      if let failure { throw failure }
      return rows
    }

    private static func rows(of result: OpaquePointer) -> [PostgresRow] {
      let columns = 0..<PQnfields(result)
      return (0..<PQntuples(result)).map { row in
        PostgresRow(
          fields: columns.map { column in
            guard PQgetisnull(result, row, column) == 0 else { return nil }
            let bytes = UnsafeRawPointer(PQgetvalue(result, row, column))
            let count = Int(PQgetlength(result, row, column))
            return Array(UnsafeRawBufferPointer(start: bytes, count: count))
          }
        )
      }
    }

    /// Calls a closure with pointers to the values; the pointer to an empty one is not nil.
    private static func withPointers<R>(
      to values: [[UInt8]?],
      _ body: ([UnsafePointer<CChar>?]) -> R
    ) -> R {
      func next(_ index: Int, _ pointers: [UnsafePointer<CChar>?]) -> R {
        guard index < values.count else { return body(pointers) }
        guard let value = values[index] else { return next(index + 1, pointers + [nil]) }
        return (value.isEmpty ? [0] : value).withUnsafeBytes { bytes in
          next(index + 1, pointers + [bytes.assumingMemoryBound(to: CChar.self).baseAddress])
        }
      }
      return next(0, [])
    }

    /// Waits until the socket can be read or written, and returns for what.
    @discardableResult
    private static func wait(
      _ handle: OpaquePointer,
      for events: Int32,
      until deadline: Deadline
    ) throws(PostgresFailure) -> Int32 {
      let socket = PQsocket(handle)
      guard socket >= 0 else { throw .lost("the connection is closed") }
      while true {
        let rest = max(.zero, deadline - .now) / .milliseconds(1)
        var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
        let count = poll(&entry, 1, Int32(min(rest.rounded(.up), 3_600_000)))
        // An error or the end of the connection can be read.
        if count > 0 { return Int32(entry.revents) & (POLLIN | POLLOUT) | POLLIN }
        if count < 0, errno != EINTR { throw .lost(String(cString: strerror(errno))) }
        if deadline <= .now { throw .timedOut }
      }
    }
  }

  /// Messages.
  extension PostgresConnection {
    private var lost: PostgresFailure { .lost(Self.message(of: handle, secrets)) }

    /// Why a connection was not made.
    private static func refusal(
      of handle: OpaquePointer,
      among hosts: ConnectionRefusal.Hosts,
      _ secrets: [String]
    ) -> PostgresFailure {
      let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
      let refusal = ConnectionRefusal(message, among: hosts)
      return refusal.failure(refusal.text.withheld(ifQuoting: secrets + password(of: handle)))
    }

    private static func message(of handle: OpaquePointer, _ secrets: [String]) -> String {
      let message = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
      return message.withheld(ifQuoting: secrets + password(of: handle))
    }

    /// The password of a connection, which may come from a password file.
    private static func password(of handle: OpaquePointer) -> [String] {
      PQpass(handle).map { String(cString: $0) }.map { $0.isEmpty ? [] : [$0] } ?? []
    }

    /// Only the first line of what the server says: its details may quote values.
    private func failure(of result: OpaquePointer) -> PostgresFailure {
      // `PG_DIAG_SQLSTATE` and `PG_DIAG_MESSAGE_PRIMARY`, which are macros of characters.
      guard let code = PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else { return lost }
      let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
      return .server(
        code: String(cString: code),
        message: (message ?? "").withheld(ifQuoting: secrets + Self.password(of: handle))
      )
    }
  }

  extension String {
    /// The text on one line, or another one if it has one of the secrets.
    fileprivate func withheld(ifQuoting secrets: [String]) -> String {
      if secrets.contains(where: { self.contains($0) }) {
        return "the message of libpq is withheld, as it quotes a password"
      }
      let lines = split(whereSeparator: \.isNewline).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      return lines.isEmpty ? "the connection was closed" : lines.joined(separator: "; ")
    }
  }
#endif
