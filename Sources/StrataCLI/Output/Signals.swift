import Foundation

/// How the command handles signals.
enum Signals {
  /// Makes a closed pipe an error of the next write instead of the end of the process, and gives an
  /// interruption its own exit code.
  ///
  /// No cleanup is needed before exiting: what changes a store does so in one transaction or by a new file, whose
  /// unfinished form the next opening removes; and if a copy of a store is read, that copy has been unlinked
  /// already.
  static func configure() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGINT) { _ in _exit(ExitStatus.interrupted.rawValue) }
    // A parent that starts this process from a libdispatch queue passes on a mask that blocks all signals.
    var interruption = sigset_t()
    sigemptyset(&interruption)
    sigaddset(&interruption, SIGINT)
    sigprocmask(SIG_UNBLOCK, &interruption, nil)
  }
}
