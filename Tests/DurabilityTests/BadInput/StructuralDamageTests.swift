import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Damage in what SQLite keeps outside the rows: found before the first write, so that no commit that was
/// acknowledged is lost later.
struct StructuralDamageTests {
  /// A store of more than 1,000 pages or fewer, with free pages.
  private struct Sample {
    let directory: TemporaryDirectory
    let path: String
    let state: LibraryDatabase

    init(isLarge: Bool) async throws {
      directory = try TemporaryDirectory()
      path = directory.path("app.strata")
      var state = LibraryDatabase()
      let count = isLarge ? 4_000 : 150
      let title = String(repeating: "title ", count: 250)
      try await withPersistence(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        configuration: PersistenceConfiguration(
          snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40)
        ),
        store: LibraryStore.init
      ) { store in
        for start in stride(from: 0, to: count, by: 50) {
          store.commit { state in
            for number in start..<start + 50 {
              state.db.books.insert(Book(id: EntityID(number), title: "\(number) \(title)"))
            }
          }
        }
        state = store.state.db
      }
      self.state = state
      // Leaves free pages, as trimming does.
      let connection = try Connection(path: path, mode: .readWrite)
      try connection.transaction {
        try connection.run(
          "INSERT INTO delta_part VALUES (1000000, 1, zeroblob(?))",
          [.integer(isLarge ? 400_000 : 40_000)]
        )
      }
      try connection.transaction { try connection.run("DELETE FROM delta_part") }
      #expect(try connection.freelistCount() > 5)
      #expect(try (connection.pageCount() > 1_000) == isLarge)
      try connection.checkpoint(.truncate)
      try connection.close()
    }

    /// A store with small commits, whose deltas are in one page.
    init(ofCommits count: Int) async throws {
      directory = try TemporaryDirectory()
      path = directory.path("app.strata")
      state = LibraryDatabase()
      try await withPersistence(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        store: LibraryStore.init
      ) { store in
        for number in 1...count {
          store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "small")) }
        }
      }
    }

    func open(_ policy: RestorePolicy) async throws -> Persistence<LibraryState, LibraryDatabase> {
      try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        configuration: PersistenceConfiguration(
          snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40),
          restore: policy
        )
      )
    }

    func number(at offset: Int) throws -> Int {
      try Data(contentsOf: URL(fileURLWithPath: path))[offset..<offset + 4]
        .reduce(0) { $0 << 8 | Int($1) }
    }

    func overwrite(_ offset: Int, _ bytes: [UInt8]) throws {
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try file.seek(toOffset: UInt64(offset))
      try file.write(contentsOf: Data(bytes))
      try file.close()
    }

    func root(of name: String) throws -> Int {
      let connection = try Connection(path: path, mode: .immutable)
      let root = try connection.first(
        "SELECT rootpage FROM sqlite_schema WHERE name = ?",
        [.text(name)]
      ) { try $0.int(0) }
      return Int(try #require(root))
    }
  }

  private func expectFound(_ sample: Sample) async throws {
    let before = try StoreBytes(sample.path)
    let error = await #expect(throws: PersistenceError.self) { _ = try await sample.open(.strict) }
    guard case .damaged = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    #expect(try StoreBytes(sample.path) == before)
    #expect(try Inspector(path: sample.path).verify().isSound == false)

    let opened = try await sample.open(.bestEffort)
    #expect(opened.initialState.db == sample.state)
    #expect(opened.report.outcome == .restoredWithLoss)
    #expect(opened.report.loss?.revisions == nil)
    let store = LibraryStore(opened)
    for number in 0..<200 {
      store.commit { $0.db.books.insert(Book(id: EntityID(10_000 + number), title: "after")) }
    }
    try await opened.close()
    let again = try await sample.open(.strict)
    #expect(again.initialState.db == store.state.db)
    try await again.close()
  }

  @Test(arguments: [true, false])
  func `a list of free pages that names a page in use`(isLarge: Bool) async throws {
    let sample = try await Sample(isLarge: isLarge)
    let trunk = try sample.number(at: 32)
    let used = try sample.root(of: "delta")
    try sample.overwrite(
      (trunk - 1) * 4096 + 8,
      withUnsafeBytes(of: UInt32(used).bigEndian) { Array($0) }
    )
    try await expectFound(sample)
  }

  @Test(arguments: [true, false])
  func `a page of an index that was cleared`(isLarge: Bool) async throws {
    let sample = try await Sample(isLarge: isLarge)
    let root = try sample.root(of: "sqlite_autoindex_origin_1")
    try sample.overwrite((root - 1) * 4096, [UInt8](repeating: 0, count: 4096))
    try await expectFound(sample)
  }

  /// What reads on after the last of them would not come to an end.
  @Test
  func `a row of a delta with the number of an earlier one`() async throws {
    let sample = try await Sample(ofCommits: 3)
    let page = (try sample.root(of: "delta") - 1) * 4096
    // The cell of the last row of a leaf: the size of its payload, then its row ID.
    let cell = page + (try sample.number(at: page + 12) >> 16)
    var id = cell
    while try sample.number(at: id) >> 31 == 1 { id += 1 }
    #expect(try sample.number(at: id + 1) >> 24 == 3)
    try sample.overwrite(id + 1, [1])
    let connection = try Connection(path: sample.path, mode: .readOnly)
    let journal = Journal(connection: connection)
    #expect(throws: CorruptionError.self) { try journal.deltas(after: 0, upTo: 1 << 20) }
    #expect(throws: CorruptionError.self) {
      try journal.forEachTime(after: 0, limit: 9) { _, _ in }
    }
    try connection.close()
  }

  @Test(arguments: [true, false])
  func `a pointer map that calls a page in use free`(isLarge: Bool) async throws {
    let sample = try await Sample(isLarge: isLarge)
    let root = try sample.root(of: "delta")
    try sample.overwrite(4096 + 5 * (root - 3), [2])
    try await expectFound(sample)
  }

  /// SQLite reads such a file and does not write to it.
  @Test(arguments: [3, 18, 130])
  func `a header with an unknown version for writing`(version: UInt8) async throws {
    let sample = try await Sample(isLarge: false)
    try sample.overwrite(18, [version])
    try await expectFound(sample)
  }

  /// Acknowledged commits after an opening are there at the next one, whatever byte was flipped before.
  @Test
  func `no flip in the bookkeeping of pages loses what is committed after it`() async throws {
    let sample = try await Sample(isLarge: false)
    let image = try Data(contentsOf: URL(fileURLWithPath: sample.path))
    let head = try Data(contentsOf: URL(fileURLWithPath: sample.path + ".head"))
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    // The header, the pointer map, the list of free pages, and the start of every page.
    var places = Array(16..<100) + Array(4096..<4096 + 5 * (image.count / 4096))
    var trunk = try sample.number(at: 32)
    while trunk != 0 {
      let start = (trunk - 1) * 4096
      let leaves = try sample.number(at: start + 4)
      for _ in 0..<8 { places += start..<start + 8 + 4 * leaves }
      trunk = try sample.number(at: start)
    }
    for page in 1..<image.count / 4096 { places += page * 4096..<page * 4096 + 12 }
    var opened = 0
    let flips = loopCount("STRATA_FLIPS", 200) / 4
    for flip in 0..<flips {
      var flipped = image
      let place = places.randomElement(using: &random)!
      flipped[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      for name in try FileManager.default.contentsOfDirectory(atPath: sample.directory.url.path) {
        try FileManager.default.removeItem(atPath: sample.directory.path(name))
      }
      try flipped.write(to: URL(fileURLWithPath: sample.path))
      try head.write(to: URL(fileURLWithPath: sample.path + ".head"))
      let context = "seed \(seed), flip \(flip) of byte \(place)"
      do {
        let persistence = try await sample.open(.strict)
        opened += 1
        #expect(persistence.initialState.db == sample.state, "\(context)")
        let store = LibraryStore(persistence)
        for number in 0..<40 {
          store.commit {
            $0.db.books.insert(
              Book(id: EntityID(10_000 + number), title: String(repeating: "x", count: 3_000))
            )
          }
        }
        try await persistence.flush()
        try await persistence.close()
        let again = try await sample.open(.strict)
        #expect(again.initialState.db == store.state.db, "\(context)")
        try await again.close()
      } catch let error as PersistenceError where error.operation == .opening {
        #expect(error.reason != .closed)
      }
    }
    printStatistics("\(flips) flips in the bookkeeping of pages, \(opened) opened; seed \(seed)")
    #expect(opened < flips)
  }
}
