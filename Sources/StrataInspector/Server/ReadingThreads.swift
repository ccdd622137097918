#if Inspector
  import NIOPosix

  /// The threads that read the store.
  ///
  /// One that reads whole tables at an earlier revision holds the changes since a snapshot, so only one does it at a
  /// time. The other answers need little memory and do not wait for it.
  struct ReadingThreads: Sendable {
    /// Read commits and a few entities.
    let few = NIOThreadPool(numberOfThreads: 4)
    private let tables = NIOThreadPool(numberOfThreads: 1)

    init() {
      few.start()
      tables.start()
    }

    func pool(for subject: Answers.Subject) -> NIOThreadPool { subject.isOfTables ? tables : few }

    /// Ends them: what is being read is finished.
    func end() async throws {
      try await few.shutdownGracefully()
      try await tables.shutdownGracefully()
    }
  }

  /// What the connections of a server share.
  struct Service: Sendable {
    let gate: Gate
    let answers: Answers
    let tail: Tail
    let threads: ReadingThreads
  }
#endif
