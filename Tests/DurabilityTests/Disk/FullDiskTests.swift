import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

@Suite(.enabled(if: SmallDisk.isAvailable, "mounting a small disk requires root on Linux"))
struct FullDiskTests {
  private static let configuration = PersistenceConfiguration(
    durability: .everyCommit,
    recoveryInterval: .milliseconds(20)
  )

  /// A book of about a kilobyte.
  private func thickBook(_ number: Int) -> Book {
    Book(id: EntityID(number), title: String(repeating: "\(number) ", count: 250))
  }

  @Test
  func `on a full disk the program goes on, says so, and catches up when there is room`()
    async throws
  {
    let disk = try SmallDisk(megabytes: 1)
    let path = disk.path("app.strata")
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: Self.configuration
    )
    let store = LibraryStore(persistence)
    var events = persistence.events.makeAsyncIterator()

    var flushed: Revision = 0
    var failure: PersistenceError?
    for number in 1...5_000 where failure == nil {
      store.commit { $0.db.books.insert(thickBook(number)) }
      do {
        try await persistence.flush()
        flushed = persistence.revision
      } catch {
        failure = error
      }
    }
    #expect(failure?.reason == .diskFull)
    #expect(flushed > 0)
    store.commit { $0.db.books.insert(Book(id: 9_999, title: "in memory")) }
    store.commit { $0.db.books.insert(Book(id: 9_999, title: "still in memory")) }
    #expect(store.state.db.books[9_999]?.title == "still in memory")
    let degraded = PersistenceError(.appending, path: persistence.path, .diskFull)
    #expect(await nextChange(&events) == .degraded(degraded))

    try disk.remount("size=16m")
    #expect(await nextChange(&events) == .recovered(through: persistence.revision))
    try await persistence.flush()
    try await persistence.close()

    let again = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    #expect(again.initialState.db == store.state.db)
    #expect(again.revision == persistence.revision)
    try await again.close()
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `what was flushed before the disk was full is there when the program is killed`()
    async throws
  {
    let disk = try SmallDisk(megabytes: 1)
    let path = disk.path("app.strata")
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: Self.configuration
    )
    let store = LibraryStore(persistence)
    var flushed = 0
    for number in 1...5_000 {
      store.commit { $0.db.books.insert(thickBook(number)) }
      do { try await persistence.flush() } catch { break }
      flushed = number
    }
    // A copy of the files is what a killed process leaves.
    let copy = try TemporaryDirectory()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: path + suffix,
        toPath: copy.path("app.strata") + suffix
      )
    }
    let inspector = try Inspector(path: copy.path("app.strata"))
    #expect(try inspector.info().revision >= Int64(flushed))
    await #expect(throws: PersistenceError.self) { try await persistence.close() }
  }

  @Test
  func `a read-only place is refused`() async throws {
    let disk = try SmallDisk(megabytes: 1)
    try disk.remount("ro")
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await Persistence.open(
        at: disk.path("app.strata"),
        initialState: LibraryState(),
        database: \.db
      )
    }
    guard case .notWritable = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
  }

  private func nextChange(
    _ events: inout AsyncStream<PersistenceEvent>.Iterator
  ) async -> PersistenceEvent? {
    while let event = await events.next() {
      switch event {
      case .degraded, .recovered: return event
      default: continue
      }
    }
    return nil
  }
}
