import Foundation
import ProductSupport
import Strata
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// What is verified of an archive, and what a push verifies before it continues it.
struct ArchiveVerificationTests {
  let directory: TemporaryDirectory
  let path: String
  let folder: String
  let archive: FolderArchive

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    folder = directory.path("archive")
    archive = FolderArchive(folder)
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
        $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)"))
      }
    }
    try await persistence.close()
  }

  @discardableResult
  private func push(_ path: String? = nil) async throws(PersistenceError) -> ArchivePush.Report {
    try await ArchivePush(
      from: StorePath(path ?? self.path, for: .archiving),
      to: archive
    ).run()
  }

  private func pull(_ name: String, to end: ArchivePull.End = .head) async throws -> String {
    let path = directory.path(name)
    _ = try await ArchivePull(
      from: archive,
      to: StorePath(path, for: .archiving),
      on: .system
    ).run(to: end)
    return path
  }

  /// An archive with the revisions 1 to 12 in three segments, and snapshots at 5, which is the first one, and at 9.
  private func fill() async throws {
    try await write(1...5)
    _ = try NamedSnapshots(of: path).create("five")
    try await push()
    try await write(6...9)
    _ = try NamedSnapshots(of: path).create("nine")
    try await push()
    try await write(10...12)
    try await push()
  }

  /// The files of the archive by their paths in it, apart from the lock.
  private func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where name != "lock" {
      let path = "\(folder)/\(name)"
      var isDirectory: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      if !isDirectory.boolValue { files[name] = try Data(contentsOf: URL(fileURLWithPath: path)) }
    }
    return files
  }

  private func write(_ contents: Data?, toFile name: String) throws {
    let url = URL(fileURLWithPath: "\(folder)/\(name)")
    if let contents {
      try contents.write(to: url)
    } else {
      try FileManager.default.removeItem(at: url)
    }
  }

  private func failures() async throws -> [String] {
    let verification = try await ArchivePull.verify(archive)
    return verification.checks.filter { !$0.passed }.map(\.name)
  }

  @Test
  func `a whole archive is sound, and verifying changes nothing in it`() async throws {
    try await fill()
    let before = try files()
    let verification = try await ArchivePull.verify(archive)
    #expect(verification.isSound)
    let snapshots = try await archive.snapshots().map { "snapshot \($0.mark.revision)" }
    #expect(snapshots.count >= 2)
    #expect(
      verification.checks.map(\.name) == ["head", "catalog", "contents", "segments"] + snapshots
    )
    #expect(try files() == before)
    let error = await #expect(throws: PersistenceError.self) {
      _ = try await ArchivePull.verify(FolderArchive(directory.path("none")))
    }
    #expect(error?.reason == .archive(ArchiveError(.empty, archive: directory.path("none"))))
  }

  /// Part of an archive, by the start of its files' names, and the checks that name it.
  static let parts: [(String, Set<String>)] = [
    ("head", ["head"]), ("images/catalog-", ["catalog"]), ("segments/", ["segments"]),
    ("snapshots/", ["contents", "snapshot"]), ("images/0", ["snapshot"]), ("chunks/", ["snapshot"]),
  ]

  /// The files of a part that count: of the catalogs, the one that the head names.
  private static func names(in files: [String: Data], startingWith start: String) throws
    -> [String]
  {
    let head = String(decoding: try #require(files["head"]), as: UTF8.self)
    return files.keys.filter { name in
      name.hasPrefix(start) && (start != "images/catalog-" || head.contains(name))
    }.sorted()
  }

  @Test(arguments: parts)
  func `damage of any file is found, and named`(_ part: (start: String, checks: Set<String>))
    async throws
  {
    try await fill()
    let files = try files()
    let names = try Self.names(in: files, startingWith: part.start)
    #expect(!names.isEmpty)
    for name in names {
      let whole = files[name]!
      for damaged in [whole.prefix(whole.count / 3), Data(whole.map { $0 ^ 1 })] {
        try write(damaged, toFile: name)
        let failures = try await failures()
        let isNamed = failures.contains { failure in
          part.checks.contains { failure.hasPrefix($0) }
        }
        #expect(isNamed, "\(name): \(failures)")
      }
      try write(whole, toFile: name)
    }
    #expect(try await failures() == [])
  }

  @Test(arguments: ["images/catalog-", "segments/", "images/0", "chunks/"])
  func `a file that is missing is missed`(start: String) async throws {
    try await fill()
    let name = try #require(try Self.names(in: files(), startingWith: start).last)
    try write(nil, toFile: name)
    #expect(try await !failures().isEmpty)
  }

  @Test
  func `a push into an archive that is damaged where it goes on is refused, and changes nothing`()
    async throws
  {
    try await fill()
    try await write(13...14)
    let whole = try files()
    let last = try #require(whole.keys.filter { $0.hasPrefix("snapshots/") }.max())
    let segment = try #require(whole.keys.filter { $0.hasPrefix("segments/") }.max())
    let chunks = whole.keys.filter { $0.hasPrefix("chunks/") }
    let header = String(decoding: try #require(whole[last]), as: UTF8.self)
    let chunk = try #require(chunks.first { header.contains($0.dropFirst("chunks/".count)) })
    for name in [last, segment, chunk] {
      var damaged = try #require(whole[name])
      damaged[damaged.count / 2 + (name == last ? -damaged.count / 2 + 30 : 0)] ^= 1
      try write(damaged, toFile: name)
      let before = try files()
      let bytes = try StoreBytes(path)
      let error = await #expect(throws: PersistenceError.self) { try await push() }
      guard let reason = error?.archive, case .damaged = reason.reason else {
        Issue.record("\(name): \(String(describing: error))")
        return
      }
      #expect(try files() == before)
      #expect(try StoreBytes(path) == bytes)
      try write(whole[name], toFile: name)
    }
    #expect(try await push().revision == 14)
  }

  @Test
  func `a snapshot that is sent on chunks that are damaged is not reported as sent`() async throws {
    try await write(1...5)
    _ = try NamedSnapshots(of: path).create("five")
    try await push()
    let chunks = try files().filter { $0.key.hasPrefix("chunks/") }
    try #require(!chunks.isEmpty)
    for (name, contents) in chunks { try write(Data(contents.map { $0 ^ 1 }), toFile: name) }
    // It lists the same chunks.
    _ = try NamedSnapshots(of: path).create("five again")
    let error = await #expect(throws: PersistenceError.self) { try await push() }
    guard let reason = error?.archive, case .damaged = reason.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test
  func `damage before the last snapshot stops no push, and verifying names it`() async throws {
    try await fill()
    let first = try #require(try files().keys.filter { $0.hasPrefix("segments/") }.min())
    var damaged = try #require(try files()[first])
    damaged[damaged.count - 20] ^= 1
    try write(damaged, toFile: first)
    try await write(13...13)
    #expect(try await push().revision == 13)
    #expect(try await failures().contains("segments"))
    let copy = try await pull("copy.strata")
    #expect(try Inspector(path: copy).verify().isSound)
  }

  @Test
  func `what is pruned while it is verified is no damage`() async throws {
    try await fill()
    let oldest = try #require(try files().keys.filter { $0.hasPrefix("snapshots/") }.min())
    let faulty = FaultyArchive(archive)
    let (file, isPruned) = ("\(folder)/\(oldest)", Lock(false))
    faulty.fail { call in
      // Between the list of snapshots and the first of them.
      if call == "list", !isPruned.withLock({ $0 }) {
        unlink(file)
        isPruned.withLock { $0 = true }
      }
      return nil
    }
    let verification = try await ArchivePull.verify(faulty)
    #expect(verification.isSound)
    #expect(isPruned.withLock { $0 })
  }
}
