import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// What a person reads of a report and of a status.
struct DescriptionTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  private func open(
    values: [PersistedValue<LibraryState>] = []
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      values: values,
      configuration: PersistenceConfiguration(now: { Date(timeIntervalSince1970: 1_700_000_000) })
    )
  }

  @Test func `a new file and one that is restored are described`() async throws {
    var persistence = try await open()
    #expect(
      "\(persistence.report)" == "Created a new file from the initial state, with 0 entities."
    )
    LibraryStore(persistence).commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.close()
    persistence = try await open()
    #expect(
      "\(persistence.report)"
        == "Restored 1 entity at revision 1, from the snapshot of revision 0 and 1 delta after it."
    )
    var report = persistence.report
    report.newTables = ["tags", "teams"]
    report.newValues = ["settings"]
    report.unknownTables = ["drafts"]
    report.notes = ["skipped snapshot 3: torn", "There is no head."]
    #expect(
      "\(report)" == """
        Restored 1 entity at revision 1, from the snapshot of revision 0 and 1 delta after it. New to \
        the file, and taken from the initial state: the tables tags, teams; the value settings. Unknown \
        to this build, and left in the file: the table drafts. Skipped snapshot 3: torn. There is no head.
        """
    )
    try await persistence.close()
  }

  @Test func `broken rules and references that lead to nothing are described`() async throws {
    let persistence = try await open()
    var report = persistence.report
    report.brokenRules = (1...7).map { number in
      .notUnique(table: "users", index: "email", key: "\(number)", ids: ["a", "b"])
    }
    // As an opening notes them.
    report.notes += report.brokenRules.map(\.sentence)
    #expect(
      "\(report)".hasSuffix(
        """
         The data breaks rules: a and b in users have the same key 1 of the unique index \
        "users.email"; a and b in users have the same key 2 of the unique index "users.email"; a and \
        b in users have the same key 3 of the unique index "users.email"; a and b in users have the \
        same key 4 of the unique index "users.email"; a and b in users have the same key 5 of the \
        unique index "users.email"; and 2 more.
        """
      )
    )
    try await persistence.close()
  }

  @Test func `a loss is described with its revisions and the place of the damaged files`()
    async throws
  {
    let damaged = try await DamagedStore()
    try damaged.damage("DELETE FROM delta WHERE revision = 45")
    let persistence = try await damaged.open(.bestEffort)
    let report = persistence.report
    let loss = try #require(report.loss)
    let set = try #require(loss.quarantine)
    let text = "\(report)"
    #expect(text.hasPrefix("Restored with loss: "))
    #expect(
      text.contains(" at revision 44, from the snapshot of revision 40 and 4 deltas after it. ")
    )
    #expect(text.contains(" The file was damaged: "))
    #expect(
      text.contains(
        " The revisions 45 to 50 are lost. The damaged files are in \(set.directory)."
      )
    )
    #expect(!text.contains(".."))
    try await persistence.close()
  }

  @Test func `records that could not be read are counted, and some are named`() async throws {
    let damaged = try await DamagedStore()
    try damaged.damage("DELETE FROM delta WHERE revision = 50")
    let persistence = try await damaged.open(.bestEffort)
    var loss = try #require(persistence.report.loss)
    loss.damage = nil
    loss.revisions = 50...50
    loss.quarantine = nil
    #expect("\(loss)" == "Revision 50 is lost.")
    loss.revisions = nil
    for number in 1...7 {
      loss.add(.init(table: "books", id: "\(number)", detail: "no title."))
    }
    #expect(
      "\(loss)" == """
        7 records could not be read as this build's types, and stayed in the file: books 1 (no title), \
        books 2 (no title), books 3 (no title), books 4 (no title), books 5 (no title), and 2 more.
        """
    )
    try await persistence.close()
  }

  @Test func `a status starts with the condition, the problems and their remedies`() async throws {
    let persistence = try await open()
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    try await persistence.flush()
    var status = persistence.status
    let time = "2023-11-14 22:13:20.000Z"
    status.bytes.database = 1_200_000
    status.bytes.wal = 300_000
    status.bytes.journal = nil
    status.bytes.snapshots = 900
    #expect(
      "\(status)" == """
        The file is healthy. Everything up to revision 1 is durable. The last sync was at \(time). The file has \
        1.2 MB (deltas not counted yet, snapshots 900 bytes), its write-ahead log 300.0 kB. The newest \
        snapshot is of revision 0, committed at \(time): 0 entities, 0 bytes.
        """
    )
    status.bytes.journal = 3_000
    status.condition = .degraded(
      PersistenceError(.appending, path: "app.strata", .diskFull),
      since: Date(timeIntervalSince1970: 1_700_000_000)
    )
    status.revisions.committed = 4
    status.queue.commits = 3
    status.queue.entities = 1
    status.queue.capacity = 100_000
    status.lastSync = nil
    status.newestSnapshot = nil
    status.lastFailure = .init(
      message: "app.strata: the disk is full.",
      time: Date(timeIntervalSince1970: 1_700_000_000)
    )
    status.pinnedWAL = .init(since: Date(timeIntervalSince1970: 1_700_000_000), bytes: 8_200_000)
    status.notPersisted = (1...6).map {
      NotPersisted(table: "books", id: "\($0)", reason: "no title")
    }
    #expect(
      "\(status)" == """
        Degraded since \(time): the disk is full. Free some space. The state continues in memory and is \
        written when there is space. A reader has kept a transaction open since \(time), so 8.2 MB of \
        the write-ahead log cannot be moved into the database: find it with lsof. 6 entities are only \
        in memory, because encode(to:) threw: books 1: no title; books 2: no title; books 3: no title; \
        books 4: no title; books 5: no title; and 1 more. The last failure was at \(time): \
        app.strata: the disk is full. Revision 4 is committed, 1 is in the file, 1 is durable. 3 commits \
        with 1 changed entity wait for the writer; at 100000 changed entities, commits wait for it. No sync since \
        opening. The file has 1.2 MB (deltas 3.0 kB, snapshots 900 bytes), its write-ahead log 300.0 kB. \
        There is no verified snapshot.
        """
    )
    status.condition = .suspended(since: Date(timeIntervalSince1970: 1_700_000_000))
    #expect(
      "\(status.condition)" == "Suspended since \(time): commits wait in memory until resume()."
    )
    try await persistence.close()
    #expect("\(persistence.status.condition)" == "Closed.")
  }

  @Test func `withPersistence gives its body the persistence too`() async throws {
    let revision = try await withPersistence(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      store: LibraryStore.init
    ) { store, persistence in
      #expect(persistence.report.outcome == .fresh)
      store.commit { $0.db.books.insert(Book(id: 1)) }
      try await persistence.flush()
      return persistence.durableRevision
    }
    #expect(revision == 1)
    let persistence = try await open()
    #expect(persistence.initialState.db.books.count == 1)
    try await persistence.close()
  }
}
