import Foundation
import Strata
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Snapshots that share the chunks in whose range of keys nothing changed.
struct ChunkSharingTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    _ policy: SnapshotPolicy = SnapshotPolicy(minimumJournalBytes: 1 << 40),
    restore: RestorePolicy = .strict
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(snapshots: policy, restore: restore)
    )
  }

  /// A row of a snapshot's list, with the size of its chunk.
  private struct Listed: Equatable {
    let chunk: Int64
    let table: String
    let first: [UInt8]
    let count: Int64
    let size: Int64
  }

  private func listing(_ revision: Revision) throws -> [Listed] {
    let connection = try Connection(path: path, mode: .readOnly)
    return try connection.all(
      """
      SELECT chunk, entity_table, first, count, length(body) FROM listing
        JOIN chunk ON chunk.id = chunk WHERE revision = ? ORDER BY entity_table, first
      """,
      [.integer(revision.number)]
    ) {
      Listed(
        chunk: try $0.int(0),
        table: try $0.text(1),
        first: try $0.blob(2),
        count: try $0.int(3),
        size: try $0.int(4)
      )
    }
  }

  private func number(_ sql: String) throws -> Int64? {
    let connection = try Connection(path: path, mode: .readOnly)
    return try connection.first(sql) { try $0.int(0) }
  }

  private static let target: Int64 = 256 << 10

  @Test
  func `a snapshot writes only the chunks in whose range something changed`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(contentsOf: (0..<40_000).map { bulkBook($0) }) }
    store.commit { $0.db.authors.insert(Author(id: "a", name: "Ada")) }
    try await persistence.snapshot(named: "first")
    store.commit { state in
      for number in 700..<710 { state.db.books.insert(bulkBook(number).titled("changed")) }
    }
    try await persistence.snapshot(named: "second")
    try await persistence.close()

    let (first, second) = (try listing(2), try listing(3))
    #expect(first.count > 5)
    #expect(first.map(\.first) == second.map(\.first))
    let written = Set(second.map(\.chunk)).subtracting(first.map(\.chunk))
    #expect(written.count == 1)
    #expect(try number("SELECT count(*) FROM chunk") == Int64(first.count + 1))
    #expect(try Inspector(path: path).verify().isSound)
    let inspector = try Inspector(path: path)
    #expect(try inspector.database(over: LibraryDatabase(), at: 3) == store.state.db)
  }

  @Test
  func `what is put back as it was is the chunk that the file has`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(contentsOf: (0..<20_000).map { bulkBook($0) }) }
    try await persistence.snapshot(named: "first")
    store.commit { $0.db.books.insert(bulkBook(5_000).titled("changed")) }
    store.commit { $0.db.books.insert(bulkBook(5_000)) }
    try await persistence.snapshot(named: "second")
    try await persistence.close()
    #expect(try listing(1) == listing(3))
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `a table begins a new chunk`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { state in
      state.db.books.insert(bulkBook(1))
      state.db.authors.insert(Author(id: "a", name: "Ada"))
    }
    try await persistence.snapshot(named: "first")
    store.commit { $0.db.authors.insert(Author(id: "b", name: "Bea")) }
    try await persistence.snapshot(named: "second")
    try await persistence.close()
    let (first, second) = (try listing(1), try listing(2))
    #expect(first.map(\.table) == ["authors", "books"])
    #expect(second.map(\.count) == [2, 1])
    #expect(first[0].chunk != second[0].chunk)
    #expect(first[1] == second[1])
  }

  /// Random insertions, changes and removals, also of whole ranges, with a snapshot after each round.
  @Test
  func `boundaries stay where a chunk neither grows above twice the target nor falls below half`()
    async throws
  {
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(contentsOf: (0..<15_000).map { bulkBook(4 * $0) }) }
    try await persistence.snapshot(named: "0")
    var before = try listing(persistence.revision)
    for round in 1...loopCount("STRATA_CHUNK_ROUNDS", 6) {
      let start = Int.random(in: 0..<70_000, using: &random)
      let length = [1, 40, 3_000, 30_000].randomElement(using: &random) ?? 1
      let isRemoval = Bool.random(using: &random)
      let range = start..<start + length
      store.commit { state in
        for number in range {
          if isRemoval {
            state.db.books.remove(bulkBook(number).id)
          } else {
            state.db.books.insert(bulkBook(number).titled("round \(round)"))
          }
        }
      }
      try await persistence.snapshot(named: "\(round)")
      let place: Comment = "seed \(seed), round \(round): \(isRemoval ? "-" : "+") \(range)"
      let now = try listing(persistence.revision)
      for chunk in now { #expect(chunk.size <= 2 * Self.target + 4_096, place) }
      for chunk in now.dropLast() { #expect(chunk.size >= Self.target / 2 - 4_096, place) }
      expectShared(before, now, except: range, place)
      before = now
    }
    try await persistence.close()
    let verification = try Inspector(path: path).verify()
    #expect(verification.isSound, "seed \(seed): \(verification)")
    let inspector = try Inspector(path: path)
    let restored = try inspector.database(over: LibraryDatabase(), at: persistence.revision)
    #expect(restored == store.state.db, "seed \(seed)")
  }

  /// Expects that only chunks with a key of the range were written again, and at most one after them that
  /// took in what was left of a small one.
  private func expectShared(
    _ before: [Listed],
    _ now: [Listed],
    except range: Range<Int>,
    _ place: Comment
  ) {
    let ids = Set(now.map(\.chunk))
    func key(_ number: Int) -> [UInt8] {
      let value = UInt64(bitPattern: Int64(1_000_000 + number)) ^ 1 << 63
      return [1] + withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
    let (low, high) = (key(range.lowerBound), key(range.upperBound - 1))
    for (index, chunk) in before.enumerated() where !ids.contains(chunk.chunk) {
      let end = index + 1 < before.count ? before[index + 1].first : nil
      let isAfter = index > 0 && high.lexicographicallyPrecedes(chunk.first)
      let isBefore = end.map { !low.lexicographicallyPrecedes($0) } ?? false
      #expect(!isBefore, place)
      guard isAfter else { continue }
      // The one before it was touched, and too small for a chunk of its own.
      #expect(!ids.contains(before[index - 1].chunk), place)
    }
  }

  @Test
  func `trimming frees the chunks that no snapshot lists any more, and only those`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(contentsOf: (0..<20_000).map { bulkBook($0) }) }
    try await persistence.snapshot(named: "first")
    store.commit { $0.db.books.insert(bulkBook(10).titled("changed")) }
    try await persistence.flush()
    let compaction = try await persistence.compact()
    #expect(compaction.snapshot == 2)
    try await persistence.close()
    // The first snapshot has a name, so the chunks of both are there.
    #expect(try number("SELECT count(*) FROM chunk") == Int64(try listing(1).count + 1))
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.run("DELETE FROM snapshot_name")
    try connection.close()
    let again = try await open()
    try await again.compact()
    try await again.close()
    #expect(try listing(1) == [])
    #expect(try number("SELECT count(*) FROM chunk") == Int64(try listing(2).count))
    #expect(try Inspector(path: path).verify().isSound)
  }

  @Test
  func `an equal hash of other bytes is another chunk`() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE chunk (id INTEGER PRIMARY KEY, hash BLOB NOT NULL, body BLOB NOT NULL) STRICT;
      PRAGMA user_version = 2
      """
    )
    let store = SnapshotStore(connection: connection)
    let hash = Checksum(of: [1, 2, 3])
    let first = try store.chunk(with: [1, 2, 3], hash: hash)
    let collision = try store.chunk(with: [4, 5], hash: hash)
    #expect(first != collision)
    #expect(try store.chunk(with: [1, 2, 3], hash: hash) == first)
    #expect(try store.chunk(with: [4, 5], hash: hash) == collision)
    #expect(try connection.first("SELECT count(*) FROM chunk") { try $0.int(0) } == 2)
  }

  @Test
  func `a snapshot is due when the deltas outweigh what it writes, not the whole database`()
    async throws
  {
    let policy = SnapshotPolicy(minimumJournalBytes: 20_000, minimumHistoryBytes: 1 << 40)
    let persistence = try await open(policy)
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(contentsOf: (0..<60_000).map { bulkBook($0) }) }
    try await persistence.snapshot(named: "whole")
    let whole = try #require(persistence.status.newestSnapshot)
    var written: Int64 = 0
    // Changes of a few entities that are near each other.
    while written < whole.bytes / 2 {
      store.commit { state in
        for number in 0..<20 { state.db.books.insert(bulkBook(number).titled("\(written)")) }
      }
      try await persistence.flush()
      written += 1_500
      if persistence.status.newestSnapshot?.revision != whole.revision { break }
    }
    let next = try #require(persistence.status.newestSnapshot)
    #expect(next.revision > whole.revision)
    try await persistence.close()
    #expect(try Inspector(path: path).verify().isSound)
  }
}

extension Book {
  fileprivate func titled(_ title: String) -> Book {
    Book(id: id, title: title, author: author, rating: rating)
  }
}
