import Foundation
import StrataJournal
import StrataRecords
import StrataStorage

/// The entities of a file, and the lines that are wrong.
struct ImportedLines {
  /// An entity and its line.
  struct Line {
    let number: Int
    let entity: EntityAddition.Entity
  }

  private(set) var table: ImportedTable
  private(set) var entities: [Line] = []
  var problems: [ImportError.Line] = []
  /// How many lines belong to other tables.
  private(set) var skipped = 0
  private var lineOfID: [[UInt8]: Int] = [:]
  private var writer = RecordWriter()

  init(_ table: ImportedTable) { self.table = table }

  private mutating func refuse(_ line: Int, _ detail: String) {
    problems.append(.init(number: line, detail: detail))
  }

  /// Adds an entity whose values have the kinds of their fields.
  private mutating func add(_ members: [RecordValue.Member], line: Int) {
    for name in requiredNames {
      let value = members.first { $0.name == name }?.value
      if value == nil || value == .null {
        return refuse(
          line,
          "\(name) has no value, and every entity of \(table.name) has one \(Self.remedy)"
        )
      }
    }
    guard let id = members.first(where: { $0.name == "id" })?.value, id != .null else {
      return refuse(line, "id has no value")
    }
    let encoded = EncodedID.bytes(of: id)
    if let other = lineOfID[encoded] {
      return refuse(line, "the ID \(EncodedID.text(of: encoded[...])) is on line \(other) already")
    }
    lineOfID[encoded] = line
    let entity = EntityAddition.Entity(id: encoded, members: members)
    if let problem = entity.encodingProblem(&writer) { return refuse(line, problem) }
    entities.append(Line(number: line, entity: entity))
  }

  /// The fields that each line has, apart from the ID.
  private var requiredNames: [String] {
    table.missingValues == .accept ? [] : table.required.subtracting(["id"]).sorted()
  }

  private static let remedy = "(--allow-missing accepts that)"

  private func isUnknown(_ field: String) -> Bool {
    table.fields.map { fields in !fields.contains { $0.name == field } } ?? false
  }

  private var knownFields: String {
    (table.fields ?? []).map(\.name).joined(separator: ", ")
  }
}

/// CSV.
extension ImportedLines {
  mutating func readCSV(_ bytes: [UInt8], _ progress: (Int) -> Void) {
    var reader = CSVReader(bytes)
    do throws(CSVReader.Malformed) {
      guard let titles = try reader.next() else { return refuse(1, "there is no line of titles") }
      guard check(titles) else { return }
      var records: [CSVReader.Record] = []
      while let record = try reader.next() {
        if record.cells.count == titles.cells.count {
          records.append(record)
        } else {
          refuse(
            record.line,
            "it has \(Measures.count(record.cells.count, "cell", "cells")), and there are "
              + Measures.count(titles.cells.count, "title", "titles")
          )
        }
        progress(record.line)
      }
      let kinds = kinds(of: titles.cells, records)
      for record in records { add(record, titles.cells, kinds) }
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

  private func kinds(of titles: [String], _ records: [CSVReader.Record]) -> [Layout.Kind?] {
    if table.fields != nil { return titles.map { table.kind(of: $0) } }
    return ImportedTable.kinds(
      of: titles.indices.map { column in records.map { $0.cells[column] } }
    )
  }

  private mutating func add(
    _ record: CSVReader.Record,
    _ titles: [String],
    _ kinds: [Layout.Kind?]
  ) {
    var members: [RecordValue.Member] = []
    for (index, cell) in record.cells.enumerated() {
      guard let value = table.value(cell, of: titles[index], kinds[index]) else {
        return refuse(
          record.line,
          "\(titles[index]) is “\(cell.prefix(60))”, which is no \(ImportedTable.word(kinds[index]))"
        )
      }
      if value != .null { members.append(.init(titles[index], value)) }
    }
    add(members, line: record.line)
  }
}

/// NDJSON.
extension ImportedLines {
  mutating func readNDJSON(_ bytes: [UInt8], _ progress: (Int) -> Void) {
    // The mark that some programs put before UTF-8.
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
    for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      progress(index + 1)
      guard let text = String(bytes: line, encoding: .utf8) else {
        refuse(index + 1, "it is not UTF-8")
        continue
      }
      if text.allSatisfy(\.isWhitespace) { continue }
      var reader = JSONReader(text)
      guard let members = reader.whole()?.members else {
        refuse(
          index + 1,
          reader.hasNumberOutOfRange ? "a number is out of range" : "it is no JSON object"
        )
        continue
      }
      addJSON(members, line: index + 1)
    }
  }

  private mutating func addJSON(_ json: [RecordValue.Member], line: Int) {
    var members = json
    // The form of `strata export`, unless the entities of the table have that form themselves.
    let exported: Set = ["table", "id", "value"]
    if Set(json.map(\.name)) == exported,
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
    for member in members {
      if isUnknown(member.name) {
        return refuse(line, "\(table.name) has no field \(member.name). It has \(knownFields)")
      }
      if typed.contains(where: { $0.name == member.name }) {
        return refuse(line, "the field \(member.name) is there twice")
      }
      if let name = member.value.repeatedName {
        return refuse(line, "\(member.name) has the name \(name) twice")
      }
      let kind = table.kind(of: member.name)
      guard let value = ImportedTable.value(member.value, kind) else {
        let text = member.value.json().prefix(60)
        return refuse(line, "\(member.name) is \(text), which is no \(ImportedTable.word(kind))")
      }
      typed.append(.init(member.name, value))
    }
    add(typed, line: line)
  }
}
