import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A reader that reads all the time, beside a writer at full speed.
struct ReaderBesideWriterTests {
  static let milliseconds = loopCount("STRATA_BESIDE", 1_500)

  /// From this size of SQLite's WAL on, a checkpoint waits for readers.
  ///
  /// It copies the WAL at 8 MB, and SQLite restarts the WAL when no reader uses it.
  private static let walLimit: Int64 = 64 << 20
  /// A group and another 8 MB on top.
  private static let walBound: Int64 = 80 << 20

  @Test
  func `a reader beside a writer at full speed sees whole states, and the WAL stays bounded`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    let vfs = try FaultVFS(name: "beside-\(UUID().uuidString)", follows: false)
    var configuration = PersistenceConfiguration()
    configuration.vfs = vfs.name
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    let store = LibraryStore(persistence)
    store.commit { state in
      state.db.authors.insert(Author(id: "0", name: "0"))
      state.db.archivedBooks.insert(Book(id: 0, title: "0"))
    }
    try await persistence.flush()
    let deadline = ContinuousClock.now + .milliseconds(Self.milliseconds)
    let measured = Recorder<Measure>()
    let writing = inBackground {
      var measure = Measure()
      while ContinuousClock.now < deadline {
        measure.commits += 1
        let number = measure.commits
        let queue = persistence.status.queue
        let began = ContinuousClock.now
        // Two entities that are always equal, so that half a commit would show.
        store.commit { state in
          state.db.authors.insert(Author(id: "0", name: "\(number)"))
          state.db.books.insert(Book(id: EntityID(number % 1_000), title: "\(number)"))
          state.db.archivedBooks.insert(Book(id: 0, title: "\(number)"))
        }
        let duration = ContinuousClock.now - began
        if queue.entities < queue.capacity {
          measure.longestWithRoom = max(measure.longestWithRoom, duration)
        } else {
          measure.commitsWithoutRoom += 1
          measure.longestWithoutRoom = max(measure.longestWithoutRoom, duration)
        }
      }
      measured.record(measure)
    }
    let storePath = try StorePath(path, for: .inspecting)
    var reads = 0
    var largestWAL: Int64 = 0
    var lastRevision: Revision = 0
    repeat {
      let reader = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        configuration: PersistenceConfiguration(restore: .readOnly)
      )
      #expect(reader.revision >= lastRevision)
      lastRevision = reader.revision
      let db = reader.initialState.db
      #expect(db.authors["0"]?.name == db.archivedBooks[0]?.title)
      try await reader.close()
      _ = try Inspector(path: path).log(.last(20))
      largestWAL = max(largestWAL, storePath.walSize)
      reads += 1
    } while ContinuousClock.now < deadline
    #expect(await writing.isOpen())
    let measure = try #require(measured.elements.first)
    try await persistence.flush()
    largestWAL = max(largestWAL, storePath.walSize)
    try await persistence.close()
    printStatistics(
      """
      reader beside writer for \(Self.milliseconds) ms: \(measure.commits) commits, \(reads) readings, \
      WAL up to \(largestWAL >> 10) KB; the longest commit took \(measure.longestWithRoom), and of \
      \(measure.commitsWithoutRoom) that met a full queue \(measure.longestWithoutRoom) for the \
      writer's next group; the writer waited for a reader's lock \(vfs.lockWaits.count) times
      """
    )
    #expect(largestWAL < Self.walBound)
    // A commit only waits for room in the queue, and the writer, which makes room, does not wait for readers.
    #expect(vfs.lockWaits == [] || largestWAL > Self.walLimit)
    #expect(try Inspector(path: path).verify().isSound)
  }

  private struct Measure: Sendable {
    var commits = 0
    var longestWithRoom = Duration.zero
    var commitsWithoutRoom = 0
    var longestWithoutRoom = Duration.zero
  }
}
