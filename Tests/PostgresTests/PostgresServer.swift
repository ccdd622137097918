#if Postgres
  import Foundation
  import StrataBase
  import TestSupport
  import Testing

  /// A PostgreSQL server of a test, in a directory of its own on a free port of this machine.
  ///
  /// Its processes and files are removed when it is released, and also when the tests end in any other way: a small
  /// script waits for the end of the tests and cleans up.
  final class PostgresServer: Sendable {
    /// Where its files are.
    let directory: String
    let port: Int
    private let janitor: Process
    /// Its end is seen by the janitor.
    private let lifeline: Pipe

    /// Whether servers can be started here; the tests must run where `STRATA_POSTGRES` is `required`.
    static let isAvailable =
      programs != nil || ProcessInfo.processInfo.environment["STRATA_POSTGRES"] == "required"
    /// What the tests say that are skipped.
    static let comment: Comment = "PostgreSQL is not installed here"

    /// One for tests that leave it running.
    static func shared() throws -> PostgresServer { try sharedServer.get() }
    private static let sharedServer = Result { try PostgresServer() }

    /// Makes and starts a server.
    ///
    /// - Parameters:
    ///   - directory: Where to make it; nil for a new directory.
    ///   - settings: Lines for its configuration.
    convenience init(in directory: String? = nil, settings: [String] = []) throws {
      try self.init(directory ?? Self.newDirectory())
      _ = try run("initdb", "-D", data, "-A", "trust", "-U", "strata", "-E", "UTF8", "--no-sync")
      try configure(settings)
      try start()
    }

    /// A standby of another server, which streams from it.
    convenience init(standbyOf primary: PostgresServer, name: String) throws {
      try self.init(Self.newDirectory())
      let connection =
        "host=127.0.0.1 port=\(primary.port) user=strata application_name=\(name)"
      _ = try run("pg_basebackup", "-D", data, "-d", connection, "-R", "--no-sync", "-c", "fast")
      try configure([])
      try start()
    }

    private init(_ directory: String) throws {
      self.directory = directory
      port = try Self.freePort()
      lifeline = Pipe()
      janitor = Process()
      janitor.executableURL = URL(fileURLWithPath: "/bin/sh")
      janitor.arguments = ["-c", Self.cleaning, "sh", directory]
      janitor.standardInput = lifeline
      janitor.standardOutput = FileHandle.nullDevice
      janitor.standardError = FileHandle.nullDevice
      try janitor.run()
      try lifeline.fileHandleForReading.close()
      // A server must not keep it open.
      _ = fcntl(lifeline.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
      try? lifeline.fileHandleForWriting.close()
      janitor.waitUntilExit()
    }

    /// Ends what the pid files name, if it is of this directory, and removes the directory.
    private static let cleaning = """
      trap '' INT TERM HUP
      cat >/dev/null
      for file in "$1"/data/postmaster.pid "$1"/pgbouncer.pid; do
        [ -f "$file" ] || continue
        pid=$(head -n 1 "$file")
        ps -o args= -p "$pid" | grep -qF "$1" || continue
        kill -CONT "$pid"
        kill -QUIT "$pid"
        tries=0
        while kill -0 "$pid" && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
        kill -9 "$pid"
      done
      for try in 1 2 3 4 5; do rm -rf "$1"; [ -e "$1" ] || break; sleep 0.3; done
      """

    var data: String { "\(directory)/data" }

    private static func newDirectory() throws -> String {
      // Short, as a socket's path has at most 107 bytes, and without blanks, for lists of options.
      let path = "/tmp/strata-pg-\(UUID().uuidString.prefix(8).lowercased())"
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      try own(path)
      return path
    }

    /// Gives a directory to the user that servers run as.
    static func own(_ path: String) throws {
      guard geteuid() == 0 else { return }
      _ = try Command.run("/bin/chown", [user, path])
    }

    private func configure(_ settings: [String]) throws {
      // Files are not synced: no test cuts the power.
      let lines =
        [
          "port = \(port)", "listen_addresses = '127.0.0.1'",
          "unix_socket_directories = '\(directory)'", "fsync = off", "max_connections = 60",
          "shared_buffers = 16MB", "max_wal_size = 256MB", "wal_level = replica",
          "max_wal_senders = 4", "log_min_messages = fatal",
        ] + settings
      let text = lines.map { "\($0)\n" }.joined()
      let url = URL(fileURLWithPath: "\(data)/postgresql.conf")
      let before = try String(contentsOf: url, encoding: .utf8)
      try Data((before + "\n" + text).utf8).write(to: url)
      try Self.own(url.path)
    }

    /// Puts lines before the others of `pg_hba.conf`.
    func permit(_ lines: [String]) throws {
      let url = URL(fileURLWithPath: "\(data)/pg_hba.conf")
      let before = try String(contentsOf: url, encoding: .utf8)
      try Data((lines.joined(separator: "\n") + "\n" + before).utf8).write(to: url)
      try Self.own(url.path)
      _ = try sql("SELECT pg_reload_conf()")
    }

    /// The type of a socket over TCP.
    static var streamSocket: Int32 {
      #if canImport(Darwin)
        SOCK_STREAM
      #else
        Int32(SOCK_STREAM.rawValue)
      #endif
    }

    /// A port that is free at this moment.
    static func freePort() throws -> Int {
      let socket = socket(AF_INET, streamSocket, 0)
      defer { close(socket) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(socket, pointer, size) == 0 && getsockname(socket, pointer, &size) == 0
        }
      }
      guard isBound else { throw Command.Failure(description: "no free port: errno \(errno)") }
      return Int(UInt16(bigEndian: address.sin_port))
    }
  }

  /// Its life.
  extension PostgresServer {
    /// Starts it and waits until it answers; after a kill, its former processes may have to end first.
    func start() throws {
      var failure: (any Error)?
      for _ in 0..<50 {
        do {
          let options = "-l \(directory)/log -w -t 60 -s start".split(separator: " ").map(
            String.init
          )
          _ = try run("pg_ctl", "-D", data, arguments: options)
          return
        } catch {
          failure = error
          Thread.sleep(forTimeInterval: 0.1)
        }
      }
      let log = (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? ""
      throw Command.Failure(description: "\(String(describing: failure)) \(log.suffix(1000))")
    }

    /// Stops it as an operator does.
    func stop() throws { _ = try run("pg_ctl", "-D", data, "-m", "fast", "-w", "-s", "stop") }

    /// Kills the postmaster with SIGKILL; the other processes end by themselves.
    func kill() throws { Foundation.kill(try postmaster(), SIGKILL) }

    /// Sends a signal to the postmaster and to the processes of connections.
    func signal(_ signal: Int32, _ backends: [Int32]) throws {
      for process in [try postmaster()] + backends { Foundation.kill(process, signal) }
    }

    /// The processes of connections, without that of this call.
    func backends() throws -> [Int32] {
      try sql(
        """
        SELECT pid FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
        """
      ).split(separator: "\n").compactMap { Int32($0) }
    }

    /// Makes a standby the primary.
    func promote() throws { _ = try run("pg_ctl", "-D", data, "-w", "-s", "promote") }

    private func postmaster() throws -> pid_t {
      let text = try String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8)
      guard let pid = text.split(separator: "\n").first.flatMap({ pid_t($0) }) else {
        throw Command.Failure(description: "\(data) has no postmaster")
      }
      return pid
    }
  }

  /// Using it.
  extension PostgresServer {
    /// A connection string.
    func connection(_ database: String = "postgres", user: String = "strata") -> String {
      "host=127.0.0.1 port=\(port) user=\(user) dbname=\(database)"
    }

    /// Runs SQL and returns its rows, each a line.
    @discardableResult
    func sql(_ text: String, in database: String = "postgres") throws -> String {
      let options = "-X -q -A -t -v ON_ERROR_STOP=1 -h 127.0.0.1 -U strata".split(separator: " ")
      return try run(
        "psql",
        arguments: options.map(String.init) + ["-p", "\(port)", "-d", database, "-c", text]
      )
    }

    /// Makes a database of its own, and returns its name.
    func newDatabase() throws -> String {
      let name = "test_\(UUID().uuidString.replacing("-", with: "").lowercased())"
      try sql("CREATE DATABASE \(name)")
      return name
    }

    @discardableResult
    func run(_ program: String, _ first: String..., arguments: [String] = []) throws -> String {
      guard let programs = Self.programs else {
        throw Command.Failure(description: "\(Self.comment)")
      }
      let path = "\(programs)/\(program)"
      return try Self.runAsUser([path] + first + arguments)
    }

    /// Runs a program as the user of servers: PostgreSQL refuses root.
    @discardableResult
    static func runAsUser(_ arguments: [String]) throws -> String {
      guard geteuid() == 0 else { return try Command.run(arguments[0], Array(arguments[1...])) }
      let options = ["--reuid=\(user)", "--regid=\(user)", "--init-groups"]
      return try Command.run("/usr/bin/setpriv", options + arguments)
    }

    static let user = "postgres"

    /// The directory of PostgreSQL's programs, the newest version first.
    private static let programs: String? = {
      let debian = "/usr/lib/postgresql"
      let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      let candidates =
        versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(debian)/\($0)/bin" }
        + path.split(separator: ":").map(String.init)
      return candidates.first {
        FileManager.default.isExecutableFile(atPath: "\($0)/initdb")
          && FileManager.default.isExecutableFile(atPath: "\($0)/postgres")
      }
    }()
  }

  /// A program that runs to its end.
  enum Command {
    struct Failure: Error, CustomStringConvertible {
      let description: String
    }

    /// Returns what it writes; throws that if it fails.
    ///
    /// Foundation's `Process` does not see the end of a program that leaves a server behind, as that keeps its
    /// descriptor.
    static func run(_ path: String, _ arguments: [String]) throws -> String {
      // A file, as a server that is started inherits it and never closes it.
      let output = FileManager.default.temporaryDirectory
        .appendingPathComponent("strata-command-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: output) }
      #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
      #else
        var actions = posix_spawn_file_actions_t()
      #endif
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 1, output.path, O_WRONLY | O_CREAT, 0o600)
      posix_spawn_file_actions_adddup2(&actions, 1, 2)
      var argv = ([path] + arguments).map { strdup($0) } + [nil]
      defer { for argument in argv { free(argument) } }
      var pid: pid_t = 0
      let failure = posix_spawn(&pid, path, &actions, nil, &argv, environ)
      guard failure == 0 else { throw Failure(description: "\(path): errno \(failure)") }
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      let text = try String(contentsOf: output, encoding: .utf8)
      guard status == 0 else {
        let command = ([path] + arguments).joined(separator: " ")
        throw Failure(description: "\(command): \(status): \(text)")
      }
      return text.trimmingCharacters(in: .newlines)
    }
  }
#endif
