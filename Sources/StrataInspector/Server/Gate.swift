#if Inspector
  import NIOHTTP1

  /// Decides which requests are looked at: those that the page itself sends.
  ///
  /// Any page that a browser shows may send requests to a server on this machine, and any name may lead to its
  /// address. So everything is checked before an address is looked at: the host is exactly one that the browser
  /// shows for this page, the request does not come from another site, unless it opens the page itself, it only reads, and
  /// it has the token.
  struct Gate: Sendable {
    /// What happens to a request.
    enum Passage: Equatable {
      /// It may go on, with this path behind the token and these parameters.
      case open(path: String, query: String)
      case refused(Refusal)
    }

    /// Why a request is refused.
    struct Refusal: Error, Equatable {
      let status: HTTPResponseStatus
      let reason: String
    }

    private let hosts: Set<String>
    private let origins: Set<String>
    private let token: Token

    init(port: Int, _ token: Token) {
      hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
      origins = Set(hosts.map { "http://\($0)" })
      self.token = token
    }

    /// The bytes of an address.
    private static let longestAddress = 4_096

    func check(_ head: HTTPRequestHead) -> Passage {
      do throws(Refusal) {
        return try pass(head)
      } catch {
        return .refused(error)
      }
    }

    private func pass(_ head: HTTPRequestHead) throws(Refusal) -> Passage {
      func refuse(_ status: HTTPResponseStatus, _ reason: String) -> Refusal {
        Refusal(status: status, reason: reason)
      }
      let named = head.headers["host"]
      guard named.count == 1, hosts.contains(named[0]) else {
        throw refuse(.forbidden, "This host is not served.")
      }
      guard head.method == .GET || head.method == .HEAD else {
        throw refuse(.methodNotAllowed, "Only GET and HEAD are served.")
      }
      let lengths = head.headers["content-length"]
      guard head.headers["transfer-encoding"].isEmpty, lengths.allSatisfy({ $0 == "0" }) else {
        throw refuse(.badRequest, "A request has no body here.")
      }
      for site in head.headers["sec-fetch-site"] where site != "same-origin" && site != "none" {
        guard site == "cross-site", Self.isOpened(head) else {
          throw refuse(.forbidden, "Requests of other pages are not served.")
        }
      }
      for origin in head.headers["origin"] where !origins.contains(origin) {
        throw refuse(.forbidden, "Requests of other pages are not served.")
      }
      guard head.uri.utf8.count <= Self.longestAddress else {
        throw refuse(.uriTooLong, "The address is too long.")
      }
      let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      let steps = parts[0].split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
      guard steps.count == 4, steps[0].isEmpty, steps[1] == "t", token.matches(steps[2]) else {
        throw refuse(.forbidden, "The address has no valid token.")
      }
      return .open(path: String(steps[3]), query: parts.count > 1 ? String(parts[1]) : "")
    }

    /// Whether a browser opens the page as a page of its own, from a link: `strata serve --open` gives it a file with one.
    ///
    /// It shows nothing to the page that has the link, and needs the token as any other request.
    private static func isOpened(_ head: HTTPRequestHead) -> Bool {
      head.headers["sec-fetch-mode"] == ["navigate"]
        && head.headers["sec-fetch-dest"] == ["document"]
        && head.uri.split(separator: "?", maxSplits: 1)[0].hasSuffix("/")
    }
  }
#endif

/// The secret in the addresses of a page: 128 random bits.
///
/// It stands in the path and not in a cookie: a browser sends cookies of a host to all of its ports, so every
/// other server on this machine would get it.
struct Token: Sendable {
  /// 32 hexadecimal digits.
  let text: String

  init() {
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
