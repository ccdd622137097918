#if Postgres
  import Foundation

  /// What libpq says about a connection that was not made.
  ///
  /// libpq gives a SQLSTATE only in the verbose form of its message (`PQERRORS_VERBOSE`), after a word in the language of the
  /// server:
  ///
  /// ```
  /// connection to server at "db1", port 5432 failed: FATAL:  28P01: password authentication failed for user "app"
  /// LOCATION:  auth_failed, auth.c:326
  /// ```
  ///
  /// What libpq itself refuses has no code, so it is recognized by its words: English, unless the program has set
  /// another locale for its messages. Then the connection counts as one that may be made later.
  struct ConnectionRefusal {
    /// How many hosts are tried.
    enum Hosts {
      case one
      /// An attempt starts at another one of them each time, so only its first line is about that host.
      case several
    }

    /// The message without codes and places in PostgreSQL's sources.
    let text: String
    /// The SQLSTATE of the server, or of pgbouncer.
    private let code: String?
    private let isWrongSetting: Bool
    private let isReadOnly: Bool

    /// Reads a message of libpq in its verbose form.
    init(_ message: String, among hosts: Hosts) {
      let lines = message.split(whereSeparator: \.isNewline).filter {
        !$0.contains(/^\p{L}+:  .+, \w+\.c:\d+$/)
      }
      let decisive = hosts == .one ? lines[...] : lines.prefix(1)
      let code = decisive.compactMap { $0.firstMatch(of: Self.code)?.output.1 }.last
      self.code = code.map(String.init)
      // pgbouncer gives one code for all that it refuses.
      isWrongSetting =
        (code == nil || code == "08P01")
        && decisive.contains { line in Self.wrongSettings.contains { line.contains($0) } }
      isReadOnly =
        code == nil && decisive.contains { line in Self.readOnly.contains { line.contains($0) } }
      text = lines.map { $0.replacing(Self.code) { ":  \($0.output.2)" } }.joined(separator: "\n")
    }

    private static var code: Regex<(Substring, Substring, Substring)> {
      /:  ([0-9A-Z]{5}): (.*)/
    }

    private static let wrongSettings = [
      "no password supplied", "root certificate file", "certificate verify failed",
      "does not match host name", "server does not support SSL", "certificate file",
      "private key file", "alert unknown ca", "alert bad certificate", "certificate required",
      "definition of service", "invalid sslmode value", "invalid port number",
      "no such database", "no such user", "authentication failed",
    ]

    /// Of libpq 13 and later, and of earlier ones.
    private static let readOnly = [
      "session is read-only", "server is in hot standby mode",
      "could not make a writable connection",
    ]

    /// The failure, with a text that has no secrets.
    func failure(_ text: String) -> PostgresFailure {
      if isWrongSetting { return .misconfigured(text) }
      if isReadOnly { return .readOnly(text) }
      return code.map { .server(code: $0, message: text) } ?? .lost(text)
    }
  }
#endif
