import StrataCore

/// What a store is created from that writes its commits into a file.
protocol JournalingSource: Sendable {
  var writer: JournalWriter { get }
  var line: WriteLine { get }
}

extension Persistence: JournalingSource {}

/// One commit that waits for the disk.
struct DurableCommit {
  private let writer: JournalWriter
  private let line: WriteLine
  private let ticket = CommitTicket()

  /// Traps for a store that no file stands behind: its commits cannot become durable.
  init<State, Activity>(of store: Store<State, Activity>, _ trace: CommitTrace) {
    guard let source = store.source as? any JournalingSource else {
      fatalError(
        """
        commitDurably "\(trace.name)" at \(trace.place): \(store.name) was not created from a \
        Persistence, so there is no disk to wait for. Create the store from one, or call commit.
        """
      )
    }
    writer = source.writer
    line = source.line
  }

  /// Called inside the commit, before its edit.
  func begin<State, Activity>(
    on store: Store<State, Activity>,
    _ attachments: inout CommitAttachments
  ) throws(PersistenceError) {
    if store.isPreviewing {
      throw PersistenceError(.appending, path: writer.path.file, .previewing)
    }
    attachments[CommitTicket.key] = ticket
  }

  /// Returns when the commit, and all that it can have seen, is on disk.
  func wait() async throws(DurabilityError) {
    let target = ticket.revision ?? line.lastRevision
    do {
      try await writer.durable(through: target)
    } catch {
      let (isDurable, isInMemoryOnly) = line.fate(of: target)
      if !isDurable {
        throw DurabilityError(
          revision: target,
          outcome: isInMemoryOnly ? .notWritten : .unknown,
          cause: error
        )
      }
    }
    let refused = writer.board.current.unpersisted.entities(of: target)
    guard refused.isEmpty else {
      let cause = PersistenceError(.appending, path: writer.path.file, .notPersisted(refused))
      throw DurabilityError(revision: target, outcome: .partlyDurable, cause: cause)
    }
  }
}
