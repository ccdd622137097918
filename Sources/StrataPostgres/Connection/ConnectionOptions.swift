#if Postgres
  import CStrataPostgres
  import Foundation
  import StrataArchiving
  import StrataJournal

  /// Where a server is, in libpq's words.
  struct ConnectionOptions: Sendable {
    /// What the user has given.
    private let given: [String: String]
    /// Where the server is, for messages: nothing that may be secret.
    let place: String

    /// Reads a connection string or URL; it is an error if it has a password.
    ///
    /// libpq's own messages about it are left out, as they may quote a password.
    init(_ text: String) throws(ArchiveError.Reason) {
      guard !text.utf8.contains(0), let options = PQconninfoParse(text, nil) else {
        throw .unusable(
          """
          libpq cannot read the connection string: give a URL as postgres://host/database, or words \
          as "host=… dbname=…" or "service=…"
          """
        )
      }
      defer { PQconninfoFree(options) }
      let read = Self.values(options)
      if let option = read.first(where: { $0.isSecret }) {
        throw .unusable(
          """
          the connection string has the option \(option.keyword), which does not belong there: put it \
          into a service file, a password file (PGPASSFILE) or the environment
          """
        )
      }
      given = Dictionary(read.map { ($0.keyword, $0.value) }) { first, _ in first }
      place = Self.place(given)
    }

    private static func place(_ given: [String: String]) -> String {
      var place = given["host"] ?? given["hostaddr"] ?? ""
      if let port = given["port"] { place += ":\(port)" }
      if let database = given["dbname"] { place += place.isEmpty ? database : "/\(database)" }
      if let service = given["service"] {
        place = place.isEmpty ? "service \(service)" : "service \(service), \(place)"
      }
      return place.isEmpty ? "as in the environment" : place
    }

    /// An option with its value.
    private struct Option {
      let keyword: String
      let value: String
      let isSecret: Bool
    }

    /// The options that have a value.
    private static func values(_ options: UnsafeMutablePointer<PQconninfoOption>) -> [Option] {
      var values: [Option] = []
      var next = options
      while let keyword = next.pointee.keyword {
        if let value = next.pointee.val {
          let keyword = String(cString: keyword)
          // libpq marks what is not to be shown by a star.
          let isMarked =
            next.pointee.dispchar.map { $0.pointee == CChar(bitPattern: 0x2A) } ?? false
          let isSecret = isMarked || keyword.contains("password") || keyword.contains("secret")
          values.append(
            Option(keyword: keyword, value: String(cString: value), isSecret: isSecret)
          )
        }
        next = next.advanced(by: 1)
      }
      return values
    }
  }

  /// Connecting.
  extension ConnectionOptions {
    /// The options of attempts to connect that each start at another one of the hosts.
    ///
    /// Without blocking, libpq waits for a host that does not answer until the caller gives up, so the
    /// time of a call is divided among the hosts.
    ///
    /// - Parameter timeout: How long what was sent may remain without an acknowledgement of TCP.
    func attempts(
      _ kind: PostgresConnection.Kind,
      timeout: Duration
    ) -> (attempts: [[String: String]], secrets: [String]) {
      let resolved = self.resolved()
      let values = Dictionary(resolved.map { ($0.keyword, $0.value) }) { first, _ in first }
      let environment = ProcessInfo.processInfo.environment
      var options = given
      options["client_encoding"] = "UTF8"
      options["fallback_application_name"] = given["fallback_application_name"] ?? "strata"
      func add(_ keyword: String, _ value: String, over standard: String) {
        guard values[keyword, default: standard] == standard else { return }
        options[keyword] = value
      }
      // libpq's default is "any", so only a value that was asked for by name counts as one.
      if given["target_session_attrs"] == nil, environment["PGTARGETSESSIONATTRS"] == nil {
        add("target_session_attrs", kind.rawValue, over: "any")
      }
      if given["tcp_user_timeout"] == nil {
        let milliseconds = Int64((timeout / .milliseconds(1)).rounded(.up))
        add("tcp_user_timeout", "\(milliseconds)", over: "0")
      }
      add("keepalives_idle", "10", over: "")
      add("keepalives_interval", "5", over: "")
      add("keepalives_count", "3", over: "")
      return (
        rotations(of: options, hosts: values),
        resolved.filter { $0.isSecret && !$0.value.isEmpty }.map(\.value)
      )
    }

    /// All options with those of the service file and the environment.
    ///
    /// libpq gives them for a connection only, so this one has an option that makes it fail before it looks
    /// for a server.
    private func resolved() -> [Option] {
      var options = given
      options["sslmode"] = "not one of the modes"
      guard let handle = Self.start(options) else { return [] }
      defer { PQfinish(handle) }
      guard let all = PQconninfo(handle) else { return [] }
      defer { PQconninfoFree(all) }
      return Self.values(all)
    }

    private func rotations(
      of options: [String: String],
      hosts values: [String: String]
    ) -> [[String: String]] {
      let lists = ["host", "hostaddr", "port"].compactMap { keyword in
        values[keyword].map { (keyword, $0.components(separatedBy: ",")) }
      }
      let count = lists.map(\.1.count).max() ?? 1
      guard count > 1, count <= Self.hostLimit else { return [options] }
      return (0..<count).map { first in
        var rotated = options
        // One port may be that of all hosts.
        for (keyword, list) in lists where list.count == count {
          rotated[keyword] = (list[first...] + list[..<first]).joined(separator: ",")
        }
        return rotated
      }
    }

    private static let hostLimit = 16

    /// Starts to connect with these options.
    static func start(_ options: [String: String]) -> OpaquePointer? {
      let names = options.keys.sorted()
      let keywords = names.map { strdup($0) }
      let values = names.map { strdup(options[$0] ?? "") }
      defer { for text in keywords + values { free(text) } }
      let keywordList = keywords.map { UnsafePointer($0) } + [nil]
      let valueList = values.map { UnsafePointer($0) } + [nil]
      return PQconnectStartParams(keywordList, valueList, 0)
    }
  }
#endif
