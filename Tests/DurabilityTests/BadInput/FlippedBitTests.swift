import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A flipped bit is detected, unless it is in a byte that is not used.
struct FlippedBitTests {
  static let flips = loopCount("STRATA_FLIPS", 200)

  @Test
  func `no flipped bit in the file, its WAL or its head is ever restored as something else`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let path = directory.path("app.strata")
    let expected = try await makeImage(at: path, in: directory)
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let image = directory.path("image.strata")
    var found = 0
    for flip in 0..<Self.flips {
      let victim = directory.path("victim.strata")
      let file = ["", "-wal", ".head"][flip % 5 % 3]
      for suffix in ["", "-wal", ".head"] {
        var data = try Data(contentsOf: URL(fileURLWithPath: image + suffix))
        if suffix == file {
          data[Int.random(in: data.indices, using: &random)] ^=
            1 << UInt8.random(in: 0..<8, using: &random)
        }
        try data.write(to: URL(fileURLWithPath: victim + suffix))
      }
      do {
        let persistence = try await Persistence.open(
          at: victim,
          initialState: LibraryState(),
          database: \.db
        )
        #expect(persistence.initialState.db == expected, "seed \(seed), flip \(flip)")
        try await persistence.close()
      } catch {
        found += 1
      }
      for suffix in ["", "-wal", "-shm", ".head", ".lock"] {
        try? FileManager.default.removeItem(atPath: victim + suffix)
      }
    }
    printStatistics("\(Self.flips) flipped bits, \(found) refused; seed \(seed)")
    // About a third of the bits is used; few flips may all be in the rest.
    #expect(found > Self.flips / 20 || Self.flips < 400, "seed \(seed)")
  }

  /// Makes a file as a killed writer leaves it: with a snapshot, and commits in SQLite's WAL.
  private func makeImage(
    at path: String,
    in directory: TemporaryDirectory
  ) async throws -> LibraryDatabase {
    try await withPersistence(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      store: LibraryStore.init
    ) { store in
      for number in 1...100 { store.commit { $0.db.books.insert(Book(id: EntityID(number))) } }
    }
    let child = try ChildProcess("CrashChild", [path, "1", "grouped"])
    _ = child.lines(atLeast: 4)
    child.kill()
    for suffix in ["", "-wal", ".head"] {
      try FileManager.default.copyItem(
        atPath: path + suffix,
        toPath: directory.path("image.strata") + suffix
      )
    }
    let inspector = try Inspector(path: directory.path("image.strata"))
    return try inspector.database(
      over: LibraryDatabase(),
      at: Revision(try inspector.info().revision)
    )
  }
}
