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

  /// The opening restores the file, brings it up and is restored again.
  @Test
  func `no flipped bit of a file of format 1 is brought up as something else`() async throws {
    let directory = try TemporaryDirectory()
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let flips = Self.flips / 10
    var found = 0
    for flip in 0..<flips {
      let victim = directory.path("\(flip).strata")
      try GoldenFile.copy(ofFormat: 1, to: victim)
      var data = try Data(contentsOf: URL(fileURLWithPath: victim))
      data[Int.random(in: data.indices, using: &random)] ^=
        1 << UInt8.random(in: 0..<8, using: &random)
      try data.write(to: URL(fileURLWithPath: victim))
      let place: Comment = "seed \(seed), flip \(flip)"
      do {
        let persistence = try await open(victim)
        #expect(persistence.initialState.db == Golden.second(at: 12), place)
        try await persistence.close()
        let again = try await open(victim)
        #expect(again.initialState.db == Golden.second(at: 12), place)
        try await again.close()
        #expect(try Inspector(path: victim).info().format == StoreFormat.known, place)
      } catch {
        found += 1
        #expect(try Data(contentsOf: URL(fileURLWithPath: victim)) == data, place)
      }
    }
    printStatistics("\(flips) flipped bits of format 1, \(found) refused; seed \(seed)")
    #expect(found > flips / 20 || flips < 400, "seed \(seed)")
  }

  private func open(
    _ path: String
  ) async throws -> Persistence<Golden.State<Golden.Second>, Golden.Second> {
    try await Persistence.open(
      at: path,
      initialState: Golden.State(db: Golden.Second()),
      database: \.db,
      configuration: PersistenceConfiguration(
        snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40)
      )
    )
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
