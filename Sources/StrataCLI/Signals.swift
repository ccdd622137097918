import Foundation

/// What the signals of a terminal do to a command.
enum Signals {
  /// Makes a closed pipe an error of the next write instead of a death, and an interruption an exit
  /// with its own code.
  ///
  /// Nothing needs to be put away before leaving: a store is only read, and the copy of one that may
  /// be read has no name any more.
  static func arrange() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGINT) { _ in _exit(ExitStatus.interrupted.rawValue) }
    // A program that starts this one from a queue of libdispatch hands on a mask that blocks all.
    var interruption = sigset_t()
    sigemptyset(&interruption)
    sigaddset(&interruption, SIGINT)
    sigprocmask(SIG_UNBLOCK, &interruption, nil)
  }
}
