#if Inspector
  import Foundation
  import Strata
  import StrataInspector
  import StrataInspection
  import StrataJournal
  import StrataMaintaining
  import StrataStorage
  import TestSupport
  import Testing

  /// The page of the process that has the store open.
  @Suite struct LiveTests {
    private typealias LibraryPersistence = Persistence<LibraryState, LibraryDatabase>

    private func withLive<R>(
      tables: [TableOption<LibraryDatabase>] = [],
      redacting fields: [StoreBundle.Field] = [],
      _ body: (Page, LibraryStore, LibraryPersistence) async throws -> R
    ) async throws -> R {
      let directory = try TemporaryDirectory()
      return try await withPersistence(
        at: directory.path("app.strata"),
        initialState: LibraryState(),
        database: \.db,
        tables: tables,
        store: LibraryStore.init
      ) { store, persistence in
        commitSample(to: store)
        try await persistence.flush()
        let inspector = try await StateInspector.serve(persistence.live, redacting: fields)
        return try await withPage(inspector) { try await body($0, store, persistence) }
      }
    }

    /// The row of the subscribers from a source.
    private func row(_ source: String, _ page: Page) async throws -> [String: Any]? {
      try await page.ask("process").rows.first { $0["source"] as? String == source }
    }

    private func writer(_ page: Page) async throws -> [String: Any] {
      try #require(try await page.ask("process").json["writer"] as? [String: Any])
    }

    @Test func `the process has its store, its subscribers and its derived values`() async throws {
      try await withLive { page, store, _ in
        let count = store.derived(.map(\.count))
        let books = (1...3).map { store.derived(from: EntityID<Book>($0), in: \.db.books) }
        let subscriptions =
          [
            store.sinkState { _ in }, count.sinkValue { _ in },
            store.sinkEntityChanges(in: \.db.authors) { _ in },
          ] + books.map { $0.sinkValue { _ in } }
        let answer = try await page.ask("process")
        #expect(answer.status == 200)
        #expect(try answer.json["id"] as? Int == Int(ProcessInfo.processInfo.processIdentifier))
        let shown = try #require(try answer.json["store"] as? [String: Any])
        #expect(shown["name"] as? String == "LibraryStore")
        #expect(shown["version"] as? Int == 4)
        #expect(try await row("every commit", page)?["subscribers"] as? Int == 1)
        let derived = try #require(try await row(#"\LibraryState.count"#, page))
        #expect(derived["kind"] as? String == "derived")
        #expect(derived["type"] as? String == "Int")
        #expect(derived["subscribers"] as? Int == 1)
        let entities = try #require(try await row(#"\LibraryState.db.books[…]"#, page))
        #expect(entities["values"] as? Int == 3)
        #expect(entities["subscribers"] as? Int == 3)
        #expect(entities["type"] as? String == "Optional<Book>")
        let changes = try #require(try await row(#"changes of \LibraryState.db.authors"#, page))
        #expect(changes["type"] as? String == "EntityTable<Author>")
        // The page of the file is there as well, and says that there is a process.
        #expect(try await page.ask("store").json["hasProcess"] as? Bool == true)
        #expect(try await page.ask("log").rows.count == 4)
        for subscription in subscriptions { subscription.cancel() }
      }
    }

    @Test func `the numbers change after a commit and after a subscriber leaves`() async throws {
      try await withLive { page, store, persistence in
        let subscriptions = (0..<3).map { _ in store.sinkState { _ in } }
        #expect(try await row("every commit", page)?["subscribers"] as? Int == 3)
        subscriptions[0].cancel()
        #expect(try await row("every commit", page)?["subscribers"] as? Int == 2)
        store.commit("later") { $0.db.authors.insert(Author(id: "dora")) }
        try await persistence.flush()
        let answer = try await page.ask("process")
        #expect((try answer.json["store"] as? [String: Any])?["version"] as? Int == 5)
        let revisions = try await writer(page)["revisions"] as? [String: Any]
        #expect(revisions?["committed"] as? Int == 5)
        #expect(revisions?["durable"] as? Int == 5)
        for subscription in subscriptions { subscription.cancel() }
        #expect(try await row("every commit", page)?["subscribers"] as? Int == 0)
      }
    }

    @Test func `a page of a file has no process`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      try await withPage(try await StateInspector.serve(path)) { page in
        #expect(try await page.ask("store").json["hasProcess"] as? Bool == false)
        let answer = try await page.ask("process")
        #expect(answer.status == 404)
        #expect(try answer.rows.isEmpty)
        #expect(!answer.body.contains("\"id\""))
      }
    }

    @Test func `while it is suspended, the process is shown and the file is left alone`()
      async throws
    {
      try await withLive { page, store, persistence in
        try await persistence.suspend()
        for number in 1...3 {
          store.commit("waits") { $0.db.authors.insert(Author(id: EntityID("late-\(number)"))) }
        }
        let waiting = try await writer(page)
        #expect((waiting["condition"] as? String)?.hasPrefix("Suspended since") == true)
        #expect(waiting["isHealthy"] as? Bool == false)
        let queue = try #require(waiting["queue"] as? [String: Any])
        #expect(queue["commits"] as? Int == 3)
        #expect(queue["entities"] as? Int == 3)
        let revisions = try #require(waiting["revisions"] as? [String: Any])
        #expect(revisions["committed"] as? Int == 7)
        #expect(revisions["written"] as? Int == 4)
        for subject in ["store", "log", "tables"] {
          let refused = try await page.ask(subject)
          #expect(refused.status == 503)
          #expect(refused.body.contains("is suspended"))
        }
        try await persistence.resume()
        try await persistence.flush()
        #expect(try await page.ask("log").rows.count == 7)
        let written = try await writer(page)
        #expect(written["condition"] as? String == "The file is healthy.")
        #expect((written["queue"] as? [String: Any])?["commits"] as? Int == 0)
      }
    }

    @Test func `commits go on while the page is served`() async throws {
      try await withLive { page, store, persistence in
        let committing = Task.detached {
          var commits: Int64 = 0
          while !Task.isCancelled {
            for _ in 0..<50 {
              commits += 1
              let name = "\(commits)"
              store.commit("quick") { $0.db.authors.insert(Author(id: "ada", name: name)) }
            }
            try await persistence.flush()
          }
          return commits
        }
        let before = persistence.durableRevision
        for _ in 0..<20 {
          for subject in ["process", "store", "log", "tables"] {
            #expect(try await page.ask(subject).status == 200, "\(subject)")
          }
        }
        #expect(persistence.durableRevision > before)
        committing.cancel()
        let last = try await 4 + committing.value
        #expect(persistence.durableRevision.number == last)
        #expect(try await page.ask("log").rows.first?["revision"] as? Int == Int(last))
      }
    }

    @Test func `stopping frees the port, and the store goes on`() async throws {
      let directory = try TemporaryDirectory()
      try await withPersistence(
        at: directory.path("app.strata"),
        initialState: LibraryState(),
        database: \.db,
        store: LibraryStore.init
      ) { store, persistence in
        let first = try await StateInspector.serve(persistence.live)
        let port = try #require(first.url.port)
        await #expect(throws: (any Error).self) {
          try await StateInspector.serve(persistence.live, port: port).stop()
        }
        try await first.stop()
        await #expect(throws: (any Error).self) { _ = try await blocking { try Wire(port: port) } }
        let second = try await StateInspector.serve(persistence.live, port: port)
        #expect(second.url.port == port)
        // The secret of the first one is of no use.
        #expect(second.url != first.url)
        try await second.stop()
        store.commit("later") { $0.db.authors.insert(Author(id: "dora")) }
        try await persistence.flush()
      }
    }

    @Test func `replaced values are in no answer of a process`() async throws {
      let fields = [StoreBundle.Field("books", "title")]
      try await withLive(redacting: fields) { page, store, _ in
        let titles = store.derived(.map { $0.db.books.map(\.title) })
        let subscription = titles.sinkValue { _ in }
        for (subject, parameters) in [
          ("process", [:]), ("store", [:]), ("log", [:]), ("commit", ["rev": "2"]),
          ("rows", ["table": "books"]), ("entity", ["table": "books", "id": "2"]),
        ] {
          let answer = try await page.ask(subject, parameters)
          #expect(answer.status == 200, "\(subject)")
          #expect(!answer.body.contains("Volume"), "\(subject)")
          #expect(!answer.body.contains("wilma"), "\(subject)")
        }
        #expect(try await page.ask("query", ["sql": "SELECT * FROM books"]).status == 400)
        subscription.cancel()
      }
    }

    /// Refuses to seal one entity, with an error that has a text of it.
    private struct Vault: RecordSealing {
      struct Refused: Error, CustomStringConvertible {
        let description: String
      }

      func seal(_ record: [UInt8], context: RecordContext) throws -> [UInt8] {
        let text = String(decoding: record, as: UTF8.self)
        if text.contains("unsealable") { throw Refused(description: "it is unsealable") }
        return record.map { $0 ^ 0x5A }
      }

      func open(_ sealed: [UInt8], context: RecordContext) throws -> [UInt8] {
        sealed.map { $0 ^ 0x5A }
      }
    }

    @Test func `sealed records stay sealed, although their process could open them`() async throws {
      try await withLive(tables: [.sealed(\.books, with: Vault())]) { page, store, _ in
        #expect(store.state.db.books[2]?.title == "Volume 2")
        for (subject, parameters) in [
          ("process", [:]), ("commit", ["rev": "2"]), ("rows", ["table": "books"]),
          ("entity", ["table": "books", "id": "2"]), ("find", ["q": "Volume"]),
        ] {
          let answer = try await page.ask(subject, parameters)
          #expect(answer.status == 200, "\(subject)")
          // The question itself is not a value.
          #expect(!answer.body.contains("Volume "), "\(subject)")
        }
      }
    }

    @Test(arguments: [[], [StoreBundle.Field("authors", "name")]])
    func `entities that are only in memory are named, with reasons unless values are replaced`(
      fields: [StoreBundle.Field]
    ) async throws {
      let tables: [TableOption<LibraryDatabase>] = [.sealed(\.books, with: Vault())]
      try await withLive(tables: tables, redacting: fields) { page, store, persistence in
        store.commit("bad") { state in
          state.db.books.insert(Book(id: 77, title: "unsealable", author: "ada"))
        }
        await #expect(throws: PersistenceError.self) { try await persistence.flush() }
        let answer = try await page.ask("process")
        let writer = try #require(try answer.json["writer"] as? [String: Any])
        let named = try #require(writer["notPersisted"] as? [[String: Any]])
        #expect(named.map { $0["id"] as? String } == ["77"])
        #expect(named.map { $0["table"] as? String } == ["books"])
        #expect(answer.body.contains("unsealable") == fields.isEmpty)
        store.commit("repair") { $0.db.books.remove(77) }
        try await persistence.flush()
        #expect(try await self.writer(page)["notPersisted"] as? [String] == [])
      }
    }

    @Test func `the page keeps neither the store nor its persistence`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      var store: LibraryStore?
      var persistence: LibraryPersistence?
      persistence = try await LibraryPersistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db
      )
      store = persistence.map { LibraryStore($0) }
      if let store { commitSample(to: store) }
      try await persistence?.flush()
      let live = try #require(persistence?.live)
      try await withPage(try await StateInspector.serve(live)) { page in
        #expect(try await page.ask("process").json["store"] != nil)
        try await persistence?.close()
        let closed = try await writer(page)
        #expect(closed["condition"] as? String == "Closed.")
        store = nil
        persistence = nil
        let answer = try await page.ask("process")
        #expect(answer.status == 200)
        #expect(try answer.json["store"] == nil)
        #expect(try answer.json["writer"] == nil)
        #expect(try answer.rows.isEmpty)
        // The page of the file goes on.
        #expect(try await page.ask("log").rows.count == 4)
      }
    }
  }
#endif
