import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Files beside a store that are not its own: never read, followed or played in.
struct ForeignCompanionTests {
  /// Leaves the rollback journal of another program's database, killed inside a transaction, and returns
  /// its bytes.
  private func hotJournal() throws -> Data {
    let directory = try TemporaryDirectory()
    let path = directory.path("other.db")
    let connection = try Connection(path: path, mode: .create)
    try connection.execute(
      "PRAGMA page_size=4096; CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB)"
    )
    for _ in 0..<20 { try connection.run("INSERT INTO t (v) VALUES (zeroblob(4000))") }
    // The pages before the change are in the journal, and synced, once the cache has spilled.
    try connection.execute("PRAGMA cache_size=1")
    var journal = Data()
    struct Stopped: Error {}
    #expect(throws: Stopped.self) {
      try connection.transaction {
        try connection.run("UPDATE t SET v = randomblob(4000)")
        journal = try Data(contentsOf: URL(fileURLWithPath: path + "-journal"))
        throw Stopped()
      }
    }
    try connection.close()
    #expect(journal.prefix(8).elementsEqual([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]))
    return journal
  }

  private func reason(_ body: () async throws -> Void) async -> PersistenceError.Reason? {
    do {
      try await body()
      return nil
    } catch let error as PersistenceError {
      return error.reason
    } catch {
      Issue.record("another error: \(error)")
      return nil
    }
  }

  private func isForeign(_ reason: PersistenceError.Reason?, naming name: String) -> Bool {
    if case .foreignCompanion(let detail) = reason { return detail.contains(name) }
    return false
  }

  @Test(arguments: ["-journal", "-mj1A2B3C9D4"])
  func `a rollback journal is refused by every opening and reading, and not played in`(
    suffix: String
  ) async throws {
    let store = try await DamagedStore()
    let journal = URL(fileURLWithPath: store.path + suffix)
    try hotJournal().write(to: journal)
    let before = try contentsOfFiles(in: store.directory.url.path)
    for policy in [RestorePolicy.strict, .readOnly] {
      let reason = await reason { _ = try await store.open(policy) }
      #expect(isForeign(reason, naming: "app.strata\(suffix)"), "\(String(describing: reason))")
    }
    let inspection = await reason { _ = try Inspector(path: store.path).verify() }
    #expect(isForeign(inspection, naming: "app.strata\(suffix)"))
    #expect(
      try contentsOfFiles(in: store.directory.url.path).filter { !$0.key.hasSuffix(".lock") }
        == before.filter { !$0.key.hasSuffix(".lock") }
    )

    try FileManager.default.removeItem(at: journal)
    let opened = try await store.open(.strict)
    #expect(opened.initialState.db == store.model(at: 50))
    #expect(opened.report.notes.isEmpty)
    try await opened.close()
  }

  @Test
  func `best effort moves a rollback journal to quarantine and restores everything`() async throws {
    let store = try await DamagedStore()
    let journal = try hotJournal()
    try journal.write(to: URL(fileURLWithPath: store.path + "-journal"))
    let opened = try await store.open(.bestEffort)
    #expect(opened.initialState.db == store.model(at: 50))
    #expect(opened.report.outcome == .restored)
    #expect(try Inspector(path: store.path).info().lineages.count == 1)
    #expect(opened.report.notes.count == 1)
    let set = try #require(try Quarantine.all(besideStoreAt: store.path).first)
    #expect(set.files == ["app.strata-journal"])
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: set.directory + "/app.strata-journal")) == journal
    )
    LibraryStore(opened).commit { $0.db.books.insert(Book(id: 999)) }
    try await opened.close()

    // Restored, the journal is beside the store again, which is still there and still refuses it.
    try set.restore()
    let reason = await reason { _ = try await store.open(.strict) }
    #expect(isForeign(reason, naming: "app.strata-journal"))
    #expect(try Quarantine.all(besideStoreAt: store.path).isEmpty)
    let again = try await store.open(.bestEffort)
    #expect(again.revision == 51)
    try await again.close()
  }

  @Test
  func `no store is created, and no backup made or restored, beside a rollback journal`()
    async throws
  {
    let store = try await DamagedStore()
    let fresh = store.directory.path("fresh.strata")
    try hotJournal().write(to: URL(fileURLWithPath: fresh + "-journal"))
    let creation = await reason {
      _ = try await Persistence.open(at: fresh, initialState: LibraryState(), database: \.db)
    }
    #expect(isForeign(creation, naming: "fresh.strata-journal"))
    let opened = try await store.open(.strict)
    let backup = await reason { _ = try await opened.backup(to: fresh) }
    #expect(isForeign(backup, naming: "fresh.strata-journal"))
    let copy = store.directory.path("copy.strata")
    try await opened.backup(to: copy)
    try await opened.close()
    let restore = await reason { _ = try await StoreBackup.restore(copy, to: fresh) }
    #expect(isForeign(restore, naming: "fresh.strata-journal"))
    #expect(!FileManager.default.fileExists(atPath: fresh))

    try hotJournal().write(to: URL(fileURLWithPath: copy + "-journal"))
    let source = await reason {
      _ = try await StoreBackup.restore(copy, to: store.directory.path("other.strata"))
    }
    #expect(isForeign(source, naming: "copy.strata-journal"))
  }

  @Test
  func `a journal that appears beside an open store is refused by reading and by the next opening`()
    async throws
  {
    let store = try await DamagedStore()
    let opened = try await store.open(.strict)
    try hotJournal().write(to: URL(fileURLWithPath: store.path + "-journal"))
    let inspection = await reason { _ = try Inspector(path: store.path).info() }
    #expect(isForeign(inspection, naming: "app.strata-journal"))
    let history = await reason { _ = try await opened.state(at: .revision(10)) }
    #expect(isForeign(history, naming: "app.strata-journal"))
    LibraryStore(opened).commit { $0.db.books.insert(Book(id: 999)) }
    try await opened.close()
    let reason = await reason { _ = try await store.open(.strict) }
    #expect(isForeign(reason, naming: "app.strata-journal"))
    try FileManager.default.removeItem(atPath: store.path + "-journal")
    let again = try await store.open(.strict)
    #expect(again.revision == 51)
    try await again.close()
  }

  private static let kinds: [(String, Bool)] = [
    "-wal", "-shm", ".head", ".lock",
  ].flatMap { [($0, true), ($0, false)] }

  @Test(arguments: kinds)
  func `a companion that is a FIFO or a link is refused and not followed`(
    suffix: String,
    isFIFO: Bool
  ) async throws {
    let store = try await DamagedStore()
    let target = store.directory.path("precious")
    try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
    let companion = store.path + suffix
    unlink(companion)
    if isFIFO {
      #expect(mkfifo(companion, 0o600) == 0)
    } else {
      try FileManager.default.createSymbolicLink(atPath: companion, withDestinationPath: target)
    }
    let policies: [RestorePolicy] =
      suffix == ".lock" ? [.strict, .bestEffort, .readOnly] : [.strict, .readOnly]
    for policy in policies {
      let reason = await reason { _ = try await store.open(policy) }
      #expect(
        isForeign(reason, naming: isFIFO ? "a FIFO" : "a symbolic link"),
        "\(String(describing: reason))"
      )
    }
    let inspection = await reason { _ = try Inspector(path: store.path).verify() }
    #expect(isForeign(inspection, naming: "app.strata\(suffix)"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("precious".utf8))

    if suffix == ".lock" { return }
    let opened = try await store.open(.bestEffort)
    #expect(opened.initialState.db == store.model(at: 50))
    #expect(opened.report.notes.contains { $0.contains("app.strata\(suffix)") })
    try await opened.close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("precious".utf8))
  }

  @Test
  func `a lock or a head that is another file's second name is not written to`() async throws {
    for suffix in [".lock", ".head"] {
      let store = try await DamagedStore()
      let target = store.directory.path("precious")
      try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
      unlink(store.path + suffix)
      try FileManager.default.linkItem(atPath: target, toPath: store.path + suffix)
      let reason = await reason { _ = try await store.open(.strict) }
      #expect(isForeign(reason, naming: "one of several names"), "\(String(describing: reason))")
      #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data("precious".utf8))
    }
  }

  @Test(arguments: [
    #"["../precious"]"#, #"["app.strata","/etc/precious"]"#, #"["other.strata"]"#,
  ])
  func `a manifest that was planted moves no file of others`(files: String) async throws {
    let store = try await DamagedStore()
    let precious = store.directory.path("other.strata")
    try Data("precious".utf8).write(to: URL(fileURLWithPath: precious))
    let directory = store.path + ".damaged-20260101T000000Z"
    try FileManager.default.createDirectory(
      atPath: directory,
      withIntermediateDirectories: false
    )
    try Data(
      """
      {"format":1,"store":"app.strata","time":"2026-01-01T00:00:00Z","reason":"planted",
       "files":\(files),"progress":"moving"}
      """.utf8
    ).write(to: URL(fileURLWithPath: directory + "/manifest.json"))
    let opened = try await store.open(.strict)
    #expect(opened.initialState.db == store.model(at: 50))
    try await opened.close()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory) == ["manifest.json"]
    )
    #expect(FileManager.default.fileExists(atPath: precious))
  }

  @Test
  func `a store under one of two names is refused by readers, as by writers`() async throws {
    let store = try await DamagedStore()
    let second = store.directory.path("second.strata")
    try FileManager.default.linkItem(atPath: store.path, toPath: second)
    for path in [store.path, second] {
      let inspection = await reason { _ = try Inspector(path: path).verify() }
      #expect(inspection == .notAFile("one of several names (hard links) of a file"))
    }
    let reading = await reason { _ = try await store.open(.readOnly) }
    #expect(reading == .notAFile("one of several names (hard links) of a file"))
    unlink(second)
    // A name that is left from the creation is none of others.
    try FileManager.default.linkItem(atPath: store.path, toPath: store.path + ".creating")
    #expect(try Inspector(path: store.path).verify().isSound)
  }
}
