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
  private let requiredNames: [String]

  init(_ table: ImportedTable, named name: String) {
    self.table = table
    requiredNames =
      table.missingValues == .accept ? [] : table.required.subtracting(["id"]).sorted()
    addition = EntityAddition(to: table.name, named: name)
  }

  private mutating func refuse(_ place: ImportError.Place, _ detail: String) {
    problems.append(.init(place: place, detail: detail))
  }

  private mutating func refuse(_ line: Int, _ detail: String) {
    refuse(ImportError.Place(line: line), detail)
  }

  /// Adds an entity whose values have the kinds of their fields.
  private mutating func add(_ members: [RecordValue.Member], at place: ImportError.Place) {
    let valued = Set(members.lazy.filter { $0.value != .null }.map(\.name))
    if let name = requiredNames.first(where: { !valued.contains($0) }) {
      return refuse(
        place,
        "\(name) has no value, and every entity of \(table.name) has one \(Self.remedy)"
      )
    }
    guard let id = members.first(where: { $0.name == "id" })?.value, id != .null else {
      return refuse(place, "id has no value")
    }
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
    table.fields != nil && table.kind(of: field) == nil
  }

  private var knownFields: String {
    (table.fields ?? []).map(\.name).joined(separator: ", ")
  }
}

/// CSV.
extension ImportedLines {
  mutating func readCSV(_ bytes: [UInt8], _ separator: UInt8, _ progress: (Int) -> Void) {
    var reader = CSVReader(bytes, separator: separator)
    do throws(CSVReader.Malformed) {
      guard let titles = try reader.next() else { return refuse(1, "there is no line of titles") }
      guard check(titles) else { return }
      let kinds = try kinds(of: titles.cells, reader)
      while let record = try reader.next() {
        if record.cells.count == titles.cells.count {
          add(record, titles.cells, kinds)
        } else {
          refuse(
            record.line,
            "it has \(Measures.count(record.cells.count, "cell", "cells")), and there are "
              + Measures.count(titles.cells.count, "title", "titles")
          )
        }
        progress(record.line)
      }
    } catch {
      refuse(error.line, error.detail)
    }
  }

  private mutating func check(_ titles: CSVReader.Record) -> Bool {
    let count = problems.count
    var seen: Set<String> = []
    for title in titles.cells {
      if !seen.insert(title).inserted { refuse(titles.line, "the title \(title) is there twice") }
      if isUnknown(title) {
        refuse(titles.line, "\(table.name) has no field \(title). It has \(knownFields)")
      }
    }
    if !seen.contains("id") { refuse(titles.line, "the title id is missing") }
    for name in requiredNames where !seen.contains(name) {
      refuse(titles.line, "the title \(name) is missing \(Self.remedy)")
    }
    return problems.count == count
  }

  /// The kinds of the columns; for a table without fields, all records are read for them.
  private func kinds(
    of titles: [String],
    _ records: CSVReader
  ) throws(CSVReader.Malformed) -> [Layout.Kind?] {
    if table.fields != nil { return titles.map { table.kind(of: $0) } }
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
    _ titles: [String],
    _ kinds: [Layout.Kind?]
  ) {
    var members: [RecordValue.Member] = []
    for index in titles.indices {
      let cell = record.cells[index]
      guard let value = table.value(cell, of: titles[index], kinds[index]) else {
        let kind = kinds[index]
        if let value = JSONReader.value(cell), value.isNested {
          return refuse(record.line, ImportedTable.problem(value, of: titles[index], kind))
        }
        return refuse(
          record.line,
          "\(titles[index]) is “\(cell.prefix(60))”, which is no \(ImportedTable.word(kind))"
        )
      }
      if value != .null { members.append(.init(titles[index], value)) }
    }
    add(members, at: ImportError.Place(line: record.line))
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
    guard let members = reader.whole()?.members else {
      let detail =
        reader.hasNumberOutOfRange ? "a number is out of range" : "it is no JSON object"
      return refuse(object.place, detail)
    }
    addJSON(members, at: object.place)
  }

  private mutating func addJSON(_ json: [RecordValue.Member], at place: ImportError.Place) {
    var members = json
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
      if !value.contains(where: { $0.name == "id" }) {
        members = json.filter { $0.name == "id" } + value
      }
    }
    var typed: [RecordValue.Member] = []
    var seen: Set<String> = []
    for member in members {
      if isUnknown(member.name) {
        return refuse(place, "\(table.name) has no field \(member.name). It has \(knownFields)")
      }
      if !seen.insert(member.name).inserted {
        return refuse(place, "the field \(member.name) is there twice")
      }
      if let name = member.value.repeatedName {
        return refuse(place, "\(member.name) has the name \(name) twice")
      }
      let kind = table.kind(of: member.name)
      guard let value = ImportedTable.value(member.value, kind) else {
        return refuse(place, ImportedTable.problem(member.value, of: member.name, kind))
      }
      typed.append(.init(member.name, value))
    }
    add(typed, at: place)
  }
}
