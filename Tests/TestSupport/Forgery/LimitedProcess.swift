package import Foundation

/// A program that runs with limits on its memory and time, and what it used.
package struct LimitedProcess {
  /// The exit code, or the negated number of a signal.
  package let status: Int32
  /// The time of the processor in seconds.
  package let seconds: Double
  /// The most memory it had at once, in bytes.
  package let peak: Int
  package let output: Data
  package let errors: Data

  package static let mostBytes = 512 << 20

  /// Whether this program was built with a sanitizer, which needs far more memory and time.
  package static let isSanitized =
    dlsym(UnsafeMutableRawPointer(bitPattern: 0), "__asan_init") != nil
    || dlsym(UnsafeMutableRawPointer(bitPattern: 0), "__tsan_init") != nil

  /// Whether it kept to the limit of memory, and to one of time.
  ///
  /// - Parameter mostSeconds: a multiple of what the same program needed in this run: how fast the machine is, and what else
  ///   it does, must not decide.
  package func isWithinLimits(mostSeconds: Double) -> Bool {
    Self.isSanitized || seconds <= mostSeconds && peak <= Self.mostBytes
  }

  /// Limits the processes that this one starts from now on, so that none of them can use up the memory or
  /// the disk of the machine.
  package static func limitChildren() {
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    // A file that is made to grow must not fill the disk either.
    limit(RLIMIT_FSIZE, 1 << 30)
    if !isSanitized { limit(RLIMIT_DATA, 2 * mostBytes) }
  }

  /// Limits the size of the files that this process writes.
  package static func limitFiles(to bytes: Int) { limit(RLIMIT_FSIZE, bytes) }

  #if canImport(Darwin)
    private typealias Resource = Int32
  #else
    private typealias Resource = __rlimit_resource
  #endif

  private static func limit(_ resource: Resource, _ value: Int) {
    #if !canImport(Darwin)
      let resource = Int32(resource.rawValue)
    #endif
    var limits = rlimit()
    getrlimit(resource, &limits)
    limits.rlim_cur = rlim_t(value)
    setrlimit(resource, &limits)
  }

  /// Runs a program to its end; one that neither works nor ends is killed after ten minutes.
  ///
  /// - Parameter directory: where its output is kept meanwhile.
  package init(_ path: String, _ arguments: [String], in directory: String) throws {
    let files = ["output", "errors"].map { directory + "/" + $0 }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for (index, file) in files.enumerated() {
      let flags = O_WRONLY | O_CREAT | O_TRUNC
      posix_spawn_file_actions_addopen(&actions, Int32(index + 1), file, flags, 0o600)
    }
    var argv = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    var pid: pid_t = 0
    let failure = posix_spawn(&pid, path, &actions, nil, &argv, environ)
    guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
    let child = pid
    let watchdog = DispatchWorkItem { kill(child, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 600, execute: watchdog)
    var (state, usage): (Int32, rusage) = (0, rusage())
    while wait4(pid, &state, 0, &usage) < 0, errno == EINTR {}
    watchdog.cancel()
    let signal = state & 0x7F
    status = signal == 0 ? state >> 8 & 0xFF : -signal
    seconds = [usage.ru_utime, usage.ru_stime].reduce(0) {
      $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
    }
    // Linux counts kilobytes, macOS bytes.
    #if canImport(Darwin)
      peak = usage.ru_maxrss
    #else
      peak = usage.ru_maxrss << 10
    #endif
    output = try Data(contentsOf: URL(fileURLWithPath: files[0]))
    errors = try Data(contentsOf: URL(fileURLWithPath: files[1]))
  }
}
