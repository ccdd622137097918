import Foundation

/// The head of a request, as far as it decides whether the request is answered.
package struct PageRequest: Sendable {
  let method: String
  /// The path and the parameters.
  let address: String
  private let headers: [String: [String]]

  package init(
    method: String,
    address: String,
    headers: some Sequence<(name: String, value: String)>
  ) {
    self.method = method
    self.address = address
    self.headers = Dictionary(grouping: headers) { $0.name.lowercased() }
      .mapValues { $0.map(\.value) }
  }

  /// The values of a header, by its name in lower case.
  subscript(name: String) -> [String] { headers[name] ?? [] }

  /// Whether a browser shows the answer as a page of its own: a person reads it, and no script.
  package var isNavigation: Bool {
    self["sec-fetch-mode"] == ["navigate"]
      || self["sec-fetch-mode"].isEmpty && self["accept"].contains { $0.contains("text/html") }
  }

  /// Whether a link was followed to a page of its own, and not to a frame.
  fileprivate var isOfDocument: Bool {
    method == "GET" && self["sec-fetch-mode"] == ["navigate"]
      && self["sec-fetch-dest"] == ["document"]
  }
}

/// Decides which requests are looked at: those that the page itself sends.
///
/// Any page that a browser shows may send requests to a server on this machine, and any name may lead to its
/// address. So everything is checked before an address is looked at: the host is exactly one that the browser
/// shows for this page, the request does not come from another site, it only reads, and it has the token. A link on
/// another site, as in a chat, leads to the page all the same if it has the token: a page that is opened so can neither
/// read nor frame this one.
package struct Gate: Sendable {
  /// What happens to a request.
  package enum Passage: Equatable {
    /// It may go on, with this path behind the token and these parameters.
    case open(path: String, query: String)
    /// It is sent to this address, relative to its own.
    case moved(String)
    case refused(Refusal)
  }

  /// Why a request is refused.
  package struct Refusal: Error, Equatable {
    /// The status of the answer.
    package let status: Int
    let reason: String
    /// What a person is to do.
    let remedy: String
    /// A command for that; nil for none.
    var command: String?

    package init(_ status: Int, _ reason: String, _ remedy: String = "", command: String? = nil) {
      self.status = status
      self.reason = reason
      self.remedy = remedy
      self.command = command
    }
  }

  private let hosts: Set<String>
  private let origins: Set<String>
  private let token: Token

  /// - Parameter names: Further hosts, as a browser shows them: `tools.example`, `localhost:9000`.
  package init(port: Int, _ token: Token, names: [String] = []) {
    let own = ["127.0.0.1:\(port)", "localhost:\(port)"]
    let names = names.map { $0.lowercased() }
    hosts = Set(own + names)
    origins = Set((own + names).map { "http://\($0)" } + names.map { "https://\($0)" })
    self.token = token
  }

  /// The bytes of an address.
  static let longestAddress = 4_096
  /// The bytes of a statement of SQL, which may be too long for an address.
  static let longestBody = 1 << 18
  /// The type of a body.
  static let sqlType = "application/sql"

  package func check(_ request: PageRequest) -> Passage {
    do throws(Refusal) {
      return try pass(request)
    } catch {
      return .refused(error)
    }
  }

  private func pass(_ request: PageRequest) throws(Refusal) -> Passage {
    try checkHost(request)
    guard ["GET", "HEAD", "POST"].contains(request.method) else {
      throw Refusal(405, "Only GET and HEAD are served.")
    }
    let parts = request.address.split(
      separator: "?",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    // What is wrong with the rest of a request is said before its token is.
    let place = Result { () throws(Refusal) in try path(parts[0]) }
    try checkBody(request, behindToken: place)
    let isOfPage =
      switch place {
      case .success(.open(let path, _)): path.isEmpty
      case .success(.moved): true
      case .success(.refused), .failure: false
      }
    for site in request["sec-fetch-site"] where site != "same-origin" && site != "none" {
      if isOfPage && request.isOfDocument { continue }
      throw Refusal(
        403,
        "Requests of other pages are not served.",
        "Open the address that strata serve has printed: other addresses of the page are for itself."
      )
    }
    for origin in request["origin"] where !origins.contains(origin) {
      throw Refusal(403, "Requests of other pages are not served.")
    }
    guard request.address.utf8.count <= Self.longestAddress else {
      throw Refusal(414, "The address is too long.", "Open what strata serve has printed.")
    }
    guard case .open(let path, _) = try place.get() else { return try place.get() }
    return .open(path: path, query: parts.count > 1 ? String(parts[1]) : "")
  }

  private func checkHost(_ request: PageRequest) throws(Refusal) {
    let named = request["host"]
    if named.count == 1, hosts.contains(named[0]) { return }
    let name = named.first ?? ""
    let isPlain =
      !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (48...58).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
          || "-.[]".utf8.contains(byte)
      }
    throw Refusal(
      403,
      "This host is not served.",
      """
      The page answers only to the names that it is started with, so that no other site can read the store. For a forwarded \
      port, or behind a proxy, name the host as the browser shows it:
      """,
      command: "strata serve STORE --host \(isPlain ? name : "NAME:PORT")"
    )
  }

  /// A body is the SQL of a query, and nothing else has one.
  private func checkBody(
    _ request: PageRequest,
    behindToken place: Result<Passage, Refusal>
  ) throws(Refusal) {
    let lengths = request["content-length"]
    guard request.method == "POST" else {
      guard request["transfer-encoding"].isEmpty, lengths.allSatisfy({ $0 == "0" }) else {
        throw Refusal(400, "A request has no body here.")
      }
      return
    }
    guard case .success(.open(let path, _)) = place,
      ["api/query.json", "api/query.csv"].contains(path),
      request["content-type"] == [Self.sqlType]
    else { throw Refusal(405, "Only GET and HEAD are served.") }
    guard request["transfer-encoding"].isEmpty, lengths.count == 1, let length = Int(lengths[0]),
      length > 0
    else { throw Refusal(400, "A statement has a length.") }
    guard length <= Self.longestBody else { throw Refusal(413, "The statement is too long.") }
  }

  /// What is behind the token, which a proxy may have put a path before.
  private func path(_ address: Substring) throws(Refusal) -> Passage {
    let steps = address.split(separator: "/", omittingEmptySubsequences: false)
    let isBelow = { (step: Substring) in !step.isEmpty && step != "." && step != ".." }
    let place = steps.indices.dropFirst().dropLast().first {
      steps[$0] == "t" && token.matches(steps[$0 + 1])
    }
    if let place, steps[0].isEmpty, steps[1..<place].allSatisfy(isBelow) {
      // Without the slash, the files of the page would be looked for beside the token.
      if place + 2 == steps.count { return .moved("\(token.text)/") }
      return .open(path: steps[(place + 2)...].joined(separator: "/"), query: "")
    }
    throw Refusal(
      403,
      "The address has no valid token.",
      """
      Each start of strata serve makes a new address, with a secret in it. Open the one that it has printed: a bookmark or a \
      link of an earlier start leads nowhere.
      """
    )
  }
}

/// The secret in the addresses of a page: 128 random bits.
///
/// It stands in the path and not in a cookie: a browser sends cookies of a host to all of its ports, so every
/// other server on this machine would get it.
package struct Token: Sendable {
  /// 32 hexadecimal digits.
  package let text: String

  package init() {
    var generator = SystemRandomNumberGenerator()
    text = (0..<4).map { _ in
      let digits = String(UInt32.random(in: .min ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  /// Whether a text is the token, in a time that does not depend on where they differ.
  func matches(_ other: Substring) -> Bool {
    let (own, other) = (Array(text.utf8), Array(other.utf8))
    guard own.count == other.count else { return false }
    return zip(own, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
