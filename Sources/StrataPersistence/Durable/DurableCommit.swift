import StrataCore
import StrataStorage

/// A source of stores that writes their commits to a file.
protocol JournalingSource: Sendable {
  var writer: JournalWriter { get }
}

extension Persistence: JournalingSource {}

/// One commit that waits for the disk.
struct DurableCommit {
  private let writer: JournalWriter
  private let revision = CommitRevision()

  /// Traps for a store without a file: its commits cannot become durable.
  init<State, Activity>(of store: Store<State, Activity>, _ trace: CommitTrace) {
    guard let source = store.source as? any JournalingSource else {
      fatalError(
        """
        commitDurably "\(trace.name)" at \(trace.place): \(store.name) was not created from a \
        Persistence, so there is no file to wait for. Create the store from one, or call commit.
        """
      )
    }
    writer = source.writer
  }

  /// Called inside the commit, before its edit.
  func begin<State, Activity>(
    on store: Store<State, Activity>,
    _ attachments: inout CommitAttachments
  ) throws(PersistenceError) {
    if store.isPreviewing {
      throw PersistenceError(.appending, path: writer.path.file, .previewing)
    }
    attachments[CommitRevision.key] = revision
  }

  /// Returns when the commit, and everything that it can have read, is on disk.
  func wait() async throws(DurabilityError) {
    let target = revision.number.map { Revision($0) } ?? writer.queue.lastRevision
    do {
      if !writer.isDurable(through: target) { try await writer.durable(through: target) }
    } catch {
      let (isDurable, isInMemoryOnly) = writer.queue.outcome(of: target)
      if !isDurable {
        throw DurabilityError(
          revision: target,
          outcome: isInMemoryOnly ? .notWritten : .unknown,
          cause: error
        )
      }
    }
    let refused = writer.statusTracker.current.unpersisted.entities(of: target)
    guard refused.isEmpty else {
      let cause = PersistenceError(.appending, path: writer.path.file, .notPersisted(refused))
      throw DurabilityError(revision: target, outcome: .partlyDurable, cause: cause)
    }
  }
}
