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
    /// The address that the browser goes to.
    var location: String?
    /// What is wrong; nil for an answer.
    private var error: String?

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
      self.error = error
    }

    /// Why a request is refused, as JSON.
    init(_ refusal: Gate.Refusal) {
      self.init(HTTPResponseStatus(statusCode: refusal.status), error: refusal.reason)
    }

    /// Why a request is refused, as a page for a person.
    init(page refusal: Gate.Refusal) {
      self.init(
        HTTPResponseStatus(statusCode: refusal.status),
        type: "text/html; charset=utf-8",
        ProblemPage.html(refusal)
      )
    }

    /// The same as a page, where a person sees an error.
    func shown(_ request: PageRequest) -> Reply {
      guard let error, request.isNavigation else { return self }
      return Reply(
        page: Gate.Refusal(
          Int(status.code),
          error,
          "Open the address that strata serve has printed, and go on from there."
        )
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
      if let location { headers.add(name: "location", value: location) }
      if status == .methodNotAllowed { headers.add(name: "allow", value: "GET, HEAD") }
      if let file {
        headers.add(name: "content-disposition", value: "attachment; filename=\"\(file)\"")
      }
      return headers
    }
  }
#endif
