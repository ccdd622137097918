#if Inspector
  import Foundation
  import Strata
  import StrataInspector
  import StrataMaintaining
  import StrataStorage
  import TestSupport
  import Testing

  /// The files of the page, the file of the store, and the events.
  @Suite struct PageTests {
    @Test func `the page is small, complete and loads nothing from elsewhere`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      try await withPage(try await StateInspector.serve(path)) { page in
        let index = try await page.get("").body
        var names = Set(index.matches(of: /(?:href|src)="([a-z]+\.[a-z]+)"/).map { String($0.1) })
        names.insert("")
        #expect(names.count == 10)
        var bytes = 0
        for name in names {
          let file = try await page.get(name)
          #expect(file.status == 200)
          bytes += file.body.utf8.count
          for sink in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
            "new Function",
            "srcdoc", "javascript:", "style=", "<script>", "onclick=\"",
          ] {
            #expect(!file.body.contains(sink), "\(name): \(sink)")
          }
          let addresses = file.body.matches(of: /https?:\/\/[^'" ]+/).map { String($0.0) }
          #expect(addresses.allSatisfy { $0 == "http://www.w3.org/2000/svg" }, "\(name)")
          for module in file.body.matches(of: /from '\.\/([a-z]+\.js)'/) {
            #expect(names.contains(String(module.1)))
          }
        }
        #expect(bytes <= 113_000)
      }
    }

    @Test func `many requests change no byte and no name`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      let before = try StoreBytes(path)
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted()
      try await withPage(try await StateInspector.serve(path)) { page in
        let questions = [
          "", "api/store.json", "api/log.json", "api/commit.json?rev=3", "api/tables.json",
          "api/rows.json?table=books", "api/entity.json?table=books&id=2", "api/strip.json",
          "api/blame.json?table=books&id=2", "api/query.json?sql=SELECT%20*%20FROM%20books",
        ]
        let requests =
          Int(ProcessInfo.processInfo.environment["STRATA_REQUESTS"] ?? "") ?? 200
        let (port, base, host) = (page.port, page.base, page.host)
        let answered = try await blocking {
          let wire = try Wire(port: port)
          var answered = 0
          for number in 0..<requests {
            // One connection is used again and again, as browsers do.
            wire.send(
              "GET \(base)\(questions[number % questions.count]) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
            )
            let bytes = wire.receive { bytes in
              guard let received = Received(bytes) else { return false }
              return received.body.utf8.count >= Int(received.headers["content-length"] ?? "") ?? 0
            }
            if Received(bytes)?.status == 200 { answered += 1 }
          }
          return answered
        }
        #expect(answered == requests)
      }
      #expect(try StoreBytes(path) == before)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: directory.url.path).sorted() == names
      )
    }

    @Test func `commits are answered while tables are read for others`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      try await withPage(try await StateInspector.serve(path)) { page in
        let statement = """
          WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 2000000) \
          SELECT max(x) FROM c
          """
        let sql = statement.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let (port, base, host) = (page.port, page.base, page.host)
        let (answer, ended, first) = try await blocking {
          let queries = try (0..<4).map { _ in
            let wire = try Wire(port: port)
            wire.send("GET \(base)api/query.json?sql=\(sql) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            return wire
          }
          let log = try Wire(port: port)
          log.send(
            "GET \(base)api/log.json HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n"
          )
          let answer = Received(log.receive())
          let ended = queries.filter(\.hasReceived).count
          let first = queries[0].receive { String(decoding: $0, as: UTF8.self).hasSuffix("}") }
          return (answer, ended, Received(first))
        }
        #expect(try answer?.rows.count == 4)
        #expect(ended == 0)
        // On a busy machine, it meets the limit on the time of a query.
        if first?.status == 200 {
          #expect(try first?.rows.first?["max(x)"] as? Int == 2_000_000)
        } else {
          #expect(first?.body.contains("10 s") == true)
        }
      }
    }

    @Test func `an address that is opened by hand gets a page that says what to do`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      let inspector = try await StateInspector.serve(path, hosts: ["tools.example"])
      try await withPage(inspector) { page in
        func open(_ address: String, host: String? = nil) async throws -> Received? {
          try await page.send(
            """
            GET \(address) HTTP/1.1\r\nHost: \(host ?? page.host)\r\nAccept: text/html\r\n\
            Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nConnection: close\r\n\r\n
            """
          )
        }
        for (address, host, status) in [
          ("/", nil, 403), ("/favicon.ico", nil, 403), (page.base, "localhost:1", 403),
          (page.base + "nothing", nil, 404), (page.base + "api/entity.json", nil, 400),
          (page.base + String(repeating: "a", count: 5_000), nil, 414),
          (page.base + String(repeating: "a", count: 20_000), nil, 431),
        ] {
          let received = try #require(try await open(address, host: host), "\(address)")
          #expect(received.status == status, "\(received)")
          #expect(received.headers["content-type"]?.hasPrefix("text/html") == true, "\(received)")
          #expect(received.body.hasPrefix("<!doctype html>"), "\(received)")
          #expect(received.body.contains("strata serve"), "\(received)")
        }
        let named = try await open("/strata" + page.base, host: "tools.example")
        #expect(named?.status == 200 && named?.body.contains("<main") == true)
        let moved = try await open(String(page.base.dropLast()))
        #expect(moved?.status == 308)
        #expect(moved?.headers["location"] == String(page.base.dropFirst(3)))
        // What the page itself asks is JSON.
        #expect(try await page.get("nothing").body.hasPrefix("{\"error\""))
      }
    }

    @Test func `SQL of 64 kB is answered`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      try await withPage(try await StateInspector.serve(path)) { page in
        let names = String(repeating: "'é\u{301}', ", count: 9_000)
        let sql = "SELECT count(*) AS n FROM books WHERE title NOT IN (\(names)'x')"
        #expect(sql.utf8.count > 64_000)
        for form in ["json", "csv"] {
          let received = try await page.send(
            """
            POST \(page.base)api/query.\(form) HTTP/1.1\r\nHost: \(page.host)\r\n\
            Origin: http://\(page.host)\r\nSec-Fetch-Site: same-origin\r\n\
            Content-Type: application/sql\r\nContent-Length: \(sql.utf8.count)\r\nConnection: close\r\n\r\n\(sql)
            """
          )
          #expect(received?.status == 200, "\(form): \(String(describing: received))")
          #expect(received?.body.contains("4") == true)
        }
      }
    }

    @Test func `a program can open a store whose page is open`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      try await withPage(try await StateInspector.serve(path)) { page in
        #expect(try await page.ask("store").body.contains("\"mode\":\"atRest\""))
        let persistence = try await Persistence.open(
          at: path,
          initialState: LibraryState(),
          database: \.db
        )
        let store = LibraryStore(persistence)
        #expect(try await page.ask("store").body.contains("\"mode\":\"live\""))
        store.commit("later") { $0.db.authors.insert(Author(id: "dora")) }
        try await persistence.flush()
        #expect(try await page.ask("log").rows.first?["commit"] as? String == "later")
        try await persistence.close()
      }
    }

    @Test func `a store that was left behind can be opened while a copy of it is read`()
      async throws
    {
      let directory = try TemporaryDirectory()
      let origin = directory.path("origin.strata")
      let path = directory.path("app.strata")
      let persistence = try await Persistence.open(
        at: origin,
        initialState: LibraryState(),
        database: \.db
      )
      commitSample(to: LibraryStore(persistence))
      try await persistence.flush()
      // Another process copies it: closing a file of an open store here would drop its locks.
      for suffix in ["", "-wal", ".head"] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/cp")
        process.arguments = [origin + suffix, path + suffix]
        try process.run()
        try await blocking { [process] in process.waitUntilExit() }
      }
      try await persistence.close()
      try await withPage(try await StateInspector.serve(path)) { page in
        #expect(try await page.ask("store").body.contains("\"mode\":\"copy\""))
        #expect(try await page.ask("log").rows.count == 4)
        let opened = try await Persistence.open(
          at: path,
          initialState: LibraryState(),
          database: \.db
        )
        LibraryStore(opened).commit("later") { $0.db.authors.insert(Author(id: "dora")) }
        try await opened.flush()
        #expect(try await page.ask("log").rows.count == 5)
        #expect(try await page.ask("store").body.contains("\"mode\":\"live\""))
        try await opened.close()
      }
    }

    @Test func `new commits reach all pages that listen`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      let persistence = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db
      )
      let store = LibraryStore(persistence)
      commitSample(to: store)
      try await persistence.flush()
      try await withPage(try await StateInspector.serve(path)) { page in
        let (port, base, host) = (page.port, page.base, page.host)
        let wires = try (0..<3).map { _ in try Wire(port: port) }
        for wire in wires {
          wire.send("GET \(base)events HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        }
        let text = { @Sendable (bytes: [UInt8]) in String(decoding: bytes, as: UTF8.self) }
        for wire in wires {
          let first = try await blocking {
            wire.receive { text($0).contains("event: head\nid: 4\n") }
          }
          #expect(text(first).contains("content-type: text/event-stream"))
          #expect(text(first).contains("event: head\nid: 4\n"))
        }
        store.commit("later", fileID: "Library/Late.swift", function: "late()", line: 1) {
          $0.db.authors.insert(Author(id: "dora"))
        }
        try await persistence.flush()
        for wire in wires {
          let next = try await blocking {
            wire.receive { text($0).contains("id: 5\n") && text($0).hasSuffix("\n\n\r\n") }
          }
          #expect(text(next).contains("\"commit\":\"later\""))
          #expect(text(next).contains("\"commits\":1"))
          #expect(text(next).contains("\"changes\":[{\"table\":\"authors\",\"put\":1"))
        }
      }
      try await persistence.close()
    }

    @Test func `the events say which store is at the path, and whether a program has it open`()
      async throws
    {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      let other = directory.path("other.strata")
      try await closedLibrary(at: path)
      try await closedLibrary(at: other) { store in
        for number in 1...5 {
          store.commit("other") { $0.db.authors.insert(Author(id: EntityID("other-\(number)"))) }
        }
      }
      try await withPage(try await StateInspector.serve(path)) { page in
        let first = try await storeID(page)
        #expect(try await page.ask("strip").json["commits"] as? Int == 4)
        let (port, base, host) = (page.port, page.base, page.host)
        let wire = try Wire(port: port)
        wire.send("GET \(base)events HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        /// Whether an event with these parts comes before the second sign of life, which takes half a minute.
        func event(with parts: String...) async throws -> Bool {
          let text = { @Sendable (bytes: [UInt8]) in String(decoding: bytes, as: UTF8.self) }
          let received = try await blocking {
            wire.receive { bytes in
              parts.allSatisfy { text(bytes).contains($0) }
                || text(bytes).components(separatedBy: ": still here").count > 2
            }
          }
          return parts.allSatisfy { text(received).contains($0) }
        }
        #expect(try await event(with: first, "\"mode\":\"atRest\""))
        let persistence = try await Persistence.open(
          at: path,
          initialState: LibraryState(),
          database: \.db
        )
        LibraryStore(persistence).commit("later") { $0.db.authors.insert(Author(id: "dora")) }
        try await persistence.flush()
        #expect(try await event(with: first, "\"mode\":\"live\"", "id: 5\n"))
        try await persistence.close()
        #expect(try await event(with: first, "\"mode\":\"atRest\""))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: other, toPath: path)
        #expect(try await event(with: "id: 9\n", "\"commits\":0"))
        let second = try await storeID(page)
        #expect(second != first)
        #expect(try await page.ask("strip").json["commits"] as? Int == 9)
      }
    }

    @Test func `another copy of the same store is another history`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      let copy = directory.path("copy.strata")
      try await closedLibrary(at: path)
      try copyStore(from: path, to: copy)
      try await commit(60, at: copy)
      try await withPage(try await StateInspector.serve(path)) { page in
        let first = try await storeID(page)
        #expect(try await history(page) == 1)
        #expect(try await page.ask("strip").json["commits"] as? Int == 4)
        try await commit(50, at: path)
        // It went on: 54 commits.
        #expect(try await history(page) == 1)
        let (port, base, host) = (page.port, page.base, page.host)
        let wire = try Wire(port: port)
        wire.send("GET \(base)events HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        _ = try await blocking {
          wire.receive { String(decoding: $0, as: UTF8.self).contains("id: 54\n") }
        }
        for suffix in ["", ".head"] {
          try FileManager.default.removeItem(atPath: path + suffix)
          try FileManager.default.moveItem(atPath: copy + suffix, toPath: path + suffix)
        }
        let event = try await blocking {
          wire.receive { String(decoding: $0, as: UTF8.self).contains("id: 64\n") }
        }
        let text = String(decoding: event, as: UTF8.self)
        #expect(text.contains("\"history\":2"))
        // No commit of it is named as one that is new.
        #expect(text.contains("\"commits\":0"))
        #expect(try await storeID(page) == first)
        #expect(try await history(page) == 2)
        #expect(try await page.ask("strip").json["commits"] as? Int == 64)
      }
    }

    private func history(_ page: Page) async throws -> Int? {
      try await page.ask("store").json["history"] as? Int
    }

    private func storeID(_ page: Page) async throws -> String {
      let store = try #require(try await page.ask("store").json["store"] as? [String: Any])
      return try #require(store["store"] as? String)
    }

    @Test func `another store at the path is refused while values are replaced`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      let other = directory.path("other.strata")
      try await closedLibrary(at: path)
      try await closedLibrary(at: other)
      let fields = [StoreBundle.Field("books", "title")]
      try await withPage(try await StateInspector.serve(path, redacting: fields)) { page in
        #expect(try await page.ask("log").status == 200)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: other, toPath: path)
        let refused = try await page.ask("log")
        #expect(refused.status == 400)
        #expect(refused.body.contains("Another store is at this path now"))
      }
    }

    @Test func `no more pages than the limit listen`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      try await withPage(try await StateInspector.serve(path)) { page in
        let (port, base, host) = (page.port, page.base, page.host)
        let statuses = try await blocking { () -> [Int?] in
          let wires = try (0..<17).map { _ in try Wire(port: port) }
          return wires.map { wire in
            wire.send("GET \(base)events HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            return Received(wire.receive { Received($0) != nil })?.status
          }
        }
        #expect(statuses == [Int?](repeating: 200, count: 16) + [503])
      }
    }

    @Test func `a page that is closed makes room for another one`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      try await withPage(try await StateInspector.serve(path)) { page in
        let (port, base, host) = (page.port, page.base, page.host)
        let listen = { @Sendable () throws -> (wire: Wire, status: Int?) in
          let wire = try Wire(port: port)
          wire.send("GET \(base)events HTTP/1.1\r\nHost: \(host)\r\n\r\n")
          return (wire, Received(wire.receive { Received($0) != nil })?.status)
        }
        let status = try await blocking { () -> Int? in
          var wires = try (0..<16).map { _ in try listen().wire }
          wires.removeLast()
          // The server notices the end of a connection after it: so many tries take less than a second.
          var status: Int?
          for _ in 0..<1_000 where status != 200 { status = try listen().status }
          return withExtendedLifetime(wires) { status }
        }
        #expect(status == 200)
      }
    }

    @Test func `the events end with the server`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      let inspector = try await StateInspector.serve(path)
      let page = Page(inspector)
      let (port, base, host) = (page.port, page.base, page.host)
      let wire = try await blocking {
        let wire = try Wire(port: port)
        wire.send("GET \(base)events HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        _ = wire.receive { String(decoding: $0, as: UTF8.self).contains("event: head") }
        return wire
      }
      try await inspector.stop()
      #expect(try await blocking { wire.isEnded() })
      await #expect(throws: (any Error).self) { _ = try await blocking { try Wire(port: port) } }
    }
  }
#endif
