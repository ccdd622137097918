import Foundation

/// A program that shows text a page at a time.
struct Pager {
  /// Where the text is written to.
  let input: Int32
  private let process: pid_t

  /// The environment variable with the pager of this command; empty for none.
  static let variable = "STRATA_PAGER"

  /// The pager of the user, for text on a terminal: `STRATA_PAGER`, `PAGER` or `less`; nil for none.
  ///
  /// An empty variable, `cat` and a program that is not installed mean none, and so does a terminal that
  /// cannot move its cursor.
  static var command: String? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    let environment = ProcessInfo.processInfo.environment
    guard environment["TERM"] != "dumb" else { return nil }
    let command = environment[variable] ?? environment["PAGER"] ?? "less"
    guard let program = command.split(separator: " ").first, program != "cat" else { return nil }
    // A shell reads it: `LESS=FRX less`, `"/opt/my pager" -R`.
    if program.contains(where: { "='\"$\\(".contains($0) }) { return command }
    let folders = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/" }
    let places = program.contains("/") ? [""] : folders
    return places.contains { access($0 + program, X_OK) == 0 } ? command : nil
  }

  /// Starts a pager on the terminal; nil if it cannot be started.
  ///
  /// An interruption of the terminal then is the pager's alone, as it ends with its reader.
  init?(_ command: String) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    defer { close(ends[0]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    guard let process = Self.start(command, input: ends[0]) else {
      close(ends[1])
      return nil
    }
    signal(SIGINT, SIG_IGN)
    input = ends[1]
    self.process = process
  }

  private static func start(_ command: String, input: Int32) -> pid_t? {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What this process ignores, the pager must not.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))

    var environment = ProcessInfo.processInfo.environment
    // Ends where the text fits on the terminal, shows colors, and leaves the text there.
    environment["LESS"] = environment["LESS"] ?? "FRX"
    func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
      texts.map { strdup($0) } + [nil]
    }
    let arguments = copies(["sh", "-c", command])
    let variables = copies(environment.map { "\($0.key)=\($0.value)" })
    defer { (arguments + variables).forEach { free($0) } }
    var process = pid_t()
    let status = posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments, variables)
    return status == 0 ? process : nil
  }

  /// Ends the text, and waits until the reader has ended the pager.
  func finish() {
    close(input)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}
