#if Inspector
  import Foundation
  import NIOCore
  import NIOHTTP1
  import StrataInspection

  /// The addresses behind the token: the files of the page, and what can be asked.
  struct Routes: Sendable {
    /// Where an address leads.
    enum Destination {
      case reply(Reply)
      /// An answer that reading the store makes.
      case question(Answers.Subject, Form, query: String)
      case events
    }

    /// The form of an answer.
    enum Form: String {
      case json, csv
    }

    private static let script = "text/javascript; charset=utf-8"

    /// The files of the page.
    static let files: [String: (type: String, bytes: [UInt8])] = [
      "": ("text/html; charset=utf-8", PackageResources.index_html),
      "page.css": ("text/css; charset=utf-8", PackageResources.page_css),
      "page.js": (script, PackageResources.page_js),
      "dom.js": (script, PackageResources.dom_js),
      "data.js": (script, PackageResources.data_js),
      "strip.js": (script, PackageResources.strip_js),
      "log.js": (script, PackageResources.log_js),
      "entities.js": (script, PackageResources.entities_js),
      "tools.js": (script, PackageResources.tools_js),
      "process.js": (script, PackageResources.process_js),
    ]

    static func destination(_ path: String, query: String) -> Destination {
      if path == "events" { return .events }
      if let file = files[path] { return .reply(Reply(type: file.type, file.bytes)) }
      let parts = path.split(separator: "/", omittingEmptySubsequences: false)
      if parts.count == 2, parts[0] == "api" {
        let name = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        if name.count == 2, let subject = Answers.Subject(rawValue: String(name[0])),
          let form = Form(rawValue: String(name[1]))
        {
          return .question(subject, form, query: query)
        }
      }
      return .reply(Reply(.notFound, error: "There is nothing at this address."))
    }

    /// Answers a question; blocks while the store is read.
    ///
    /// - Parameter sql: The statement of a query that came as a body.
    static func reply(
      _ subject: Answers.Subject,
      _ form: Form,
      query: String,
      _ sql: String?,
      _ answers: Answers
    ) -> Reply {
      do {
        let answer = try answers.answer(subject, try Question(query[...], sql: sql))
        switch form {
        case .json: return Reply(type: "application/json; charset=utf-8", answer.json)
        case .csv:
          var reply = Reply(type: "text/csv; charset=utf-8", answer.csv)
          reply.file = "\(subject.rawValue).csv"
          return reply
        }
      } catch {
        return Reply(error)
      }
    }
  }
#endif
