#if Inspector
  import Foundation
  import Strata
  import StrataInspector
  import TestSupport
  import Testing

  /// Requests that are not the page's own get nothing.
  @Suite struct AttackTests {
    /// A request with the address of the page, and what is wrong with it.
    private static func attacks(_ page: Page) -> [(name: String, request: String, status: Int)] {
      let (base, host, port) = (page.base, page.host, page.port)
      func request(
        _ line: String,
        _ hosts: [String],
        _ more: String = ""
      ) -> String {
        let lines = hosts.map { "Host: \($0)\r\n" }.joined()
        return "\(line) HTTP/1.1\r\n\(lines)\(more)Connection: close\r\n\r\n"
      }
      var attacks: [(String, String, Int)] = []
      for foreign in [
        "evil.example", "evil.example:\(port)", "127.0.0.1", "127.0.0.1:1", "localhost",
        "localhost.evil.example:\(port)", "127.0.0.1.nip.io:\(port)", "127.0.0.2:\(port)",
        "0.0.0.0:\(port)", "127.1:\(port)", "2130706433:\(port)", "\(host)@evil.example",
        "user@\(host)", "127.0.0.1:\(port)0", "LOCALHOST.:\(port)", "[::1]:\(port)", "",
      ] {
        attacks.append(
          ("host \(foreign)", request("GET \(base)api/store.json", [foreign]), 403)
        )
      }
      attacks += [
        ("no host", request("GET \(base)api/store.json", []), 403),
        ("two hosts", request("GET \(base)api/store.json", [host, "evil.example"]), 403),
        ("twice its host", request("GET \(base)api/store.json", [host, host]), 403),
        ("foreign host on events", request("GET \(base)events", ["evil.example"]), 403),
        ("foreign host on a file", request("GET \(base)page.js", ["evil.example"]), 403),
        (
          "foreign host on the process", request("GET \(base)api/process.json", ["evil.example"]),
          403
        ),
        ("no token", request("GET /", [host]), 403),
        ("no token on a question", request("GET /api/store.json", [host]), 403),
        ("no token on the process", request("GET /api/process.json", [host]), 403),
        ("no token on events", request("GET /events", [host]), 403),
        ("empty token", request("GET /t//api/store.json", [host]), 403),
        ("short token", request("GET \(base.dropLast(2))/api/store.json", [host]), 403),
        (
          "zeros as token",
          request("GET /t/\(String(repeating: "0", count: 32))/api/store.json", [host]), 403
        ),
        ("long token", request("GET \(base.dropLast())0/api/store.json", [host]), 403),
        ("capitals in token", request("GET \(base.uppercased())api/store.json", [host]), 403),
        ("dots before the token", request("GET /x/..\(base)api/store.json", [host]), 403),
        ("token in a parameter", request("GET /api/store.json?t=\(base)", [host]), 403),
        ("token as a cookie", request("GET /", [host], "Cookie: t=\(base)\r\n"), 403),
        ("whole address", request("GET http://\(host)\(base)api/store.json", [host]), 403),
        (
          "whole foreign address",
          request("GET http://evil.example\(base)api/store.json", ["evil.example"]), 403
        ),
        ("dots behind the token", request("GET \(base)../../etc/passwd", [host]), 404),
        ("dots as %2e", request("GET \(base)%2e%2e/%2e%2e/etc/passwd", [host]), 404),
        ("a file of the disk", request("GET \(base)/etc/passwd", [host]), 404),
        ("another question", request("GET \(base)api/erase.json", [host]), 404),
        ("another form", request("GET \(base)api/store.exe", [host]), 404),
        ("POST", request("POST \(base)api/store.json", [host], "Content-Length: 0\r\n"), 405),
        ("PUT", request("PUT \(base)api/store.json", [host], "Content-Length: 0\r\n"), 405),
        ("DELETE", request("DELETE \(base)api/store.json", [host]), 405),
        ("OPTIONS", request("OPTIONS \(base)api/store.json", [host]), 405),
        ("PATCH", request("PATCH \(base)api/store.json", [host]), 405),
        ("TRACE", request("TRACE \(base)api/store.json", [host]), 405),
        ("CONNECT", request("CONNECT \(host)", [host]), 405),
        (
          "POST on the process",
          request("POST \(base)api/process.json", [host], "Content-Length: 0\r\n"), 405
        ),
        ("POST on events", request("POST \(base)events", [host], "Content-Length: 0\r\n"), 405),
        (
          "a body",
          request("GET \(base)api/store.json", [host], "Content-Length: 5\r\n") + "12345", 400
        ),
        (
          "a body in chunks",
          request("GET \(base)api/store.json", [host], "Transfer-Encoding: chunked\r\n")
            + "0\r\n\r\n", 400
        ),
        ("HTTP/1.0 without a host", "GET \(base)api/store.json HTTP/1.0\r\n\r\n", 403),
        ("no HTTP", "hello\r\n\r\n", 400),
        ("TLS", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\r\n\r\n", 400),
        (
          "a long address",
          request("GET \(base)api/store.json?x=\(String(repeating: "a", count: 5_000))", [host]),
          414
        ),
        (
          "a very long address",
          request("GET \(base)\(String(repeating: "a", count: 100_000))", [host]), 431
        ),
        (
          "10,000 headers",
          request(
            "GET \(base)api/store.json",
            [host],
            (0..<10_000).map { "x-\($0): y\r\n" }.joined()
          ), 431
        ),
        (
          "a long header",
          request(
            "GET \(base)api/store.json",
            [host],
            "x: \(String(repeating: "y", count: 20_000))\r\n"
          ), 431
        ),
        ("half a percent", request("GET \(base)api/log.json?name=%", [host]), 400),
        ("no UTF-8", request("GET \(base)api/log.json?name=%ff%fe", [host]), 400),
        ("a parameter twice", request("GET \(base)api/log.json?limit=1&limit=2", [host]), 400),
      ]
      for site in ["cross-site", "same-site", "same-origin, cross-site", "x"] {
        attacks.append(
          (
            "from \(site)",
            request("GET \(base)api/store.json", [host], "Sec-Fetch-Site: \(site)\r\n"), 403
          )
        )
      }
      let opening = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"
      for (path, more) in [
        ("\(base)api/store.json", "Sec-Fetch-Dest: document\r\n"),
        (base, "Sec-Fetch-Dest: iframe\r\n"),
        (base, ""), ("/", "Sec-Fetch-Dest: document\r\n"),
      ] {
        attacks.append(
          ("opened \(path) \(more)", request("GET \(path)", [host], opening + more), 403)
        )
      }
      for origin in ["http://evil.example", "null", "https://\(host)", "http://127.0.0.1:1"] {
        attacks.append(
          (
            "origin \(origin)",
            request("GET \(base)api/store.json", [host], "Origin: \(origin)\r\n"), 403
          )
        )
      }
      return attacks.map { (name: $0.0, request: $0.1, status: $0.2) }
    }

    /// What a page is about.
    enum Served: CaseIterable {
      case file, process
    }

    private func with(_ served: Served, _ body: (Page) async throws -> Void) async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      switch served {
      case .file:
        try await closedLibrary(at: path)
        try await withPage(try await StateInspector.serve(path), body)
      case .process:
        try await withPersistence(
          at: path,
          initialState: LibraryState(),
          database: \.db,
          store: LibraryStore.init
        ) { store, persistence in
          commitSample(to: store)
          try await persistence.flush()
          try await withPage(try await StateInspector.serve(persistence.live), body)
        }
      }
    }

    @Test(arguments: Served.allCases)
    func `more than forty attacks are refused, and get nothing of the store`(
      served: Served
    ) async throws {
      try await with(served) { page in
        let attacks = Self.attacks(page)
        #expect(attacks.count >= 60)
        let token = String(page.base.dropFirst(3).dropLast())
        for attack in attacks {
          let received = try #require(try await page.send(attack.request), "\(attack.name)")
          // The parser has a limit of its own for the number of headers.
          let isRefused =
            received.status == attack.status || attack.status == 431 && received.status == 400
          #expect(isRefused, "\(attack.name): \(received)")
          for text in ["Volume", "books", "Library", "\"store\"", token] {
            #expect(!received.body.contains(text), "\(attack.name): \(received)")
          }
          #expect(received.headers["access-control-allow-origin"] == nil)
        }
        // The page itself is still served.
        #expect(try await page.get("api/store.json").status == 200)
      }
    }

    @Test func `the page is served to its own requests by each of its names`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      try await withPage(try await StateInspector.serve(path)) { page in
        for host in ["127.0.0.1:\(page.port)", "localhost:\(page.port)"] {
          for more in [
            "", "Sec-Fetch-Site: none\r\n", "Sec-Fetch-Site: same-origin\r\n",
            "Origin: http://\(host)\r\n",
            // A link in a file, as `strata serve --open` makes one.
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n",
          ] {
            let received = try await page.send(
              "GET \(page.base) HTTP/1.1\r\nHost: \(host)\r\n\(more)Connection: close\r\n\r\n"
            )
            #expect(received?.status == 200)
            #expect(received?.body.contains("<main") == true)
          }
        }
      }
    }

    @Test func `HEAD has the headers of GET and no body`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      try await withPage(try await StateInspector.serve(path)) { page in
        for path in ["", "api/store.json", "api/log.csv"] {
          let (get, head) = (
            try await page.get(path), try await page.get(path, method: "HEAD")
          )
          #expect(head.status == 200)
          #expect(head.headers == get.headers)
          #expect(head.body == "")
        }
      }
    }

    @Test func `every answer forbids code, other origins and copies`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      try await withPage(try await StateInspector.serve(path)) { page in
        for path in ["", "page.js", "api/store.json", "api/log.csv", "nothing"] {
          let headers = try await page.get(path).headers
          let policy = headers["content-security-policy"] ?? ""
          #expect(policy.hasPrefix("default-src 'none'; script-src 'self';"))
          #expect(policy.contains("require-trusted-types-for 'script'; trusted-types 'none'"))
          #expect(policy.contains("frame-ancestors 'none'"))
          #expect(!policy.contains("unsafe"))
          #expect(headers["x-content-type-options"] == "nosniff")
          #expect(headers["referrer-policy"] == "no-referrer")
          #expect(headers["cache-control"] == "no-store")
          #expect(headers["cross-origin-resource-policy"] == "same-origin")
          #expect(headers["access-control-allow-origin"] == nil)
        }
      }
    }

    @Test func `a head that does not end is ended`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      var bounds = ConnectionBounds()
      bounds.time = .milliseconds(200)
      bounds.idle = .milliseconds(300)
      let inspector = try await StateInspector.serve(path, bounds: bounds)
      try await withPage(inspector) { page in
        let (port, base, host) = (page.port, page.base, page.host)
        let received = try await blocking {
          let wire = try Wire(port: port)
          wire.send("GET \(base) HTTP/1.1\r\nHost: \(host)\r\nX: ")
          return wire.receive()
        }
        #expect(Received(received)?.status ?? 0 != 200)
        // One that sends nothing is ended too.
        #expect(try await blocking { try Wire(port: port).receive() } == [])
      }
    }

    @Test func `there are no more connections than the limit`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      try await withPage(try await StateInspector.serve(path)) { page in
        let (port, base, host) = (page.port, page.base, page.host)
        let request = """
          GET \(base)api/store.json HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n
          """
        let (first, next) = try await blocking { () -> (Int?, Int?) in
          let wires = try (0..<StateInspector.connections).map { _ in try Wire(port: port) }
          let next = try Wire(port: port)
          next.send(request)
          let refused = Received(next.receive())
          wires[0].send(request)
          return (Received(wires[0].receive())?.status, refused?.status)
        }
        #expect(first == 200)
        #expect(next == nil)
      }
    }

    @Test func `each server has another token`() async throws {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      let first = try await StateInspector.serve(path)
      let second = try await StateInspector.serve(path)
      #expect(Page(first).base != Page(second).base)
      #expect(Page(first).base.count == 36)
      #expect(first.url.host() == "127.0.0.1")
      try await first.stop()
      try await second.stop()
    }
  }
#endif
