import Foundation
import StrataColumns
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataRecords
import StrataSQL
import StrataSQLite
import StrataStorage

/// The entities of tables.
extension Answers {
  /// The entities of a table: paged, sorted, with a condition, with chosen columns.
  func rows(_ inspector: Inspector, _ question: Question) throws -> Answer {
    let table = try question.text("table")
    let limit = try question.number("limit", in: 1...200, default: 50)
    let offset = try question.number("offset", in: 0...1_000_000_000, default: 0)
    if ["where", "sort", "columns"].contains(where: { question[$0] != nil }) {
      try redactor.checkIsInactive()
    }
    var query = StoreQuery(path: reader.path)
    query.inspector = inspector
    query.at = try question.revision("at")
    query.timeLimit = Self.timeLimit
    var listing = EntityListing(
      table: table,
      columns: .list(question["columns"] ?? ""),
      where: question["where"],
      order: .list(question["sort"] ?? ""),
      limit: limit
    )
    listing.offset = offset
    let result = try query.list(listing)
    var answer = Answer(try RowText(result))
    answer.add("revision", result.revision)
    answer.add("columns", encoding: result.columns)
    answer.add("offset", Int64(offset))
    answer.add("more", result.isCut)
    return answer
  }

  /// The fields of one entity, or of a persisted value.
  func entity(_ inspector: Inspector, _ question: Question) throws -> Answer {
    let table = try question.text("table")
    let isValue = StoredValues.name(ofTable: table) != nil
    let found = try inspector.show(
      table: table,
      id: isValue ? nil : try question.requiredID(),
      at: try question.revision("at")
    )
    guard let entity = found.first else { throw inspector.notFound("value \(table)") }
    let catalog = try inspector.query { $0.catalog }
    let layout = catalog.lastLayout(of: table)
    let members: [RecordValue.Member] =
      if case .object(let members) = entity.value { Array(members) } else {
        [RecordValue.Member("value", entity.value)]
      }
    let rows = RowText(
      [.init("field"), .init("kind"), .init("value")],
      members.map { member in
        let kind = layout?.kind(ofField: member.name, in: table)
        return [
          .text(member.name), kind.map { .text("\($0)") } ?? .none, .value(member.value),
        ]
      }
    )
    var answer = Answer(rows)
    answer.add("table", table)
    return answer
  }

  /// The versions of an entity, or those that changed one field: the last ones, or those before, after or around a
  /// revision.
  func history(_ inspector: Inspector, _ question: Question) throws -> Answer {
    let table = try question.text("table")
    var history = try inspector.history(
      table: table,
      id: question.id ?? StoredValues.id,
      through: try question.revision("at")
    )
    if let field = question["field"] {
      history.versions.removeAll { version in
        !version.changes.contains { $0.field == field || $0.field.hasPrefix(field + ".") }
      }
    }
    let count = history.versions.count
    let page = try Self.page(of: history.versions.map(\.commit.revision), question)
    history.versions = Array(history.versions[page])
    var answer = Answer(redactor.redact(history.rows).leavingOutAbsent())
    answer.add("versions", Int64(count))
    answer.add("earlier", Int64(page.lowerBound))
    answer.add("later", Int64(count - page.upperBound))
    if let trimmed = history.trimmed { answer.add("trimmed", trimmed.number) }
    return answer
  }

  /// Which versions of an entity are on a page, by their revisions.
  private static func page(
    of revisions: [Int64],
    _ question: Question
  ) throws(Question.Wrong) -> Range<Int> {
    let limit = try question.number("limit", in: 1...500, default: 100)
    /// How many versions there are up to a revision.
    func count(upTo name: String, less: Int = 0) throws(Question.Wrong) -> Int? {
      guard question[name] != nil else { return nil }
      let revision = try question.number(name, in: 0...Int.max, default: 0) - less
      return revisions.firstIndex { $0 > Int64(revision) } ?? revisions.count
    }
    var start = revisions.count - limit
    if let end = try count(upTo: "before", less: 1) {
      return max(0, end - limit)..<end
    } else if let after = try count(upTo: "after") {
      start = after
    } else if let middle = try count(upTo: "around") {
      start = min(start, middle - limit / 2)
    }
    start = max(0, start)
    return start..<min(start + limit, revisions.count)
  }

  /// The commits that gave the fields of an entity their values, and those that cleared fields it had.
  func blame(_ inspector: Inspector, _ question: Question) throws -> Answer {
    let table = try question.text("table")
    let page = try inspector.blame(
      table: table,
      id: StoredValues.name(ofTable: table) == nil ? try question.requiredID() : nil,
      at: try question.revision("at"),
      limit: 1
    )
    var answer = Answer(redactor.redact(page.rows()).leavingOutAbsent())
    answer.add("oldest", page.oldest.number)
    return answer
  }

  /// The entities that an entity refers to, and those that refer to it.
  func references(_ inspector: Inspector, _ question: Question) throws -> Answer {
    let references = try inspector.references(
      table: try question.text("table"),
      id: question.id ?? StoredValues.id,
      at: try question.revision("at"),
      limit: 100
    )
    func cells(_ direction: String, _ reference: EntityReference) -> [RowText.Cell] {
      [
        .text(direction), .text(reference.table), .value(reference.id), .text(reference.place),
      ]
    }
    var answer = Answer(
      RowText(
        [.init("direction"), .init("table"), .init("id"), .init("place")],
        references.outgoing.map { cells("to", $0) } + references.incoming.map { cells("from", $0) }
      )
    )
    answer.add("more", references.isCut)
    return answer
  }

  /// The fields and IDs that contain a text.
  func find(_ inspector: Inspector, _ question: Question) throws -> Answer {
    let isOfAll = question["all"] != nil
    let page = try inspector.find(
      SearchText(try question.text("q")),
      isOfAll ? .history : .at(try question.revision("at")),
      table: question["table"],
      limit: try question.number("limit", in: 1...200, default: 100)
    )
    let rows = page.rows(isOfAll ? .withCommits : .withoutCommits) { $0.lineText }
    var answer = Answer(redactor.redact(rows))
    answer.add("revision", page.revision.number)
    answer.add("oldest", page.oldest.number)
    answer.add("more", page.isCut)
    return answer
  }

  /// What a statement of SQL returns.
  func query(_ inspector: Inspector, _ question: Question) throws -> Answer {
    try redactor.checkIsInactive()
    var query = StoreQuery(path: reader.path)
    query.inspector = inspector
    query.at = try question.revision("at")
    query.timeLimit = Self.timeLimit
    query.rowLimit = try question.number("limit", in: 1...500, default: 200)
    let result = try query.run(try question.text("sql"))
    let rows = try RowText(result)
    var answer = Answer(rows)
    answer.add("revision", result.revision)
    // The members of an object have no order where their names are numbers.
    answer.add("columns", encoding: rows.columns.map(\.name))
    answer.add("more", result.isCut)
    return answer
  }
}

extension RowText {
  /// The rows of a query; a second column of a name has `:2` behind its name.
  fileprivate init(_ result: QueryResult) throws {
    var names = UniqueNames()
    var rows: [[Cell]] = []
    try result.forEach { row in
      rows.append(
        row.map { value in
          switch value {
          case .null: .none
          case .integer(let number): .number(number)
          case .real: .json(value.json, text: value.json)
          case .text(let text): .text(text)
          case .blob(let bytes): .value(.data(Data(bytes)))
          }
        }
      )
    }
    self.init(result.columns.map { .init(names.add($0)) }, rows)
  }
}

extension Layout {
  /// The kind of a field of an entity, or of a persisted value; nil for a field that no layout has.
  fileprivate func kind(ofField name: String, in table: String) -> Kind? {
    var fields = fields
    if StoredValues.name(ofTable: table) != nil {
      guard let value = fields.first(where: { $0.name == StoredValues.field }) else { return nil }
      guard case .record(let inner) = value.kind else {
        return name == StoredValues.field ? value.kind : nil
      }
      fields = inner
    }
    return fields.first { $0.name == name }?.kind
  }
}
