import Foundation
import StrataBase
import StrataColumns
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataRecords
import StrataSQL
import StrataStorage
import TestSupport

/// Stores of one table, `things`, whose records are made without a type.
struct FormSample {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A new store with these records; the ID of each is its field `id`.
  func store(_ name: String, _ records: [[RecordValue.Member]]) throws -> String {
    var addition = EntityAddition(to: "things", named: "sample")
    for members in records {
      let id = members.first { $0.name == "id" }?.value ?? .null
      if let problem = addition.add(EncodedID.bytes(of: id), members) { throw Refused(problem) }
    }
    let path = directory.path(name)
    _ = try addition.create(path)
    return path
  }

  struct Refused: Error {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path(name)))
    return directory.path(name)
  }

  /// Exports the table, and returns the file and what the export says.
  func export(
    _ form: StoreExport.Form,
    of path: String
  ) throws -> (file: String, text: String, notes: [String]) {
    var text = ""
    let export = StoreExport(path: path, at: .head(back: 0), table: "things")
    let notes = try export.forEachLine(form) { text += $0 + "\n" }
    let name = "\(UUID().uuidString).\(form == .csv ? "csv" : "ndjson")"
    return (try write(text, to: name), text, notes)
  }

  @discardableResult
  func load(
    _ file: String,
    into path: String,
    ifMissing missing: EntityImport.Missing = .refuse,
    missingValues: EntityImport.MissingValues = .accept
  ) throws -> EntityAddition.Counts {
    try EntityImport(
      of: file,
      into: "things",
      of: path,
      ifMissing: missing,
      missingValues: missingValues
    ).run(.write).counts
  }

  /// Imports a text, and returns the wrong lines.
  func problems(_ text: String, as ending: String, into path: String) throws -> [String] {
    let file = try write(text, to: "\(UUID().uuidString).\(ending)")
    do {
      try load(file, into: path, ifMissing: .create)
      return []
    } catch ImportError.lines(let lines, _) {
      return lines.map { "\($0.place): \($0.detail)" }
    }
  }

  /// The bytes of the records, by their IDs.
  func bytes(of path: String) throws -> [[UInt8]: [UInt8]] {
    try Inspector(path: path).query { view in
      var bytes: [[UInt8]: [UInt8]] = [:]
      var scan = try view.state(at: view.last.revision).scan("things")
      while let entity = try scan.next() { bytes[Array(entity.id)] = Array(entity.record) }
      return bytes
    }
  }

  /// The fields of each record with a value, by its ID.
  func fields(of path: String) throws -> [[UInt8]: [String: RecordValue]] {
    try Inspector(path: path).query { view in
      var fields: [[UInt8]: [String: RecordValue]] = [:]
      var scan = try view.state(at: view.last.revision).scan("things")
      while let entity = try scan.next() {
        let members = try view.catalog.members(entity.layout, entity.record, of: "things")
        fields[Array(entity.id)] = Dictionary(
          members.filter { $0.value != .null }.map { ($0.name, $0.value) }
        ) { first, _ in first }
      }
      return fields
    }
  }
}
