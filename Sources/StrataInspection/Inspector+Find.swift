import Foundation
package import StrataJournal
package import StrataRecords

/// A text that entities are searched for, without regard to case.
package struct SearchText: Sendable {
  /// The text in the form that is compared.
  private let bytes: [UInt8]

  package init(_ text: String) { bytes = Array(Self.folded(text).utf8) }

  private static func folded(_ text: String) -> String {
    let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
    return (isASCII ? text : text.precomposedStringWithCanonicalMapping).lowercased()
  }

  /// Whether a text contains it.
  package func isIn(_ text: String) -> Bool {
    var folded = Self.folded(text)
    return folded.withUTF8 { isIn($0) }
  }

  private func isIn(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first else { return true }
    var start = 0
    while text.count - start >= bytes.count {
      if text[start] == first, text[start..<start + bytes.count].elementsEqual(bytes) {
        return true
      }
      start += 1
    }
    return false
  }
}

/// A field, or an ID, that contains a text.
package struct SearchHit: Sendable {
  package let table: String
  /// Nil for a persisted value, which has no ID.
  package let id: RecordValue?
  /// The field as a path; `id` for the ID itself.
  package let field: String
  package let value: RecordValue
  /// In a search of all history, the commit that put it there; nil if it was there at the first revision that was searched,
  /// or in a snapshot from before the journal.
  package let commit: CommitSummary?
  /// The revision at which it was found, if there is no commit.
  package let revision: Revision
}

/// What a search found.
package struct SearchPage: Sendable {
  package var hits: [SearchHit] = []
  package let revision: Revision
  /// The oldest revision from which on all were searched.
  package let oldest: Revision
  /// What the file has or had that was not searched, as sentences.
  package var notSearched: [String] = []
  /// Whether there are more hits than these.
  package var isCut = false
}

extension Inspector {
  /// Where a search looks.
  package enum SearchScope: Sendable {
    /// In the entities at a revision.
    case at(RevisionExpression)
    /// In every version that the file has, also those that only a named snapshot has.
    case history
  }

  /// The fields and IDs that contain a text, without regard to case.
  ///
  /// O(entities), or O(entities and journal) for all history, up to the limit. A field is listed once for
  /// each commit that gave it such a value.
  ///
  /// - Parameters:
  ///   - table: One table; in a search of all history, also under the names that it had before.
  ///   - progress: Called for each delta of the history that is searched.
  /// - Throws: `.notFound` for a table that the file does not have.
  package func find(
    _ text: SearchText,
    _ scope: SearchScope = .at(.head(back: 0)),
    table: String? = nil,
    limit: Int = .max,
    progress: (_ revision: Revision, _ last: Revision) -> Void = { _, _ in }
  ) throws(PersistenceError) -> SearchPage {
    try scanning { view, skipping in
      if let table, !view.allTables.contains(table) { throw notFound("table \(table)") }
      var tables = table.map { [$0] } ?? view.allTables.sorted()
      if let table, scope.isHistory {
        // What was in a table of another name is searched too.
        let (start, end) = (view.oldest, view.last.revision)
        tables += try EntityMoves(into: table, in: view, after: start, through: end).formerTables
          .sorted()
      }
      let revision: Revision =
        switch scope {
        case .at(let expression): try view.revision(of: expression)
        case .history: view.oldest
        }
      var search = Search(text, view.catalog, limit)
      var page = SearchPage(
        revision: scope.isHistory ? view.last.revision : revision,
        oldest: revision
      )
      func look(at revision: Revision, skipping: Int) throws {
        let scope = tables.count == 1 ? ReadScope.table(tables[0]) : .everything
        let state = try view.state(at: revision, skipping: skipping, scope: scope)
        try search.look(in: state, of: tables)
      }
      if scope.isHistory, let trimmed = view.trimmed {
        var searched: [Revision] = []
        for snapshot in view.verified.map(\.header.revision).reversed() where snapshot < revision {
          do {
            try look(at: snapshot, skipping: 0)
            searched.append(snapshot)
          } catch let error as CorruptionError {
            page.notSearched.append("The snapshot at revision \(snapshot) is damaged: \(error).")
          }
        }
        page.notSearched.append(view.sentence(trimmed, searched))
      }
      try look(at: revision, skipping: skipping)
      if scope.isHistory {
        try search.look(in: view.changes(after: revision), of: Set(tables)) {
          progress($0, view.last.revision)
        }
      }
      let sealed = tables.filter { name in
        view.catalog.numberedLayouts(of: name).values.contains(where: \.isOfSealedRecords)
      }
      if !sealed.isEmpty {
        let list = sealed.joined(separator: ", ")
        page.notSearched.append(
          "The records of \(list) are sealed: their values were not searched."
        )
      }
      page.hits = search.hits
      page.isCut = search.isDone
      return page
    }
  }
}

extension Inspector.SearchScope {
  fileprivate var isHistory: Bool { if case .history = self { true } else { false } }
}

extension ReadView {
  /// That revisions were trimmed, and which of them snapshots still have.
  fileprivate func sentence(_ trimmed: Revision, _ snapshots: [Revision]) -> String {
    let sentence = "The changes up to revision \(trimmed) were trimmed"
    if snapshots.isEmpty { return "\(sentence): they were not searched." }
    let list = snapshots.map { revision in
      let name = names.first { $0.revision == revision }?.name
      return name.map { "\($0) (\(revision))" } ?? "\(revision)"
    }
    return """
      \(sentence): of the states before, only the snapshots \(list.joined(separator: ", ")) were searched.
      """
  }
}

/// Collects hits.
private struct Search {
  private let text: SearchText
  private let catalog: LayoutCatalog
  private let limit: Int
  private(set) var hits: [SearchHit] = []
  /// Whether there are more hits than the limit.
  private(set) var isDone = false
  /// In a search of all history, the hits in the last version of each entity, by table and ID.
  private var current: [String: [[UInt8]: [Found]]] = [:]
  /// The same at the state before the one that is searched.
  private var earlier: [String: [[UInt8]: [Found]]] = [:]

  private struct Found: Equatable {
    let field: String
    let value: RecordValue
  }

  init(_ text: SearchText, _ catalog: LayoutCatalog, _ limit: Int) {
    self.text = text
    self.catalog = catalog
    self.limit = limit
  }

  mutating func look(in state: EntityState, of tables: [String]) throws {
    (earlier, current) = (current, [:])
    for table in tables {
      var scan = state.scan(table)
      while !isDone, let entity = try scan.next() { try look(in: entity, nil, at: state.revision) }
    }
    earlier = [:]
  }

  mutating func look(
    in changes: JournalReplay,
    of tables: Set<String>,
    progress: (Revision) -> Void
  ) throws {
    var changes = changes
    while !isDone, let (header, blocks) = try changes.next() {
      progress(header.revision)
      for block in blocks {
        for entry in block.entries where tables.contains(block.table(of: entry)) {
          if case .remove = entry.change {
            current[block.table(of: entry)]?[Array(block.id(of: entry))] = nil
          }
          guard case .put(let layout, let record) = entry.change, !isDone else { continue }
          let entity = StoredEntity(
            table: block.table(of: entry),
            id: block.id(of: entry),
            layout: layout,
            record: block.bytes[record]
          )
          try look(in: entity, header, at: header.revision)
        }
      }
    }
  }

  private mutating func look(
    in entity: StoredEntity,
    _ commit: DeltaHeader?,
    at revision: Revision
  ) throws {
    let members = try catalog.members(
      entity.layout,
      entity.record,
      of: entity.table,
      for: .searching
    )
    let isValue = StoredValues.name(ofTable: entity.table) != nil
    let id = isValue ? nil : try EncodedID.value(of: Array(entity.id))
    var found: [Found] = []
    if let id, text.isIn(id) { found.append(Found(field: "id", value: id)) }
    for member in members {
      // A field that repeats the ID was searched already.
      if member.name == "id", let id, member.value.plainText == id.plainText { continue }
      collect(member.value, member.name, &found)
    }
    let before = (commit == nil ? earlier : current)[entity.table]?[Array(entity.id)] ?? []
    if !(found.isEmpty && before.isEmpty) {
      current[entity.table, default: [:]][Array(entity.id)] = found.isEmpty ? nil : found
    }
    for found in found where !before.contains(found) {
      guard hits.count < limit else {
        isDone = true
        return
      }
      hits.append(
        SearchHit(
          table: entity.table,
          id: id,
          field: found.field,
          value: found.value,
          commit: try commit.map { try CommitSummary($0) },
          revision: revision
        )
      )
    }
  }

  private func collect(
    _ value: RecordValue,
    _ path: String,
    _ found: inout [Found]
  ) {
    switch value {
    case .object(let members):
      for member in members {
        // A key may match too: the keys of a dictionary are data.
        if text.isIn(member.name) {
          found.append(Found(field: "\(path).\(member.name)", value: member.value))
        } else {
          collect(member.value, "\(path).\(member.name)", &found)
        }
      }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        collect(element, "\(path)[\(index)]", &found)
      }
    default: if text.isIn(value) { found.append(Found(field: path, value: value)) }
    }
  }
}

extension SearchText {
  /// Whether the text of a value without parts contains it.
  fileprivate func isIn(_ value: RecordValue) -> Bool {
    value.plainText.map { isIn($0) } ?? false
  }
}

extension RecordValue {
  /// A value without parts as people read it; nil for null, bytes and values with parts.
  fileprivate var plainText: String? {
    switch self {
    case .null, .data, .array, .object: nil
    case .string(let text): text
    case .url(let url): url.absoluteString
    case .uuid(let uuid): uuid.uuidString
    default: json()
    }
  }
}

extension SearchPage {
  /// Whether rows name the commits that put the text there.
  package enum Commits: Sendable {
    case withCommits, withoutCommits
  }

  /// A row for each hit.
  ///
  /// - Parameter text: The value for people.
  package func rows(_ commits: Commits, text: (RecordValue) -> String) -> RowText {
    RowText(
      [.init("table"), .init("id", .whole), .init("field"), .init("value")]
        + (commits == .withCommits ? CommitText.columns : []),
      hits.map { hit in
        [
          .text(hit.table), hit.id.map { .value($0) } ?? .none, .text(hit.field),
          .json(hit.value.json(), text: text(hit.value)),
        ] + (commits == .withCommits ? CommitText.cells(hit.commit, orAt: hit.revision) : [])
      }
    )
  }
}
