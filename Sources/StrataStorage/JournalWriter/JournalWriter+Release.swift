import Foundation
package import StrataBase
import StrataJournal

/// Closing a file whose program has released it, or ends, without closing it.
extension JournalWriter {
  /// How long a program waits for the writer of a store that it has not closed.
  static let releaseLimit = DispatchTimeInterval.seconds(1)

  /// Whether a debug build stops where commits are pending; not in a process of tests, which leave stores to failing
  /// disks.
  package static let assertsClosing = Lock(true)

  /// Writes what waits and releases the file, for at most a second; reports what is pending then.
  package nonisolated func closeReleased() {
    OpenWriters.remove(self)
    startClosing()?.report(at: .now() + Self.releaseLimit, of: self)
  }

  /// Closes the file when the process ends by `exit`, unless it is closed before.
  package nonisolated func closeAtExit() {
    if configuration.restore != .readOnly { OpenWriters.add(self) }
  }

  /// Lets the executor close the file; nil if `close()` was called, which reports its own errors.
  nonisolated func startClosing() -> ReleasedWriting? {
    guard isOpenForWriting else { return nil }
    let writing = ReleasedWriting()
    queue.refuseCommits(.closed)
    let close: @Sendable () -> Void = { [self] in
      assumeIsolated { writer in
        writing.end(with: Result { () throws(PersistenceError) in try writer.close() })
      }
    }
    if executor.isCurrent { close() } else { executor.schedule(close) }
    return writing
  }

  /// Whether there is a file to be closed.
  private nonisolated var isOpenForWriting: Bool {
    if configuration.restore == .readOnly { return false }
    if case .closed = statusTracker.current.condition { return false }
    return true
  }

  /// How many commits are not in the file.
  nonisolated var pendingCommits: Int64 {
    max(0, queue.lastRevision.number - queue.current.written.number)
  }
}

/// The last writes to a file that was not closed.
struct ReleasedWriting: Sendable {
  private let hasEnded = DispatchSemaphore(value: 0)
  private let result = Lock<Result<Void, PersistenceError>?>(nil)

  func end(with result: Result<Void, PersistenceError>) {
    self.result.withLock { $0 = result }
    hasEnded.signal()
  }

  /// Waits until the writing has ended, and reports the commits that are not in the file: on standard error, and
  /// with an assertion in a debug build.
  func report(at deadline: DispatchTime, of writer: JournalWriter) {
    Scheduling.current.park(until: { result.withLock { $0 != nil } }) {
      _ = hasEnded.wait(timeout: deadline)
    }
    let pending = writer.pendingCommits
    guard pending > 0 else { return }
    let cause =
      switch result.withLock({ $0 }) {
      case .failure(let error): error.reason.sentence
      default: "the writer needs longer than the time that it is given"
      }
    let commits = Measures.count(pending, "commit is", "commits are")
    let text =
      """
      \(writer.path.file): the store was not closed, and \(commits) lost if the process ends \
      now: \(cause.withFullStop) Call close() and wait for it before the store is released and before the \
      program ends, or use withPersistence.
      """
    if JournalWriter.assertsClosing.withLock({ $0 }) {
      StandardError.report(text, assertion: "A store with pending commits was not closed")
    } else {
      StandardError.write(text + "\n")
    }
  }
}

/// The writers of this process whose files are closed when it ends by `exit`, as after the end of `main`.
enum OpenWriters {
  private struct Entry: Sendable {
    weak var writer: JournalWriter?
  }

  private static let entries = Lock<[ObjectIdentifier: Entry]>([:])
  /// Registers the function once; a process that was forked from this one has no threads that could write.
  private static let owner: Int32 = {
    atexit { OpenWriters.closeAll() }
    return getpid()
  }()

  static func add(_ writer: JournalWriter) {
    _ = owner
    entries.withLock { $0[ObjectIdentifier(writer)] = Entry(writer: writer) }
  }

  static func remove(_ writer: JournalWriter) {
    _ = entries.withLock { $0.removeValue(forKey: ObjectIdentifier(writer)) }
  }

  /// Closes all files at once, so that together they take no longer than one.
  private static func closeAll() {
    guard getpid() == owner else { return }
    let writers = entries.withLock { entries in
      defer { entries = [:] }
      return entries.values.compactMap(\.writer)
    }
    let started = writers.compactMap { writer in writer.startClosing().map { (writer, $0) } }
    let deadline = DispatchTime.now() + JournalWriter.releaseLimit
    for (writer, writing) in started { writing.report(at: deadline, of: writer) }
  }
}
