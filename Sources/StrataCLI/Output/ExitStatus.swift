import Foundation
package import StrataJournal
package import StrataMigrating
package import StrataSQL
package import StrataScripts
import StrataStorage

/// The exit codes of `strata`.
///
/// | code | meaning |
/// | --- | --- |
/// | 0 | success; also when the reader of a pipe has closed it |
/// | 1 | failure: the file is not a store, or the request cannot be answered |
/// | 2 | success with a finding: `diff` and `compare` differ, `doctor` found a problem, migrations are pending or would lose data |
/// | 3 | there is no such file, directory, table or entity |
/// | 4 | the store is damaged or truncated, or a check of `verify` failed |
/// | 5 | locked or busy, or the archive does not answer: the same call may succeed later |
/// | 6 | drift: the format or schema of the file differs from the one this build knows |
/// | 7 | newer format: a newer build can read the file |
/// | 64 | usage error (`EX_USAGE`; set by the parser) |
/// | 74 | I/O error (`EX_IOERR`) |
/// | 130 | interrupted (128 + `SIGINT`) |
/// | 143 | terminated (128 + `SIGTERM`), as a shell and a container report it |
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case ok = 0
  case failed = 1
  case differences = 2
  case notFound = 3
  case damaged = 4
  case locked = 5
  case drift = 6
  case newerFormat = 7
  case usage = 64
  case io = 74
  case interrupted = 130
  case terminated = 143

  /// The status for an error of a store's file.
  package init(_ error: PersistenceError) {
    self = error.dataMigration.map { Self($0) } ?? Self(error.kind)
  }

  /// The status for a kind of errors of a store's file or of an archive.
  package init(_ kind: PersistenceError.Kind) {
    self =
      switch kind {
      case .notThere: .notFound
      case .notAStore, .otherStore, .undecodable, .refused, .closed, .notKept: .failed
      case .locked, .busy: .locked
      case .damaged: .damaged
      case .newer: .newerFormat
      case .otherSchema: .drift
      case .disk: .io
      }
  }

  /// The status for data that was not migrated.
  package init(_ error: DataMigrationError) {
    self =
      switch error {
      case .pending, .refused, .needsProgram, .noStatement: .differences
      default: Self(error.kind)
      }
  }

  /// The status for a folder of migrations that cannot be used.
  package init(_ error: SQLMigrationError) {
    self =
      switch error {
      case .unreadable, .noMigration, .empty: .notFound
      case .unwritable: .io
      case .badName, .notText, .duplicate, .squashed, .onlyDown, .directive, .missingSwift,
        .missingFile:
        .failed
      }
  }

  /// The status for a file that was not imported.
  package init(_ error: ImportError) {
    self =
      switch error {
      case .unreadable, .noTable: .notFound
      case .unknownForm, .noTableName, .persistedValue, .sealed, .lines, .noEntities: .failed
      }
  }

  /// The status for a query that was not answered.
  package init(_ error: QueryError) {
    self =
      switch error {
      case .noTable, .noColumn: .notFound
      case .temporaryFile: .io
      default: .failed
      }
  }
}

/// How the command handles signals.
enum Signals {
  /// The pipe from the handlers to the thread that ends the process: a handler may do no more than write a byte.
  private static let ends: (reading: Int32, writing: Int32) = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return (-1, -1) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }()

  /// Makes a closed pipe, and a file that reaches the limit of the process (`ulimit -f`), an error of the next write
  /// instead of the end of the process, and makes an interruption leave no unfinished copy.
  ///
  /// What changes a store does so in one transaction or by a new file, whose unfinished form the next opening removes; and if
  /// a copy of a store is read, that copy has been unlinked already. A handler is needed for `SIGTERM` too: the kernel does
  /// not end process 1 of a container by a signal that has none.
  static func configure() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    let (reading, writing) = ends
    // Without a pipe, the handlers end the process at once.
    if writing >= 0 { Thread.detachNewThread { waitForSignal(on: reading) } }
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      sigaddset(&signals, number)
      let isIgnored = unsafeBitCast(signal(number, handler), to: Int.self) == 1
      // `nohup` starts a command that ignores the end of its terminal.
      if isIgnored, number == SIGHUP { signal(number, SIG_IGN) }
    }
    // A parent that starts this process from a libdispatch queue passes on a mask that blocks all signals.
    sigprocmask(SIG_UNBLOCK, &signals, nil)
  }

  private static let handler: @convention(c) (Int32) -> Void = { number in
    var byte = UInt8(truncatingIfNeeded: number)
    let error = errno
    if write(Signals.ends.writing, &byte, 1) != 1 { _exit(Signals.status(of: number)) }
    errno = error
  }

  private static func status(of signal: Int32) -> Int32 {
    switch signal {
    case SIGINT: ExitStatus.interrupted.rawValue
    case SIGTERM: ExitStatus.terminated.rawValue
    default: 128 + signal
    }
  }

  private static func waitForSignal(on descriptor: Int32) {
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) != 1 {
      if errno != EINTR { return }
    }
    let number = Int32(byte)
    NewFile.removeAll {
      // The parent of a process that was terminated sees the signal. Process 1 cannot end by one.
      if number != SIGINT, getpid() != 1 {
        signal(number, SIG_DFL)
        kill(getpid(), number)
        sleep(1)
      }
      _exit(status(of: number))
    }
  }
}
