import Foundation
import ProductSupport
import Strata
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMigrating
import StrataPersistence
import StrataRecords
import StrataStorage
import TestSupport
import Testing

/// Closed stores that are sent to an archive.
struct ArchivePushTests {
  let directory: TemporaryDirectory
  let path: String
  let archive: FaultyArchive

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    archive = FaultyArchive(FolderArchive(directory.path("archive")))
  }

  /// Commits as a program does that has no archive.
  private func write(_ numbers: ClosedRange<Int>, to path: String? = nil) async throws {
    let persistence = try await Persistence.open(
      at: path ?? self.path,
      initialState: LibraryState(),
      database: \.db
    )
    let store = LibraryStore(persistence)
    for number in numbers {
      store.commit("add \(number)") {
        $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number) of \(path ?? "")"))
      }
    }
    try await persistence.close()
  }

  private func push(_ path: String? = nil) async throws(PersistenceError) -> ArchivePush.Report {
    try await ArchivePush(
      from: StorePath(path ?? self.path, for: .archiving),
      to: archive
    ).run()
  }

  /// What the deltas of a file say, byte for byte.
  private func deltas(of path: String) throws -> [UInt8] {
    try Inspector(path: path).query { view in
      var reader = try FrameReader(view, after: 0)
      var bytes: [UInt8] = []
      while let frame = try reader.next() { bytes += frame.encoded() }
      return bytes
    }
  }

  /// The same of the archive.
  private func archivedDeltas() async throws -> [UInt8] {
    try await archive.segments(after: 0, bytes: .max).flatMap(\.body)
  }

  private func pulled() async throws -> String {
    let path = directory.path("pulled.strata")
    let pull = ArchivePull(
      from: archive,
      to: try StorePath(path, for: .archiving),
      on: .system
    )
    _ = try await pull.run()
    return path
  }

  /// Whether a file of the archive has a text.
  private func archiveHas(_ text: String) throws -> Bool {
    let url = directory.url.appendingPathComponent("archive")
    let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
    for case let file as URL in try #require(files) where !file.hasDirectoryPath {
      if try Data(contentsOf: file).range(of: Data(text.utf8)) != nil { return true }
    }
    return false
  }

  private func copy(_ name: String) throws -> String {
    let copy = directory.path(name)
    for suffix in ["", ".head"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
    }
    return copy
  }

  /// Pushes, and expects a refusal that changes neither the file nor the archive.
  private func expectRefusal(
    of path: String,
    _ isExpected: (ArchiveError.Reason) -> Bool
  ) async throws {
    let bytes = try StoreBytes(path)
    let head = try await archive.head()
    do {
      let report = try await push(path)
      Issue.record("\(report)")
    } catch {
      guard let error = error.archive, isExpected(error.reason) else { throw error }
    }
    #expect(try StoreBytes(path) == bytes)
    let now = try await archive.head()
    #expect(now?.epoch == head?.epoch)
    #expect(now?.leader == head?.leader)
    #expect(now?.mark == head?.mark)
    #expect(try Quarantine.all(besideStoreAt: path).isEmpty)
  }

  @Test
  func `a push sends what the archive lacks, and nothing twice`() async throws {
    try await write(1...5)
    _ = try NamedSnapshots(of: path).create("five")
    let first = try await push()
    #expect(first.before == nil)
    #expect(first.revision == 5)
    #expect(try await archive.snapshots().contains { $0.names == ["five"] })
    let second = try await push()
    #expect(second.before == 5)
    #expect(second.revision == 5)
    #expect(second.snapshots == 0)
    #expect(second.epoch > first.epoch)
    try await write(6...7)
    let third = try await push()
    #expect(third.before == 5)
    #expect(third.revision == 7)
    #expect(third.gaps == [])
    #expect(try await archivedDeltas() == deltas(of: path))
    #expect(try await archive.head()?.lease == .zero)
    #expect(try Inspector(path: try await pulled()).verify().isSound)
  }

  @Test
  func `a push is refused while another process leads`() async throws {
    try await write(1...3)
    _ = try await push()
    try await write(4...5)
    let head = try #require(try await archive.head())
    _ = try await archive.lead(
      ArchiveCandidate(
        store: head.store,
        epoch: head.epoch,
        leader: "another",
        lease: .seconds(15),
        start: head.mark
      )
    )
    try await expectRefusal(of: path) {
      if case .led(by: "another", _) = $0 { true } else { false }
    }
  }

  @Test
  func `a file that lacks commits of the archive is not pushed, and stays as it is`() async throws {
    try await write(1...3)
    let other = try copy("other.strata")
    try await write(4...5)
    _ = try await push()
    try await expectRefusal(of: other) { if case .unusable = $0 { true } else { false } }
    try await write(6...9, to: other)
    try await expectRefusal(of: other) { if case .unusable = $0 { true } else { false } }
  }

  @Test
  func `a push needs a file`() async throws {
    do {
      _ = try await push()
      Issue.record("nothing was thrown")
    } catch {
      #expect(error.reason == .missing)
    }
    #expect(try await archive.head() == nil)
    try await write(1...2)
    _ = try await push()
    // It is not pulled either.
    let other = directory.path("other.strata")
    do {
      _ = try await push(other)
      Issue.record("nothing was thrown")
    } catch {
      #expect(error.reason == .missing)
    }
    #expect(!FileManager.default.fileExists(atPath: other))
  }

  @Test(
    arguments: ["head", "lead", "append", "add chunks", "add snapshot", "snapshots"],
    [FaultyArchive.Fault.lost, .unanswered]
  )
  func `a push that fails goes on the next time`(
    _ call: String,
    _ fault: FaultyArchive.Fault
  ) async throws {
    try await write(1...5)
    _ = try NamedSnapshots(of: path).create("five")
    archive.fail { $0 == call ? fault : nil }
    do {
      _ = try await push()
      Issue.record("nothing was thrown")
    } catch {
      guard let error = error.archive, case .away = error.reason else { throw error }
    }
    archive.work()
    #expect(try await push().revision == 5)
    #expect(try await archivedDeltas() == deltas(of: path))
    #expect(try Inspector(path: try await pulled()).verify().isSound)
  }

  @Test
  func `erased entities leave the archive with a push`() async throws {
    try await write(1...5)
    _ = try await push()
    #expect(try archiveHas("Volume 3"))
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    LibraryStore(persistence).commit("remove") { $0.db.books.remove(3) }
    try await persistence.close()
    let erased = ErasedEntities([.init(table: "books", meantBy: "3")])
    _ = try StoreErasure.run(at: path, erased, .refuse)
    #expect(try await push().revision == 6)
    #expect(try !archiveHas("Volume 3"))
    #expect(try archiveHas("Volume 4"))
    #expect(try Inspector(path: try await pulled()).verify().isSound)
  }

  @Test
  func `a push needs no migrations of the program`() async throws {
    let migrations = [
      DataMigration("0001_add", table: "users") { $0["name"] = .string("another") }
    ]
    try await FiveReleases.makeFirst(at: path, users: 2)
    try await DataMigrator(migrations, at: path).up()
    _ = try await push()
    // The statement fails if there is a row.
    #expect(throws: RawSQLite.Failure.self) {
      try RawSQLite.run("SELECT abs(-9223372036854775808) FROM leadership", on: path)
    }
  }
}
