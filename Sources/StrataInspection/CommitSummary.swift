package import Foundation
import StrataBase
import StrataJournal

/// A commit that made a version or a value: when, by which name, from where, and who wanted it.
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

  package init(
    revision: Int64,
    first: Int64,
    time: Date,
    name: String,
    place: String,
    contexts: [ContextSummary]? = nil,
    contextsLeftOut: Int? = nil
  ) {
    self.revision = revision
    self.first = first
    self.time = time
    self.name = name
    self.place = place
    self.contexts = contexts
    self.contextsLeftOut = contextsLeftOut
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

extension DeltaSummary {
  /// The commit without its changes.
  package var commit: CommitSummary {
    CommitSummary(
      revision: revision,
      first: first,
      time: time,
      name: name,
      place: place,
      contexts: contexts,
      contextsLeftOut: contextsLeftOut
    )
  }
}
