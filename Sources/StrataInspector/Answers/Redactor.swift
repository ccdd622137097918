import Foundation
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataRecords
import StrataStorage

/// Replaces the values of chosen fields before any answer is made from them, as a bundle does: equal values by equal ones.
///
/// Whatever reads records reads the replaced values: differences, versions, origins, rows. A search leaves them out, so
/// that neither its hits nor their number tell what they are. Users, requests and arguments of commits are left out unless
/// they are to be kept. SQL, conditions, sorting, and chosen columns are refused.
struct Redactor: Sendable {
  private let fields: [StoreBundle.Field]
  private let contexts: StoreBundle.Contexts
  private let redaction = Lock(Redaction(SystemRandomNumberGenerator()))
  private let known = Lock(Known())

  /// The fields as the file had them last.
  private struct Known {
    var identity: StoreIdentity?
    var fields: RedactedFields?
    var mask: RecordMask?
  }

  /// - Throws: as `RedactedFields`.
  init(
    _ fields: [StoreBundle.Field],
    _ contexts: StoreBundle.Contexts,
    in inspector: Inspector
  ) throws {
    self.fields = fields
    self.contexts = contexts
    _ = try mask(for: inspector)
  }

  /// What a reader shows; nil if nothing is redacted.
  ///
  /// A migration that runs while the page is served may give a field another name: then the names are looked up again. Those
  /// that were known stay redacted.
  func mask(for inspector: Inspector) throws -> RecordMask? {
    guard isActive else { return nil }
    return try inspector.query { view in
      try known.withLock { known in
        if let mask = known.mask, known.identity == view.identity,
          try known.fields?.isCurrent(in: view) ?? false
        {
          return mask
        }
        var found = try RedactedFields(fields, in: view)
        if let former = known.fields { found.formUnion(former) }
        let mask = mask(of: found)
        known = Known(identity: view.identity, fields: found, mask: mask)
        return mask
      }
    }
  }

  private func mask(of fields: RedactedFields) -> RecordMask {
    // The mask is in what is known, so it must not hold that.
    RecordMask(of: fields.tables) { [redaction] record, table, layout, use in
      fields.replacing(in: record, of: table, layout) { value, kind, references in
        switch use {
        case .showing: redaction.withLock { $0.replacement(for: value, kind, references) }
        case .searching: .null
        }
      } ?? record
    }
  }

  /// Whether users, requests and arguments of commits are left out.
  var hidesContexts: Bool { isActive && contexts == .omit }

  /// Whether any field is redacted.
  var isActive: Bool { !fields.isEmpty }

  /// The fields, such as `users.email`.
  var names: [String] { fields.map(\.description) }

  /// Throws if fields are redacted.
  func checkIsInactive() throws(Question.Wrong) {
    guard isActive else { return }
    throw Question.Wrong(
      description: """
        This page replaces values. SQL, conditions, sorting and chosen columns would show more about them, so \
        they are refused.
        """
    )
  }

  /// The rows of an answer without the contexts that are left out.
  func redact(_ rows: RowText) -> RowText {
    guard hidesContexts, let context = rows.columns.firstIndex(where: { $0.name == "context" })
    else { return rows }
    return RowText(
      rows.columns,
      rows.rows.map { row in
        row.enumerated().map { column, cell in column == context ? .none : cell }
      }
    )
  }

  /// A commit without what is left out.
  func redact(_ commit: CommitSummary) -> CommitSummary {
    guard hidesContexts else { return commit }
    var commit = commit
    commit.contexts = nil
    commit.contextsLeftOut = nil
    return commit
  }
}
