package import Foundation
import StrataBase
package import StrataJournal
package import StrataRecords

/// A version of an entity, and what its commit changed in it.
package struct VersionSummary: Sendable {
  package enum Operation: String, Sendable {
    /// It existed at the oldest revision that can be read.
    case base
    case inserted, updated, removed
    /// It got this ID, or its table got this name: see ``VersionSummary/former``.
    case moved
    /// It was erased with all earlier versions.
    case erased
    /// Changed in memory but not in the file.
    case notPersisted
  }

  package let operation: Operation
  /// Its commit; for a base, the revision and the time of the oldest state.
  package let commit: CommitSummary
  /// The entity; nil if it was removed or not persisted.
  package let value: RecordValue?
  /// How its fields differ from those of the version before.
  package let changes: [FieldChange]
  /// The table and the ID that a moved entity had before.
  package var former: (table: String, id: RecordValue)?
}

/// The versions of one entity, the oldest first.
package struct EntityHistory: Sendable {
  package var versions: [VersionSummary] = []
  /// The last revision whose changes were removed; nil if the journal is complete.
  package let trimmed: Revision?
}

extension Inspector {
  /// Every version of an entity that the file has, up to a revision.
  ///
  /// O(journal), and one chunk of the oldest snapshot.
  ///
  /// - Parameter following: Whether the versions from before a change of its ID, or a rename of its table, come first.
  /// - Throws: `.notFound` for a table that the file does not have, and for an entity that never existed.
  package func history(
    table: String,
    id: String,
    through expression: RevisionExpression = .head(back: 0),
    following: Following = .moves
  ) throws(PersistenceError) -> EntityHistory {
    try scanning { view, skipping in
      guard view.allTables.contains(table) else { throw noTable(table, among: view.allTables) }
      let end = try view.revision(of: expression)
      let candidates = try view.ids(meantBy: id, in: table)
      let versions = try EntityVersions(
        of: table,
        .ids(Set(candidates)),
        from: try view.state(
          at: min(view.oldest, end),
          skipping: skipping,
          scope: .entities(candidates.map { EntityKey(table: table, id: $0[...]) })
        ),
        through: end,
        in: view
      )
      let keys = candidates.map { EntityKey(table: table, id: $0[...]) }
      let erasure = try view.erasure(of: keys)
      let key = keys.first { !(versions.versions[Array($0.id)] ?? []).isEmpty }
      guard key != nil || erasure != nil else { throw notFound("entity \(id) in \(table)") }
      var history = EntityHistory(trimmed: view.trimmed)
      if let erasure { history.versions.append(VersionSummary(erasure)) }
      guard let key else { return history }
      var former = FormerRecords(in: view, .entity, skipping: skipping)
      history.versions += try summaries(of: key, versions, &former, following, view)
      return history
    }
  }

  private func summaries(
    of key: EntityKey,
    _ versions: EntityVersions,
    before end: Revision? = nil,
    _ former: inout FormerRecords,
    _ following: Following,
    _ view: ReadView
  ) throws -> [VersionSummary] {
    var summaries: [VersionSummary] = []
    var last: [RecordValue.Member]?
    let before = following == .moves ? try former.former(of: key.id, versions, before: end) : nil
    if let before {
      summaries = try self.summaries(
        of: before.entity.key,
        before.versions,
        before: before.commit.revision,
        &former,
        following,
        view
      )
    }
    let own =
      following == .moves
      ? versions.versions(of: key.id, before: end) : versions.versions[Array(key.id)] ?? []
    for (number, version) in own.enumerated() {
      let isMove = before != nil && number == 0
      let known = isMove ? summaries.last { $0.operation != .notPersisted }?.members : last
      var summary = try self.summary(of: version, after: known, versions, key.table, view)
      if isMove, let before {
        summary = VersionSummary(
          operation: .moved,
          commit: summary.commit,
          value: summary.value,
          changes: summary.changes,
          former: (before.entity.table, try EncodedID.value(of: Array(before.entity.id)))
        )
      }
      if summary.operation != .notPersisted { last = summary.members }
      summaries.append(summary)
    }
    return summaries
  }

  private func summary(
    of version: EntityVersions.Version,
    after last: [RecordValue.Member]?,
    _ versions: EntityVersions,
    _ table: String,
    _ view: ReadView
  ) throws -> VersionSummary {
    let commit =
      try version.commit.map { try CommitSummary(versions.commits[$0]) }
      ?? CommitSummary(
        revision: versions.oldest.number,
        first: versions.oldest.number,
        time: try view.time(of: versions.oldest),
        name: "",
        place: ""
      )
    switch version.content {
    case .notPersisted:
      return VersionSummary(operation: .notPersisted, commit: commit, value: nil, changes: [])
    case .removed:
      return VersionSummary(
        operation: .removed,
        commit: commit,
        value: nil,
        changes: FieldChange.changes(from: last ?? [], to: [])
      )
    case .put(let layout, let record):
      let members = try view.catalog.members(layout, record[...], of: table)
      return VersionSummary(
        operation: version.commit == nil ? .base : last == nil ? .inserted : .updated,
        commit: commit,
        value: .object(.init(members)),
        changes: FieldChange.changes(from: last ?? [], to: members)
      )
    }
  }
}

extension VersionSummary {
  fileprivate init(_ erasure: Erasure) {
    self.init(
      operation: .erased,
      commit: CommitSummary(
        revision: erasure.revision.number,
        first: erasure.revision.number,
        time: erasure.time,
        name: "",
        place: ""
      ),
      value: nil,
      changes: []
    )
  }

  /// The fields of the entity; nil if there is none.
  fileprivate var members: [RecordValue.Member]? {
    guard case .object(let members)? = value else { return nil }
    return Array(members)
  }
}

extension ReadView {
  /// When a revision was made: the time of its delta, or of its snapshot.
  package func time(of revision: Revision) throws -> Date {
    let header = try journal.headers(after: revision.previous, limit: 1).first?.header
    if let header, header.revision == revision { return Date(microseconds: header.time) }
    let snapshot = verified.first { $0.header.revision == revision }?.header
    return Date(microseconds: snapshot?.time ?? identity.created)
  }
}

extension EntityHistory {
  /// A row for each field that changed, and one for a version in which none did.
  package var rows: RowText {
    RowText(
      [
        .init("revision", .numbers), .init("time", .whole), .init("commit"), .init("place"),
        .init("context"), .init("operation"), .init("field"), .init("from"), .init("to"),
      ],
      versions.flatMap { version in
        let commit =
          CommitText.cells(version.commit, orAt: 0) + [.text(version.operation.rawValue)]
        if version.changes.isEmpty { return [commit + [.none, .none, .none]] }
        return version.changes.map { change in
          commit + [
            .text(change.field), change.from.map { .value($0) } ?? .none,
            change.to.map { .value($0) } ?? .none,
          ]
        }
      }
    )
  }
}
