package import Foundation
import StrataBase
import StrataJournal
import StrataRecords

/// One delta of the journal, with the entities it changed.
package struct DeltaSummary: Codable, Sendable, Equatable {
  package var revision: Int64
  /// The first revision it covers: less than `revision` where commits were merged.
  package var first: Int64
  package var time: Date
  package var name: String
  package var place: String
  package var entities: Int
  package var bytes: Int
  package var changes: [TableChangeSummary]
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
    entities: Int,
    bytes: Int,
    changes: [TableChangeSummary],
    contexts: [ContextSummary]? = nil,
    contextsLeftOut: Int? = nil
  ) {
    self.revision = revision
    self.first = first
    self.time = time
    self.name = name
    self.place = place
    self.entities = entities
    self.bytes = bytes
    self.changes = changes
    self.contexts = contexts
    self.contextsLeftOut = contextsLeftOut
  }
}

/// Who wanted a commit and why, in a ``DeltaSummary``.
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

/// The changes of one table, in a ``DeltaSummary``.
package struct TableChangeSummary: Codable, Sendable, Equatable {
  package var table: String
  package var put: [String] = []
  /// Those of `put` that were not there before; nil where that is not known.
  package var inserted: [String]?
  /// The names of the changed fields of those of `put` that were there before, by their IDs; nil where they
  /// were not asked for.
  package var fields: [String: [String]]?
  package var removed: [String] = []
  /// Changed in memory but not in the file, because the entity's `encode(to:)` threw.
  package var notPersisted: [String] = []
}

extension DeltaSummary {
  init(_ header: DeltaHeader, _ blocks: [ChangeBlock]) throws(CorruptionError) {
    let commit = try CommitSummary(header)
    var changes: [TableChangeSummary] = []
    for block in blocks {
      // A delta's entries are in no order; people expect one.
      let entries = block.entries.sorted { block.key(of: $0) < block.key(of: $1) }
      for entry in entries {
        let table = block.table(of: entry)
        if changes.last?.table != table { changes.append(TableChangeSummary(table: table)) }
        let id = EncodedID.text(of: block.id(of: entry))
        switch entry.change {
        case .put: changes[changes.count - 1].put.append(id)
        case .remove: changes[changes.count - 1].removed.append(id)
        case .notPersisted: changes[changes.count - 1].notPersisted.append(id)
        }
      }
    }
    self.init(
      revision: commit.revision,
      first: commit.first,
      time: commit.time,
      name: commit.name,
      place: commit.place,
      entities: header.entities,
      bytes: header.bytes,
      changes: changes,
      contexts: commit.contexts,
      contextsLeftOut: commit.contextsLeftOut
    )
  }
}
