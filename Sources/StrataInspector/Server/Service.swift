#if Inspector
  import NIOPosix

  /// What the connections of a server share.
  struct Service: Sendable {
    let gate: Gate
    let answers: Answers
    let tail: Tail
    let threads: ReadingThreads
  }
#endif
