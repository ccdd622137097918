import Foundation

/// How the command handles signals.
enum Signals {
  /// Makes a closed pipe an error of the next write instead of the end of the process, and gives an
  /// interruption its own exit code.
  ///
  /// No cleanup is needed before exiting: the store is only read, and if a copy of it is read, that copy
  /// has been unlinked already.
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
