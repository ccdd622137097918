import Foundation
import Strata
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMaintenance
import StrataPersistence
import StrataRecords
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Erasing entities from a store and its history.
struct ErasureTests {
  private static let planted = ErasedEntities([
    .init(table: "authors", meantBy: PlantedStore.id.raw)
  ])

  private func erase(_ store: PlantedStore) throws -> ErasureReport {
    try StoreErasure.run(at: store.path, Self.planted, .refuse)
  }

  @Test func `nothing of an erased entity is in the bytes, and all else is as it was`()
    async throws
  {
    let store = try await PlantedStore()
    #expect(Set(try store.wordsInFiles().map { $0.split(separator: " ").last }).count > 2)
    let log = try Inspector(path: store.path).log(.after(0, limit: 1_000)).deltas
    let info = try Inspector(path: store.path).info()
    let report = try erase(store)

    #expect(try store.wordsInFiles() == [])
    let connection = try Connection(path: store.path, mode: .readOnly)
    let free = try connection.first("PRAGMA freelist_count", []) { try $0.int(0) }
    #expect(free == 0)
    try connection.close()
    let after = try Inspector(path: store.path)
    let verification = try after.verify()
    #expect(verification.isSound, "\(verification.checks.filter { !$0.passed })")
    for revision in info.journal.readable...PlantedStore.last {
      #expect(
        try after.database(over: LibraryDatabase(), at: Revision(revision))
          == store.model(at: revision),
        "revision \(revision)"
      )
    }
    #expect(report.entities == ["authors": 1])
    #expect(report.changes == 4)
    #expect(report.position.revision == Revision(PlantedStore.last))
    #expect(report.copies.isEmpty)

    let now = try after.info()
    #expect(now.lineages.dropLast() == info.lineages[...] && now.store == info.store)
    #expect(now.lineages.last?.reason == .erased)
    #expect(now.lineages.last?.branch == PlantedStore.last)
    #expect(now.tables == info.tables && now.layouts == info.layouts)
    #expect(now.snapshots.map(\.revision) == info.snapshots.map(\.revision))
    #expect(now.snapshots.map(\.names) == info.snapshots.map(\.names))
    #expect(now.erased?.map(\.entities) == [["authors": 1]])
    #expect(now.erased?.first?.firstRewritten == 5)
    #expect(now.erased?.first?.lastRewritten == PlantedStore.last)

    let rewritten = try after.log(.after(0, limit: 1_000)).deltas
    #expect(rewritten.map(\.revision) == log.map(\.revision))
    #expect(rewritten.map(\.name) == log.map(\.name))
    #expect(rewritten.map(\.time) == log.map(\.time))
    for (old, new) in zip(log, rewritten) where !PlantedStore.planted.contains(old.revision) {
      #expect(new.changes == old.changes)
      #expect(new.contexts == old.contexts)
    }
    for delta in rewritten where PlantedStore.planted.contains(delta.revision) {
      #expect(delta.contexts == nil)
    }
  }

  @Test
  func `deltas before the first trace keep their hashes, and later ones have the new lineage`()
    async throws
  {
    let store = try await PlantedStore()
    func rows() throws -> [(Int64, Int64, [UInt8])] {
      let connection = try Connection(path: store.path, mode: .readOnly)
      defer { do { try connection.close() } catch _ {} }
      return try connection.all("SELECT revision, lineage, hash FROM delta ORDER BY revision", []) {
        (try $0.int(0), try $0.int(1), try $0.blob(2))
      }
    }
    let before = try rows()
    let report = try erase(store)
    for ((revision, lineage, hash), old) in zip(try rows(), before) {
      #expect(revision == old.0)
      #expect(
        lineage == (revision < 5 ? old.1 : report.position.lineageID.number),
        "revision \(revision)"
      )
      #expect((hash == old.2) == (revision < 5), "revision \(revision)")
    }
  }

  @Test func `erasing an entity again is no error`() async throws {
    let store = try await PlantedStore.copy()
    let first = try erase(store)
    #expect(first.entities == ["authors": 1])
    let second = try erase(store)
    #expect(second.entities == [:] && second.changes == 0 && second.rewritten == nil)
    #expect(try Inspector(path: store.path).verify().isSound)
  }

  @Test func `the history of an erased entity says so, and nothing more`() async throws {
    let store = try await PlantedStore()
    _ = try erase(store)
    do {
      let inspector = try Inspector(path: store.path)
      let history = try inspector.history(table: "authors", id: PlantedStore.id.raw)
      #expect(history.versions.map(\.operation) == [.erased])
      let version = try #require(history.versions.first)
      #expect(version.value == nil && version.changes.isEmpty && version.commit.name == "")
      let error = #expect(throws: PersistenceError.self) {
        try inspector.show(table: "authors", id: PlantedStore.id.raw)
      }
      #expect(error?.description.contains("it was erased at") == true)
      // Another entity, and the same ID in another table, were not.
      #expect(throws: PersistenceError.self) {
        try inspector.history(table: "authors", id: "nobody")
      }
      #expect(throws: PersistenceError.self) {
        try inspector.history(table: "books", id: PlantedStore.id.raw)
      }
    }

    let persistence = try await store.open()
    let opened = LibraryStore(persistence)
    let versions = try await persistence.history(of: PlantedStore.id)
    #expect(versions.map(\.content) == [.erased])
    #expect(versions.map(\.origin) == [.erasure])
    #expect(versions.map(\.revision) == [Revision(PlantedStore.last)])
    // What comes later is told as ever.
    opened.commit("again") { $0.db.authors.insert(Author(id: PlantedStore.id, name: "new")) }
    let later = try await persistence.history(of: PlantedStore.id)
    #expect(
      later.map(\.content) == [.erased, .put(Author(id: PlantedStore.id, name: "new"))]
    )
    try await persistence.close()
  }

  @Test func `an open store erases what a commit has removed, and goes on`() async throws {
    let store = try await PlantedStore(removal: 0)
    let persistence = try await store.open()
    let opened = LibraryStore(persistence)
    let error = await #expect(throws: PersistenceError.self) {
      try await persistence.erase([PlantedStore.id])
    }
    #expect(
      error?.feature() == MaintenanceError.stillPresent(table: "authors", id: PlantedStore.id.raw)
    )
    opened.commit("forget") { $0.db.authors.remove(PlantedStore.id) }
    let report = try await persistence.erase([PlantedStore.id])
    #expect(report.position.revision == 81)
    #expect(try Inspector(path: store.path).info().lineages.count == 2)
    #expect(try await persistence.state(at: .revision(80)) == store.model(at: 80))
    #expect(try await persistence.state(at: .revision(50)) == store.model(at: 50))
    #expect(try await persistence.history(of: PlantedStore.id).map(\.content) == [.erased])
    opened.commit("on") { $0.db.books.insert(Book(id: 4_711, title: "after")) }
    try await persistence.flush()
    try await persistence.snapshot(named: "after")
    let state = opened.state.db
    #expect(persistence.revision == 82)
    try await persistence.close()
    #expect(try store.wordsInFiles() == [])
    #expect(try Inspector(path: store.path).verify().isSound)
    let again = try await store.open()
    #expect(again.initialState.db == state)
    #expect(again.report.notes.isEmpty, "\(again.report.notes)")
    try await again.close()
  }

  @Test func `what cannot be erased leaves every byte as it was`() async throws {
    let store = try await PlantedStore(removal: 0)
    let writer = try await store.open()
    let opened = LibraryStore(writer)
    let error = #expect(throws: PersistenceError.self) { try erase(store) }
    guard case .alreadyOpen? = error?.reason else {
      Issue.record("another reason: \(String(describing: error))")
      return
    }
    let book = Book(id: 900, title: "of the author", author: PlantedStore.id)
    opened.commit { $0.db.books.insert(book) }
    try await writer.close()
    let bytes = try StoreBytes(store.path)
    let reasons: [(ErasedEntities.Entity, PersistenceError.Reason)] = [
      (
        .init(table: "authors", meantBy: PlantedStore.id.raw),
        .feature(
          MaintenanceError.stillReferenced(
            table: "authors",
            id: PlantedStore.id.raw,
            by: "900 of table books",
            count: 1
          )
        )
      ),
      (.init(table: "authors", meantBy: "nobody"), .notFound("entity nobody in authors")),
      (.init(table: "painters", meantBy: "nobody"), .notFound("table painters")),
    ]
    for (entity, reason) in reasons {
      let error = #expect(throws: PersistenceError.self) {
        try StoreErasure.run(at: store.path, ErasedEntities([entity]), .refuse)
      }
      #expect(error?.reason == reason)
      let after = try StoreBytes(store.path)
      #expect(after.files.keys.sorted() == bytes.files.keys.sorted())
    }
    #expect(try Inspector(path: store.path).info().lineages.count == 1)
    // References that may lead nowhere stay, with the ID.
    let report = try StoreErasure.run(at: store.path, Self.planted, .leave)
    #expect(report.entities == ["authors": 1])
    let books = try Inspector(path: store.path).show(table: "books", id: "900")
    #expect(books.first?.value["author"]?.text == PlantedStore.id.raw)
    #expect(try Inspector(path: store.path).verify().isSound)
  }

  @Test func `copies beside the store that hold the entity are named`() async throws {
    let store = try await PlantedStore()
    let early = store.directory.path("early.strata")
    let late = store.directory.path("late.strata")
    try await StoreBackup.fork(store.path, at: .revision(4), to: early)
    try await StoreBackup.fork(store.path, at: .revision(50), to: late)
    // A set of quarantined files, and a file that cannot be read.
    try FileManager.default.copyItem(atPath: store.path, toPath: store.path + ".before-3")
    try Data("no store".utf8).write(to: URL(fileURLWithPath: store.directory.path("notes.txt")))
    try FileManager.default.copyItem(atPath: store.path, toPath: store.directory.path("copy"))
    let set = try Quarantine.add(storeAt: store.path, reason: "for a test")
    try FileManager.default.moveItem(atPath: store.directory.path("copy"), toPath: store.path)
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: store.path + ".before-3"))
    try handle.truncate(atOffset: 8_000)
    try handle.close()
    let report = try erase(store)
    let real = try StorePath(store.path, for: .inspecting).file
    let directory = PathParts(real).directory
    var findings: [String: String] = [:]
    for copy in report.copies {
      let name = String(copy.path.dropFirst(directory.count + 1))
      switch copy.finding {
      case .holdsEntities: findings[name] = "holds"
      case .unreadable: findings[name] = "unreadable"
      }
    }
    let quarantined = URL(fileURLWithPath: set.directory).lastPathComponent + "/app.strata"
    #expect(
      findings == [
        "late.strata": "holds", quarantined: "holds", "app.strata.before-3": "unreadable",
      ]
    )
  }

  @Test func `an entity of a store without history is erased, and the ledger has every erasure`()
    async throws
  {
    let store = try await PlantedStore()
    let persistence = try await store.open()
    try await persistence.removeSnapshots(named: ["kept", "at 0", "at 10"])
    try await persistence.compact()
    try await persistence.close()
    // The author was removed before the only snapshot.
    let error = #expect(throws: PersistenceError.self) { try erase(store) }
    #expect(error?.reason == .notFound("entity \(PlantedStore.id.raw) in authors"))
    let clock = ErasedEntities([.init(table: "authors", meantBy: "clock")])
    let report = try StoreErasure.run(at: store.path, clock, .refuse)
    #expect(report.changes == 0 && report.rewritten == nil)
    var model = store.model(at: PlantedStore.last)
    model.authors.remove("clock")
    let last = Revision(PlantedStore.last)
    #expect(
      try Inspector(path: store.path).database(over: LibraryDatabase(), at: last) == model
    )
    #expect(try Inspector(path: store.path).verify().isSound)
    // A second erasure adds to the ledger.
    let author = try #require(Array(model.authors).first)
    _ = try StoreErasure.run(
      at: store.path,
      ErasedEntities([.init(table: "authors", meantBy: author.id.raw)]),
      .leave
    )
    #expect(try Inspector(path: store.path).info().erased?.count == 2)
    #expect(try Inspector(path: store.path).info().lineages.count == 3)
  }
}
