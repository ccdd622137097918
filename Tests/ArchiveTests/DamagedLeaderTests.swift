import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Files that are damaged while their archive is not.
struct DamagedLeaderTests {
  let directory: TemporaryDirectory
  let path: String
  let archive: FolderArchive

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    archive = FolderArchive(directory.path("archive"))
  }

  /// Opens the file with an archive: that of the folder, unless it is said.
  private func open(
    _ archive: (any Archive)? = nil,
    _ restore: RestorePolicy = .bestEffort,
    on disk: FaultVFS? = nil,
    closingWithin limit: Duration = .seconds(600)
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(restore: restore)
    configuration.vfs = disk?.name
    configuration.watch = disk?.watch
    var policy = ArchivePolicy()
    policy.closingLimit = limit
    return try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration,
      with: [.archive(archive ?? self.archive, policy: policy)]
    )
  }

  /// Pulls an archive, and checks that the file is sound and ends at a revision.
  private func expectPulled(_ archive: any Archive, endsAt revision: Int64) async throws {
    let copy = directory.path("copy.strata")
    let pull = try ArchivePull(from: archive, to: StorePath(copy, for: .archiving), on: .system)
    _ = try await pull.run()
    #expect(try Inspector(path: copy).verify().isSound)
    #expect(try Inspector(path: copy).info().revision == revision)
  }

  private func add(_ numbers: ClosedRange<Int>, to store: LibraryStore) {
    for number in numbers {
      store.commit {
        $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)"))
      }
    }
  }

  /// Changes a letter of a text wherever the file has it.
  private func damage(_ text: String) throws {
    var contents = try Data(contentsOf: URL(fileURLWithPath: path))
    var places = 0
    while let place = contents.range(of: Data(text.utf8)) {
      contents[place.lowerBound] ^= 1
      places += 1
    }
    try #require(places > 0)
    try contents.write(to: URL(fileURLWithPath: path))
  }

  @Test
  func `what a damaged file has lost comes from its archive`() async throws {
    let first = try await open()
    add(1...10, to: LibraryStore(first))
    try await first.replicated(through: 10)
    try await first.close()
    try damage("Volume 5")

    let second = try await open()
    let report = second.report
    #expect(report.outcome == .restored, "\(report)")
    #expect(report.position.revision == 10)
    #expect(report.loss == nil)
    #expect(report.archive?.pulled == 0...10)
    #expect(report.archive?.setAside != nil)
    #expect(report.notes.contains { $0.hasPrefix("the file was damaged") }, "\(report.notes)")
    let store = LibraryStore(second)
    #expect(store.state.db.books.count == 10)
    #expect(store.state.db.books[5]?.title == "Volume 5")

    add(11...12, to: store)
    try await second.replicated(through: 12)
    #expect(try await archive.head()?.mark.revision == 12)
    try await second.close()
    #expect(try Inspector(path: path).verify().isSound)
    let copy = directory.path("copy.strata")
    _ = try await ArchivePull(
      from: archive,
      to: StorePath(copy, for: .archiving),
      on: .system
    ).run()
    #expect(try Inspector(path: copy).info().revision == 12)
    let third = try await open()
    #expect(third.report.archive?.setAside == nil)
    #expect(LibraryStore(third).state.db.books.count == 12)
    try await third.close()
  }

  /// Changes a bit of a text wherever the open files of a directory have it.
  private func rot(_ text: String, on disk: FaultVFS) throws -> Int {
    let copy = try TemporaryDirectory()
    try disk.copyFiles(of: directory.url, into: copy.url)
    var places = 0
    for suffix in ["", "-wal"] {
      let contents = try Data(contentsOf: URL(fileURLWithPath: copy.path("app.strata" + suffix)))
      var rest = contents.startIndex..<contents.endIndex
      while let place = contents.range(of: Data(text.utf8), in: rest) {
        #expect(disk.rot(path + suffix, at: place.lowerBound, bit: 0))
        rest = place.upperBound..<contents.endIndex
        places += 1
      }
    }
    return places
  }

  @Test
  func `a snapshot that was damaged since the opening is not sent`() async throws {
    let disk = try FaultVFS(name: "rotting-\(UUID().uuidString)")
    let memory = MemoryArchive()
    let link = FaultyArchive(memory)
    let persistence = try await open(link, .strict, on: disk, closingWithin: .zero)
    let store = LibraryStore(persistence)
    add(1...10, to: store)
    try await persistence.replicated(through: 10)
    link.fail { _ in .lost }
    add(11...11, to: store)
    // From here on the sender asks for the head before it reads the snapshot, whose pages it would keep in its cache.
    while true {
      if case .away? = persistence.status.archive?.condition { break }
      await Task.yield()
    }
    try await persistence.snapshot(named: "spoilt")
    #expect(try rot("Volume 5", on: disk) > 0)
    link.work()
    while true {
      if case .failed? = persistence.status.archive?.condition { break }
      await Task.yield()
    }
    do { try await persistence.close() } catch _ {}
    try await expectPulled(memory, endsAt: 11)
  }

  /// Pages of SQLite have no hash, so an archive would get what a disk has lost or put elsewhere.
  @Test
  func `an image for the archive is in no file`() async throws {
    let disk = try FaultVFS(name: "counting-\(UUID().uuidString)")
    let memory = MemoryArchive()
    let link = FaultyArchive(memory)
    let persistence = try await open(link, .strict, on: disk)
    let store = LibraryStore(persistence)
    link.fail { _ in .lost }
    add(1...3, to: store)
    try await persistence.flush()
    disk.resetCounts()
    link.work()
    try await persistence.replicated(through: 3)
    // The store's own file is written at a checkpoint only.
    #expect(disk.count(of: .write, in: .database) == 0)
    try await persistence.close()
    try await expectPulled(memory, endsAt: 3)
  }

  @Test
  func `a damaged file is not sent without some of its entities`() async throws {
    let memory = MemoryArchive()
    let link = FaultyArchive(memory)
    let first = try await open(link, closingWithin: .zero)
    let store = LibraryStore(first)
    add(1...8, to: store)
    try await first.replicated(through: 8)
    link.fail { _ in .lost }
    add(9...19, to: store)
    store.commit { $0.db.authors.insert(Author(id: "1", name: "of another chunk")) }
    _ = try await first.compact()
    try await first.close()
    try damage("Volume 5")
    // No older state is left either.
    for table in ["snapshot", "listing", "delta"] {
      try RawSQLite.run("DELETE FROM \(table) WHERE revision < 20", on: path)
    }
    let before = try StoreBytes(path)

    let refusal = await #expect(throws: PersistenceError.self) {
      try await open(link, closingWithin: .zero)
    }
    #expect(refusal?.reason.damage?.contains("once that can be reached") == true)
    #expect(try StoreBytes(path) == before)

    link.work()
    let second = try await open(link, closingWithin: .zero)
    let report = second.report
    #expect(LibraryStore(second).state.db.books.count == 8)
    #expect(report.loss?.revisions == 9...20)
    #expect(report.loss?.missing == [])
    #expect(report.archive?.setAside != nil)
    try await second.close()
    try await expectPulled(memory, endsAt: 8)
  }

  /// Commits that the archive has, in a file that then loses a book, and is opened without its archive.
  private func salvage(sendingTo memory: MemoryArchive) async throws {
    let first = try await open(memory)
    let store = LibraryStore(first)
    add(1...19, to: store)
    store.commit { $0.db.authors.insert(Author(id: "1", name: "of another chunk")) }
    try await first.replicated(through: 20)
    _ = try await first.compact()
    try await first.close()
    try damage("Volume 5")
    // No older state is left either.
    for table in ["snapshot", "listing", "delta"] {
      try RawSQLite.run("DELETE FROM \(table) WHERE revision < 20", on: path)
    }
    let configuration = PersistenceConfiguration(restore: .bestEffort)
    let alone = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \LibraryState.db,
      configuration: configuration
    )
    #expect(alone.report.loss?.missing.isEmpty == false)
    #expect(LibraryStore(alone).state.db.books[5] == nil)
    try await alone.close()
  }

  @Test
  func `a file that was salvaged alone gets what it has lost from its archive`() async throws {
    let memory = MemoryArchive()
    try await salvage(sendingTo: memory)
    let second = try await open(memory)
    #expect(second.report.archive?.pulled == 0...20)
    #expect(LibraryStore(second).state.db.books.count == 19)
    try await second.close()
    try await expectPulled(memory, endsAt: 20)
  }

  @Test
  func `an opening does not get the number of one whose row was lost`() async throws {
    var persistence = try await open()
    var store = LibraryStore(persistence)
    add(1...3, to: store)
    try await persistence.close()
    try RawSQLite.run("DELETE FROM origin", on: path)
    persistence = try await open()
    store = LibraryStore(persistence)
    add(4...5, to: store)
    try await persistence.close()
    try await expectPulled(archive, endsAt: 5)
  }

  @Test
  func `an opening whose row was lost while it is suspended goes on as another one`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    add(1...3, to: store)
    try await persistence.replicated(through: 3)
    try await persistence.suspend()
    try RawSQLite.run("DELETE FROM origin", on: path)
    try await persistence.resume()
    add(4...5, to: store)
    try await persistence.close()
    try await expectPulled(archive, endsAt: 5)
  }
}
