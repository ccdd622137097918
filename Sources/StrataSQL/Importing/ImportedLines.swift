import Foundation
import StrataColumns
import StrataJournal
import StrataMaintaining
import StrataRecords
import StrataStorage

/// The entities of a file, and the lines that are wrong.
///
/// An entity is kept as its record: parsed, it would take many times as much memory.
struct ImportedLines {
  let table: ImportedTable
  private(set) var addition: EntityAddition
  /// Where the entities are in the file.
  private(set) var places: [ImportError.Place] = []
  var problems: [ImportError.Line] = []
  /// How many lines belong to other tables.
  private(set) var skipped = 0
  /// The index of each entity by its ID.
  private var indexes: [[UInt8]: Int] = [:]
  /// The fields that each line has, apart from the ID.
  private let requiredNames: Set<String>
  /// What was seen in the fields of JSON that no table has yet.
  private var numbers: [String: ImportedNumbers] = [:]
  private var form = EntityImport.Form.json

  init(_ table: ImportedTable, named name: String) {
    self.table = table
    requiredNames = table.missingValues == .accept ? [] : table.required.subtracting(["id"])
    addition = EntityAddition(to: table.name, named: name)
  }

  private mutating func refuse(_ place: ImportError.Place, _ detail: String) {
    problems.append(.init(place: place, detail: detail))
  }

  private mutating func refuse(_ line: Int, _ detail: String) {
    refuse(ImportError.Place(line: line), detail)
  }

  /// Adds an entity whose values have the kinds of their fields.
  ///
  /// - Parameter id: Nil for a line that has none.
  private mutating func add(
    _ id: RecordValue?,
    _ members: [RecordValue.Member],
    at place: ImportError.Place
  ) {
    var missing = requiredNames
    for member in members where member.value != .null { missing.remove(member.name) }
    if let name = missing.min() {
      var hint = ""
      if form == .csv, case .scalar(.string)? = table.kind(of: name) {
        hint = " (\"\" is an empty text)"
      }
      return refuse(
        place,
        "\(name) has no value\(hint), and every entity of \(table.name) has one \(Self.remedy)"
      )
    }
    guard let id, id != .null else { return refuse(place, "id has no value") }
    let encoded = EncodedID.bytes(of: id)
    if let index = indexes[encoded] {
      let other = places[index]
      let preposition = other.object == nil ? "on" : "in"
      return refuse(
        place,
        "the ID \(EncodedID.text(of: encoded[...])) is \(preposition) \(other) already"
      )
    }
    if let problem = addition.add(encoded, members) { return refuse(place, problem) }
    indexes[encoded] = places.count
    places.append(place)
  }

  private static let remedy = "(--allow-missing accepts that)"

  private func isUnknown(_ field: String) -> Bool {
    table.fields != nil && field != "id" && table.kind(of: field) == nil
  }

  /// The names of the fields, for an error; the first of very many.
  private var knownFields: String {
    let names = (table.fields ?? []).prefix(Self.listedFields).map(\.name).joined(separator: ", ")
    let rest = (table.fields?.count ?? 0) - Self.listedFields
    return rest > 0 ? "\(names) and \(Measures.grouped(rest)) more" : names
  }

  private static let listedFields = 50
}

/// CSV.
extension ImportedLines {
  mutating func readCSV(_ bytes: [UInt8], _ separator: UInt8, _ progress: (Int) -> Void) {
    form = .csv
    var reader = CSVReader(bytes, separator: separator)
    do throws(CSVReader.Malformed) {
      guard let titles = try reader.next() else { return refuse(1, "there is no line of titles") }
      guard let columns = columns(of: titles) else { return }
      let kinds = try kinds(of: columns, reader)
      while let record = try reader.next() {
        if record.cells.count == columns.count {
          add(record, columns, kinds)
        } else {
          refuse(
            record.line,
            "it has \(Measures.count(record.cells.count, "cell", "cells")), and there are "
              + Measures.count(columns.count, "title", "titles")
          )
        }
        progress(record.line)
      }
    } catch {
      refuse(error.line, error.detail)
    }
  }

  /// What the titles name; nil, with the problems noted, if one of them names nothing.
  private mutating func columns(of titles: CSVReader.Record) -> [ImportedTable.Title]? {
    let count = problems.count
    var columns: [ImportedTable.Title] = []
    var seen: Set<ImportedTable.Title> = []
    for (index, title) in titles.cells.enumerated() {
      guard let title, !title.isEmpty else {
        refuse(titles.line, "title \(index + 1) is empty")
        continue
      }
      guard let column = table.meaning(ofTitle: title) else {
        refuse(titles.line, "\(table.name) has no field \(title). It has \(knownFields)")
        continue
      }
      if !seen.insert(column).inserted { refuse(titles.line, "the title \(title) is there twice") }
      columns.append(column)
    }
    if !seen.contains(.id) { refuse(titles.line, "the title id is missing") }
    for name in requiredNames.sorted() where !seen.contains(.field(name)) {
      refuse(titles.line, "the title \(name) is missing \(Self.remedy)")
    }
    return problems.count == count ? columns : nil
  }

  /// The kinds of the columns; for a table without fields, all records are read for them.
  private func kinds(
    of titles: [ImportedTable.Title],
    _ records: CSVReader
  ) throws(CSVReader.Malformed) -> [Layout.Kind?] {
    if table.fields != nil {
      return titles.map { title in
        if case .field(let name) = title { table.kind(of: name) } else { table.idKind }
      }
    }
    var columns = titles.map { _ in ImportedColumn() }
    var reader = records
    while let record = try reader.next() {
      if record.cells.count != titles.count { continue }
      for index in columns.indices { columns[index].note(record.cells[index]) }
    }
    return columns.map(\.kind)
  }

  private mutating func add(
    _ record: CSVReader.Record,
    _ columns: [ImportedTable.Title],
    _ kinds: [Layout.Kind?]
  ) {
    var id: RecordValue?
    var members: [RecordValue.Member] = []
    for (index, column) in columns.enumerated() {
      var name = "id"
      if case .field(let field) = column { name = field }
      do throws(RecordValue.Misfit) {
        let value = try ImportedTable.value(
          record.cells[index],
          kinds[index],
          like: table.example(of: name)
        )
        if column == .id { id = value }
        if value == .null || column == .id && !table.storesID { continue }
        members.append(.init(name, value))
      } catch {
        return refuse(record.line, ImportedTable.problem(error, of: name))
      }
    }
    add(id, members, at: ImportError.Place(line: record.line))
  }
}

/// JSON.
extension ImportedLines {
  /// - Throws: what reading the file throws.
  mutating func readJSON(_ objects: inout ImportedObjects, _ progress: (Int) -> Void) throws {
    do {
      while let object = try objects.next() {
        progress(object.place.object ?? object.place.line)
        read(object)
      }
    } catch let problem as ImportError.Line {
      problems.append(problem)
    }
    try addition.makeDoubles(of: Set(numbers.filter(\.value.areDoubles).keys))
  }

  private mutating func read(_ object: ImportedObjects.Object) {
    guard let text = String(bytes: object.text, encoding: .utf8) else {
      return refuse(object.place, "it is not UTF-8")
    }
    guard let first = text.first(where: { !$0.isWhitespace }) else {
      if object.place.object != nil { refuse(object.place, "it is no JSON object") }
      return
    }
    // Anything else is not parsed: it may be an array of any size.
    guard first == "{" else { return refuse(object.place, "it is no JSON object") }
    var reader = JSONReader(text)
    guard let members = reader.whole(as: table.kindOfLines)?.members else {
      return refuse(object.place, reader.problem?.description ?? "it is no JSON object")
    }
    addJSON(members, at: object.place)
  }

  private mutating func addJSON(_ json: [RecordValue.Member], at place: ImportError.Place) {
    var members = json
    var id: RecordValue?
    // The form of `strata export`, unless the entities of the table have that form themselves.
    let exported: Set = ["table", "id", "value"]
    if json.count == exported.count, Set(json.map(\.name)) == exported,
      !exported.isSubset(of: (table.fields ?? []).map(\.name)),
      let name = json.first(where: { $0.name == "table" })?.value.text,
      let value = json.first(where: { $0.name == "value" })?.value.members
    {
      guard name == table.name else {
        skipped += 1
        return
      }
      members = value
      id = json.first { $0.name == "id" }?.value
      if table.storesID, !value.contains(where: { $0.name == "id" }) {
        members = json.filter { $0.name == "id" } + value
      }
    }
    guard let typed = typed(members, at: place) else { return }
    let field = typed.first { $0.name == "id" }?.value
    guard let id else {
      let others = table.storesID ? typed : typed.filter { $0.name != "id" }
      return add(field, others, at: place)
    }
    // The field says which kind the ID has.
    if let field, id.isText(of: field) { return add(field, typed, at: place) }
    if let field, !table.hasOtherIDs {
      let texts = [id, field].map { $0.json().prefix(60) }
      return refuse(place, "the ID is \(texts[0]), and id in its value \(texts[1])")
    }
    do throws(RecordValue.Misfit) {
      add(try id.stored(as: table.idKind), typed, at: place)
    } catch {
      refuse(place, ImportedTable.problem(error, of: "id"))
    }
  }

  /// The members with the kinds of their fields; nil, with the problem noted, if one of them does not fit.
  private mutating func typed(
    _ members: [RecordValue.Member],
    at place: ImportError.Place
  ) -> [RecordValue.Member]? {
    var typed: [RecordValue.Member] = []
    var seen: Set<String> = []
    for member in members {
      if isUnknown(member.name) {
        refuse(place, "\(table.name) has no field \(member.name). It has \(knownFields)")
        return nil
      }
      if !seen.insert(member.name).inserted {
        refuse(place, "the field \(member.name) is there twice")
        return nil
      }
      if let name = member.value.repeatedName {
        refuse(place, "\(member.name) has the name \(name) twice")
        return nil
      }
      do throws(RecordValue.Misfit) {
        let isID = member.name == "id" && table.kind(of: "id") == nil
        let kind = isID ? table.idKind : table.kind(of: member.name)
        let value = try member.value.stored(as: kind, like: table.example(of: member.name))
        typed.append(.init(member.name, value))
        if table.fields == nil { numbers[member.name, default: .init()].note(value) }
      } catch {
        refuse(place, ImportedTable.problem(error, of: member.name))
        return nil
      }
    }
    return typed
  }
}
