import StrataInspector
import Testing

/// Which requests are looked at, and what the others are told.
@Suite struct GateTests {
  private let token = Token()

  private func check(
    _ address: String,
    method: String = "GET",
    host: String = "127.0.0.1:8080",
    _ headers: [(name: String, value: String)] = [],
    names: [String] = []
  ) -> Gate.Passage {
    Gate(port: 8080, token, names: names).check(
      PageRequest(
        method: method,
        address: address,
        headers: [(name: "Host", value: host)] + headers
      )
    )
  }

  private static func status(_ passage: Gate.Passage) -> Int? {
    if case .refused(let refusal) = passage { refusal.status } else { nil }
  }

  private static let navigation = [
    (name: "Sec-Fetch-Mode", value: "navigate"), (name: "Sec-Fetch-Dest", value: "document"),
  ]

  @Test(arguments: ["localhost:9000", "tools.example", "TOOLS.example:8443", "[::1]:8080"])
  func `a name is served if the server was started with it, as the browser shows it`(
    name: String
  ) {
    let (host, address) = (name.lowercased(), "/t/\(token.text)/api/log.json")
    #expect(Self.status(check(address, host: host)) == 403)
    let open = Gate.Passage.open(path: "api/log.json", query: "")
    #expect(check(address, host: host, names: [name]) == open)
    #expect(Self.status(check(address, host: host + "0", names: [name])) == 403)
    #expect(Self.status(check(address, host: "x." + host, names: [name])) == 403)
    for scheme in ["http", "https"] {
      let own = [(name: "Origin", value: "\(scheme)://\(host)")]
      #expect(check(address, host: host, own, names: [name]) == open)
    }
    let other = [(name: "Origin", value: "https://evil.example")]
    #expect(Self.status(check(address, host: host, other, names: [name])) == 403)
  }

  @Test func `a proxy may have the page below a path, and leave out the slash`() {
    let text = token.text
    #expect(check("/t/\(text)/page.js") == .open(path: "page.js", query: ""))
    #expect(
      check("/tools/strata/t/\(text)/api/log.json?limit=3")
        == .open(path: "api/log.json", query: "limit=3")
    )
    #expect(check("/t/t/\(text)/") == .open(path: "", query: ""))
    #expect(check("/tools/t/\(text)") == .moved("\(text)/"))
    for address in [
      "/x/../t/\(text)/", "//t/\(text)/", "/./t/\(text)/", "/\(text)/", "/t/\(text)0/",
      "x/t/\(text)/",
    ] {
      #expect(Self.status(check(address)) == 403, "\(address)")
    }
  }

  @Test func `a link on another site leads to the page, and to nothing else`() {
    let site = (name: "Sec-Fetch-Site", value: "cross-site")
    let page = "/t/\(token.text)/"
    #expect(check(page, [site] + Self.navigation) == .open(path: "", query: ""))
    for address in [page + "api/log.json", page + "page.js", page + "events"] {
      #expect(Self.status(check(address, [site] + Self.navigation)) == 403, "\(address)")
    }
    let frame = [site, Self.navigation[0], (name: "Sec-Fetch-Dest", value: "iframe")]
    #expect(Self.status(check(page, frame)) == 403)
    #expect(Self.status(check(page, [site])) == 403)
    #expect(Self.status(check("/t/x/", [site] + Self.navigation)) == 403)
  }

  @Test func `SQL may be a body, and nothing else has one`() {
    let query = "/t/\(token.text)/api/query.json"
    func post(_ address: String, _ length: String, _ type: String = "application/sql") -> Int? {
      Self.status(
        check(
          address,
          method: "POST",
          [(name: "Content-Length", value: length), (name: "Content-Type", value: type)]
        )
      )
    }
    #expect(post(query, "65536") == nil)
    #expect(post("/t/\(token.text)/api/query.csv", "262144") == nil)
    #expect(post(query, "262145") == 413)
    for length in ["0", "-1", "x", ""] { #expect(post(query, length) == 400, "\(length)") }
    #expect(post(query, "5", "text/plain") == 405)
    #expect(post("/t/\(token.text)/api/log.json", "5") == 405)
    #expect(post("/t/x/api/query.json", "5") == 405)
    let chunked = [
      (name: "Transfer-Encoding", value: "chunked"),
      (name: "Content-Type", value: "application/sql"),
    ]
    #expect(Self.status(check(query, method: "POST", chunked)) == 400)
    let foreign = [
      (name: "Content-Length", value: "5"), (name: "Content-Type", value: "application/sql"),
      (name: "Origin", value: "http://localhost:3000"),
    ]
    #expect(Self.status(check(query, method: "POST", foreign)) == 403)
  }

  @Test func `a person is told what to do, and nothing of a request becomes markup`() throws {
    func refusal(_ passage: Gate.Passage) throws -> Gate.Refusal {
      guard case .refused(let refusal) = passage else { throw Missing() }
      return refusal
    }
    let named = ProblemPage.html(try refusal(check("/", host: "tools.example:9000")))
    #expect(named.contains("<h1>This host is not served.</h1>"))
    #expect(named.contains("<pre>strata serve STORE --host tools.example:9000</pre>"))
    let hostile = ProblemPage.html(try refusal(check("/", host: "<script>alert(1)</script>")))
    #expect(!hostile.contains("<script"))
    #expect(hostile.contains("--host NAME:PORT"))
    let escaped = ProblemPage.html(Gate.Refusal(400, "a <b> & \"c\" \u{202E}"))
    #expect(escaped.contains("a &lt;b&gt; &amp; &quot;c&quot;"))
    #expect(!escaped.contains("\u{202E}"))
    let old = ProblemPage.html(try refusal(check("/t/0/")))
    #expect(old.contains("Open the one that it has printed"))
  }

  private struct Missing: Error {}

  @Test func `a browser's own page is told from what a script asks`() {
    func isNavigation(_ headers: [(name: String, value: String)]) -> Bool {
      PageRequest(method: "GET", address: "/", headers: headers).isNavigation
    }
    #expect(isNavigation(Self.navigation))
    // Over plain HTTP to another name than that of this machine, browsers send no such headers.
    #expect(isNavigation([(name: "Accept", value: "text/html,application/xhtml+xml,*/*;q=0.8")]))
    #expect(!isNavigation([(name: "Accept", value: "*/*")]))
    #expect(!isNavigation([(name: "Sec-Fetch-Mode", value: "cors")]))
    #expect(!isNavigation([]))
  }
}
