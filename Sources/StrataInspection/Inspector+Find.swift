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
  /// In a search of all history, the commit that put it there; nil if it was there at the oldest revision.
  package let commit: CommitSummary?
}

/// What a search found.
package struct SearchPage: Sendable {
  package var hits: [SearchHit] = []
  package let revision: Revision
  /// The oldest revision that was searched.
  package let oldest: Revision
  /// Whether there are more hits than these.
  package var isCut = false
}

extension Inspector {
  /// Where a search looks.
  package enum SearchScope: Sendable {
    /// In the entities at a revision.
    case at(RevisionExpression)
    /// In every version that the file has.
    case history
  }

  /// The fields and IDs that contain a text, without regard to case.
  ///
  /// O(entities), or O(entities and journal) for all history, up to the limit. A field is listed once for
  /// each commit that gave it such a value.
  ///
  /// - Parameter progress: Called for each delta of the history that is searched.
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
      let tables = view.allTables.sorted().filter { name in table.map { $0 == name } ?? true }
      let revision: Revision =
        switch scope {
        case .at(let expression): try view.revision(of: expression)
        case .history: view.oldest
        }
      let state = try view.state(
        at: revision,
        skipping: skipping,
        scope: table.map { .table($0) } ?? .everything
      )
      var search = Search(text, view.catalog, limit)
      for table in tables {
        var scan = state.scan(table)
        while !search.isDone, let entity = try scan.next() { try search.look(in: entity, nil) }
      }
      var page = SearchPage(revision: revision, oldest: revision)
      if case .history = scope {
        page = SearchPage(revision: view.last.revision, oldest: revision)
        try search.look(in: view.changes(after: revision), of: Set(tables)) {
          progress($0, view.last.revision)
        }
      }
      page.hits = search.hits
      page.isCut = search.isDone
      return page
    }
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

  private struct Found: Equatable {
    let field: String
    let value: RecordValue
  }

  init(_ text: SearchText, _ catalog: LayoutCatalog, _ limit: Int) {
    self.text = text
    self.catalog = catalog
    self.limit = limit
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
          try look(in: entity, header)
        }
      }
    }
  }

  mutating func look(in entity: StoredEntity, _ commit: DeltaHeader?) throws {
    let members = try catalog.members(entity.layout, entity.record, of: entity.table)
    let isValue = StoredValues.name(ofTable: entity.table) != nil
    let id = isValue ? nil : try EncodedID.value(of: Array(entity.id))
    var found: [Found] = []
    if let id, text.isIn(id) { found.append(Found(field: "id", value: id)) }
    for member in members {
      // A field that repeats the ID was searched already.
      if member.name == "id", let id, member.value.plainText == id.plainText { continue }
      collect(member.value, member.name, &found)
    }
    let before = current[entity.table]?[Array(entity.id)] ?? []
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
          commit: try commit.map { try CommitSummary($0) }
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
        ] + (commits == .withCommits ? CommitText.cells(hit.commit, orAt: oldest) : [])
      }
    )
  }
}
