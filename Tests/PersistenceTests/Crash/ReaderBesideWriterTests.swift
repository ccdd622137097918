import Foundation
import Strata
import StrataPersistence
import TestSupport
import Testing

/// Someone who looks all the time, beside a writer at full speed.
struct ReaderBesideWriterTests {
  static let milliseconds = loopCount("STRATA_BESIDE", 1_500)

  /// SQLite's WAL is folded in at 8 MB, and begun anew when no reader is in the way.
  private static let walBound: Int64 = 32 << 20

  @Test
  func `a reader beside a writer at full speed sees whole states, and the WAL stays bounded`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
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
      var last = ContinuousClock.now
      while last < deadline {
        measure.commits += 1
        let number = measure.commits
        // Two entities that always say the same: half a commit would show.
        store.commit { state in
          state.db.authors.insert(Author(id: "0", name: "\(number)"))
          state.db.books.insert(Book(id: EntityID(number % 1_000), title: "\(number)"))
          state.db.archivedBooks.insert(Book(id: 0, title: "\(number)"))
        }
        let now = ContinuousClock.now
        measure.longestCommit = max(measure.longestCommit, now - last)
        last = now
      }
      measured.record(measure)
    }
    let storePath = try StorePath(path, for: .inspecting)
    var reads = 0
    var largestWAL: Int64 = 0
    var lastRevision: Revision = 0
    while ContinuousClock.now < deadline {
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
    }
    #expect(await waitFor(writing))
    let measure = try #require(measured.elements.first)
    try await persistence.flush()
    largestWAL = max(largestWAL, storePath.walSize)
    try await persistence.close()
    figures(
      """
      reader beside writer for \(Self.milliseconds) ms: \(measure.commits) commits, the longest \
      \(measure.longestCommit), \(reads) readings, WAL up to \(largestWAL >> 10) KB
      """
    )
    #expect(reads > 0)
    #expect(largestWAL < Self.walBound)
    #expect(measure.longestCommit < .seconds(5))
    #expect(try Inspector(path: path).verify().isSound)
  }

  private struct Measure: Sendable {
    var commits = 0
    var longestCommit = Duration.zero
  }

  private func waitFor(_ gate: Gate) async -> Bool { gate.wait() }
}
