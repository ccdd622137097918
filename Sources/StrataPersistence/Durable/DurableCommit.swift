import StrataCore
import StrataJournal
package import StrataStorage

/// A source of stores that writes their commits to a file.
package protocol JournalingSource: Sendable {
  /// What writes the commits, and what runs beside it; nil while a follower has no commits of its own.
  var journal: (writer: JournalWriter, companion: (any JournalCompanion)?)? { get }
}

extension Persistence: JournalingSource {
  package var journal: (writer: JournalWriter, companion: (any JournalCompanion)?)? {
    (writer, companion)
  }
}

/// One commit that waits for the disk.
struct DurableCommit {
  /// Nil for a follower, which refuses the commit.
  private let writer: JournalWriter?
  /// What is waited for beside the disk.
  private let mark: CommitMark
  private let companion: (any JournalCompanion)?
  private let revision = CommitRevision()

  /// Traps for a store without a file, or without an archive if that is to be waited for.
  init<State, Activity>(
    of store: Store<State, Activity>,
    _ trace: CommitTrace,
    until mark: CommitMark
  ) {
    guard let source = store.source as? any JournalingSource else {
      fatalError(
        """
        commitDurably "\(trace.name)" at \(trace.place): \(store.name) was not created from a \
        Persistence, so there is no file to wait for. Create the store from one, or call commit.
        """
      )
    }
    let journal = source.journal
    writer = journal?.writer
    companion = journal?.companion
    self.mark = mark
    if mark != .durable, journal != nil, companion == nil {
      fatalError(
        """
        commitDurably "\(trace.name)" at \(trace.place) waits for an archive, and \(store.name) has \
        none. Open it with: [.archive(…)], or wait for .durable.
        """
      )
    }
  }

  /// Called inside the commit, before its edit.
  func begin<State, Activity>(
    on store: Store<State, Activity>,
    _ attachments: inout CommitAttachments
  ) throws(PersistenceError) {
    if store.isPreviewing, let writer {
      throw PersistenceError(.appending, path: writer.path.file, .previewing)
    }
    attachments[CommitRevision.key] = revision
  }

  /// Returns when the commit, and everything that it can have read, is on disk.
  func wait() async throws(DurabilityError) {
    guard let writer else { return }
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
    do {
      if case .companion(let limit) = mark.kind {
        try await companion?.reach(target, within: limit)
      }
    } catch {
      throw DurabilityError(revision: target, outcome: .notReplicated, cause: error)
    }
  }
}
