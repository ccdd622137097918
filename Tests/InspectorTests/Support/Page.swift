#if Inspector
  import Foundation
  import StrataInspector

  /// A page that is served, and the requests that a browser would send.
  struct Page: Sendable {
    let inspector: StateInspector

    init(_ inspector: StateInspector) { self.inspector = inspector }

    var port: Int { inspector.url.port ?? 0 }
    /// The path up to the slash behind the token.
    var base: String { inspector.url.path(percentEncoded: true) }
    var host: String { "127.0.0.1:\(port)" }

    /// Sends bytes as they are; nil where the server closes without an answer.
    func send(_ request: String) async throws -> Received? {
      let port = port
      return try await blocking {
        let wire = try Wire(port: port)
        wire.send(request)
        return Received(wire.receive())
      }
    }

    /// Asks for an address behind the token, as the page does.
    func get(_ path: String, method: String = "GET") async throws -> Received {
      let request = """
        \(method) \(base)\(path) HTTP/1.1\r\nHost: \(host)\r\nSec-Fetch-Site: same-origin\r\n\
        Connection: close\r\n\r\n
        """
      guard let received = try await send(request) else {
        throw CocoaError(.fileReadUnknown, userInfo: [NSLocalizedDescriptionKey: path])
      }
      return received
    }

    /// Asks a question with parameters.
    func ask(_ subject: String, _ parameters: [String: String] = [:]) async throws -> Received {
      var allowed = CharacterSet.alphanumerics
      allowed.insert(charactersIn: "-._~")
      let parts = parameters.sorted { $0.key < $1.key }.map { name, value in
        "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
      }
      return try await get("api/\(subject).json?\(parts.joined(separator: "&"))")
    }
  }

  /// Serves a page while a closure runs.
  func withPage<R>(
    _ inspector: StateInspector,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Page) async throws -> R
  ) async throws -> R {
    do {
      let result = try await body(Page(inspector))
      try await inspector.stop()
      return result
    } catch {
      try await inspector.stop()
      throw error
    }
  }
#endif
