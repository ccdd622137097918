import Foundation
import Strata
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataRecords
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Deltas of a store as frames, and frames as the deltas of another file.
struct FrameTests {
  let file: TestStore
  let copy: String
  let seed = randomSeed()

  init() throws {
    file = try TestStore()
    copy = file.directory.path("copy.strata")
  }

  private static let configuration = PersistenceConfiguration(
    snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40)
  )

  /// The frames of a file that no program has open.
  private func frames(of path: String, after revision: Revision = 0) throws -> [DeltaFrame] {
    let connection = try Connection(path: path, mode: .readOnly)
    var reader = try FrameReader(try ReadView(connection), after: revision)
    var frames: [DeltaFrame] = []
    while let frame = try reader.next() { frames.append(frame) }
    return frames
  }

  /// Copies the closed file, as it is now, to the other path.
  private func copyFile() throws {
    for suffix in ["", ".head"] {
      try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy + suffix)
    }
  }

  private func append(_ frames: [DeltaFrame], to path: String) throws {
    let connection = try Connection(path: path, mode: .readWrite)
    for frame in frames { try frame.append(to: connection) }
    try connection.close()
  }

  private func write(_ openings: Int, _ options: TestStore.Options = []) async throws {
    let script = LibraryScript(seed: seed)
    for opening in 0..<openings {
      try await file.run(options, LibraryState(), Self.configuration) { store, _ throws in
        for number in 1...40 {
          let commit = Int64(opening * 40 + number)
          let context = number % 3 == 0 ? CommitContext(user: "\(number)") : nil
          store.commit("step \(commit)", context: context) { script.commit(commit, to: &$0.db) }
        }
      }
    }
  }

  private func contents(of path: String) throws -> (LibraryDatabase, Position) {
    let view = try ReadView(try Connection(path: path, mode: .readOnly))
    let position = Position(
      storeID: view.identity.id,
      lineage: view.identity.lineage,
      revision: view.last.revision,
      chain: view.last.chain
    )
    return (
      try Inspector(path: path).database(over: LibraryDatabase(), at: position.revision), position
    )
  }

  @Test
  func `all deltas go through frames into a fresh file: chain, state and rows are equal`()
    async throws
  {
    try await file.run([], LibraryState(), Self.configuration) { _, _ in }
    try copyFile()
    try await write(3)
    let frames = try frames(of: file.path)
    #expect(frames.count == 120)
    var bytes = frames.flatMap { $0.encoded() }[...]
    var read: [DeltaFrame] = []
    while !bytes.isEmpty { read.append(try DeltaFrame(readingFrom: &bytes)) }
    #expect(read == frames)
    try append(read, to: copy)

    let (database, position) = try contents(of: copy)
    #expect(database == LibraryScript(seed: seed).database(after: 120))
    #expect(position == (try contents(of: file.path)).1)
    #expect(try self.frames(of: copy) == frames)
    #expect(try Inspector(path: copy).verify().isSound)
    let again = try await Persistence.open(at: copy, initialState: LibraryState(), database: \.db)
    #expect(again.initialState.db == database)
    try await again.close()
  }

  @Test
  func `a large delta has its blocks in its frame`() async throws {
    try await file.run([], LibraryState(), Self.configuration) { _, _ in }
    try copyFile()
    try await file.run([], LibraryState(), Self.configuration) { store, _ throws in
      store.commit { $0.db.books = EntityTable((0..<40_000).map { bulkBook($0) }) }
    }
    let frames = try frames(of: file.path)
    #expect(frames.count == 1 && frames[0].blocks.count > 1)
    try append(try frames.map { try DeltaFrame($0.encoded()) }, to: copy)
    #expect(try contents(of: copy) == (try contents(of: file.path)))
  }

  @Test
  func `sealed records can be opened where their frames were appended`() async throws {
    let options: TestStore.Options = [.sealed(\.books, with: ToyVault(key: 7))]
    try await file.run(options, LibraryState(), Self.configuration) { _, _ in }
    try copyFile()
    try await write(1, options)
    try append(try frames(of: file.path), to: copy)
    let again = try await Persistence.open(
      at: copy,
      initialState: LibraryState(),
      database: \.db,
      tables: options
    )
    #expect(again.initialState.db == LibraryScript(seed: seed).database(after: 40))
    try await again.close()
  }

  @Test
  func `frames go on after a revision, and none follow the last one`() async throws {
    try await write(1)
    let all = try frames(of: file.path)
    #expect(try frames(of: file.path, after: 30) == Array(all.dropFirst(30)))
    #expect(try frames(of: file.path, after: 40) == [])
    #expect(throws: (any Error).self) { try frames(of: file.path, after: 41) }
  }

  @Test
  func `a frame that does not continue the file is refused and changes nothing`() async throws {
    try await file.run([], LibraryState(), Self.configuration) { _, _ in }
    try copyFile()
    try await write(1)
    let frames = try frames(of: file.path)
    try append(Array(frames.prefix(10)), to: copy)
    let before = try contents(of: copy)
    for wrong in [frames[9], frames[11], frames[0]] {
      #expect(throws: CorruptionError.self) { try append([wrong], to: copy) }
    }
    let other = try TestStore()
    try await other.run([], LibraryState(), Self.configuration) { store, _ throws in
      for number in 1...11 { store.commit { $0.db.books.insert(Book(id: EntityID(number))) } }
    }
    let foreign = try self.frames(of: other.path)
    #expect(throws: CorruptionError.self) { try append([foreign[10]], to: copy) }
    #expect(try contents(of: copy) == before)
    try append([frames[10]], to: copy)
    #expect(try contents(of: copy).1.revision == 11)
  }

  @Test
  func `a frame of another history of the same store is refused`() async throws {
    try await file.run([], LibraryState(), Self.configuration) { _, _ in }
    try copyFile()
    try await write(1)
    let frames = try frames(of: file.path)
    try append([frames[0]], to: copy)
    let before = try contents(of: copy)
    let (frame, other) = (frames[1], Checksum(of: []))
    let blocks = frame.blocks
    var hashes: [Int64: Checksum] = [:]
    for layout in frame.layouts { hashes[layout.number] = layout.layout.id }
    // Right in itself, after another first delta.
    let forged = try DeltaFrame(
      storeID: frame.storeID,
      chainBefore: other,
      header: frame.header,
      origin: frame.origin,
      tables: frame.tables,
      layouts: frame.layouts,
      blocks: blocks,
      chain: frame.header.chain(
        after: other,
        storeID: frame.storeID,
        blocks: blocks.map { Checksum(of: $0.bytes) },
        layouts: hashes
      )
    )
    #expect(throws: CorruptionError.self) { try append([forged], to: copy) }
    #expect(try contents(of: copy) == before)
    try append([frame], to: copy)
  }

  @Test
  func `a frame with another layout or origin in the place of one is refused`() async throws {
    try await file.run([], LibraryState(), Self.configuration) { _, _ in }
    try copyFile()
    try await write(1)
    let frames = try frames(of: file.path)
    for statement in [
      "INSERT INTO layout VALUES (1, 'other', zeroblob(16), x'0100')",
      "UPDATE origin SET opened = opened + 1",
    ] {
      let path = file.directory.path("\(statement.prefix(6)).strata")
      try FileManager.default.copyItem(atPath: copy, toPath: path)
      let connection = try Connection(path: path, mode: .readWrite)
      if statement.hasPrefix("UPDATE") {
        try append([frames[0]], to: path)
        try RawSQLite.runAndRecomputeHashes(statement, on: path)
        #expect(throws: CorruptionError.self) { try append([frames[1]], to: path) }
      } else {
        try connection.run(statement, [])
        #expect(throws: CorruptionError.self) { try append([frames[0]], to: path) }
      }
      try connection.close()
    }
  }
}
