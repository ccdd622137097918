package import Foundation
import StrataBase
import StrataJournal
import StrataRecords

/// A commit that made a version or a value: its time, name and place, and who wanted it.
package struct CommitSummary: Codable, Sendable, Equatable {
  package var revision: Int64
  /// The first revision of its delta: less than `revision` where commits were merged.
  package var first: Int64
  package var time: Date
  package var name: String
  package var place: String
  /// Who wanted the commits and why; nil if no commit says so.
  package var contexts: [ContextSummary]?
  /// How many more contexts merged commits had than the delta holds; nil for none.
  package var contextsLeftOut: Int?
}

/// Who wanted a commit and why, in a ``CommitSummary``.
package struct ContextSummary: Codable, Sendable, Equatable {
  package struct Call: Codable, Sendable, Equatable {
    package var name: String
    /// As JSON; nil for none.
    package var arguments: String?
    /// Why the arguments were left out; nil if they were not.
    package var omitted: String?

    package init(name: String, arguments: String? = nil, omitted: String? = nil) {
      self.name = name
      self.arguments = arguments
      self.omitted = omitted
    }
  }

  /// The revision of the commit, where the delta has several.
  package var revision: Int64?
  package var user: String?
  package var request: String?
  package var trace: String?
  package var call: Call?
  package var fields: [String: String]?
  /// True if something was too long for the delta.
  package var cut: Bool?

  package init(
    revision: Int64? = nil,
    user: String? = nil,
    request: String? = nil,
    trace: String? = nil,
    call: Call? = nil,
    fields: [String: String]? = nil,
    cut: Bool? = nil
  ) {
    self.revision = revision
    self.user = user
    self.request = request
    self.trace = trace
    self.call = call
    self.fields = fields
    self.cut = cut
  }
}

extension ContextSummary {
  init(_ context: DeltaContext) {
    self.init(
      revision: context.revision?.number,
      user: context.user,
      request: context.request,
      trace: context.trace,
      call: context.call.map {
        Call(name: $0.name, arguments: $0.arguments?.json(), omitted: $0.omitted)
      },
      fields: context.fields.isEmpty ? nil : context.fields,
      cut: context.isCut ? true : nil
    )
  }
}

extension CommitSummary {
  init(_ header: DeltaHeader) throws(CorruptionError) {
    let contexts = try header.contexts()
    self.init(
      revision: header.revision.number,
      first: header.first.number,
      time: Date(microseconds: header.time),
      name: header.name,
      place: header.place,
      contexts: contexts.contexts.isEmpty ? nil : contexts.contexts.map(ContextSummary.init),
      contextsLeftOut: contexts.leftOut > 0 ? contexts.leftOut : nil
    )
  }
}
