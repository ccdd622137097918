#if Inspector
  import Foundation
  import NIOCore
  import NIOHTTP1
  import StrataSQL
  import StrataInspection
  import StrataJournal

  /// An answer to a request.
  struct Reply: Sendable {
    var status: HTTPResponseStatus = .ok
    var type: String
    var body: ByteBuffer
    /// The name of a file that the browser saves; nil for what it shows.
    var file: String?

    init(_ status: HTTPResponseStatus = .ok, type: String, _ text: String) {
      self.status = status
      self.type = type
      body = ByteBuffer(string: text)
    }

    init(type: String, _ bytes: [UInt8]) {
      self.type = type
      body = ByteBuffer(bytes: bytes)
    }

    /// What is wrong, as JSON.
    init(_ status: HTTPResponseStatus, error: String) {
      self.init(
        status,
        type: "application/json; charset=utf-8",
        "{\"error\":\(Answer.quoted(error))}"
      )
    }

    /// The reply for an error of answering.
    init(_ error: any Error) {
      switch error {
      case let error as Question.Wrong: self.init(.badRequest, error: error.description)
      case let error as QueryError: self.init(.badRequest, error: error.description)
      case let error as PersistenceError: self.init(Self.status(error.kind), error: "\(error)")
      default: self.init(.internalServerError, error: "\(error)")
      }
    }

    private static func status(_ kind: PersistenceError.Kind) -> HTTPResponseStatus {
      switch kind {
      case .notThere: .notFound
      case .busy, .locked, .closed: .serviceUnavailable
      default: .internalServerError
      }
    }

    /// What every answer says: nothing is kept, nothing is loaded from elsewhere, no text becomes code.
    static let safety: [(String, String)] = [
      ("cache-control", "no-store"),
      ("x-content-type-options", "nosniff"),
      ("referrer-policy", "no-referrer"),
      ("cross-origin-resource-policy", "same-origin"),
      ("cross-origin-opener-policy", "same-origin"),
      (
        "content-security-policy",
        """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
        img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types 'none'
        """
      ),
    ]

    var headers: HTTPHeaders {
      var headers = HTTPHeaders(Self.safety)
      headers.add(name: "content-type", value: type)
      headers.add(name: "content-length", value: "\(body.readableBytes)")
      if status == .methodNotAllowed { headers.add(name: "allow", value: "GET, HEAD") }
      if let file {
        headers.add(name: "content-disposition", value: "attachment; filename=\"\(file)\"")
      }
      return headers
    }
  }
#endif
