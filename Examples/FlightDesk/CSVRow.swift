import Foundation
import SwiftCSV

/// One row of a CSV file, whose fields are read by the name of their column.
struct CSVRow {
  let file: String
  let line: Int
  let fields: [String: String]

  /// The rows of a file in the program's `Data` folder.
  static func all(in file: String) throws -> [CSVRow] {
    guard let url = Bundle.module.url(forResource: "Data/\(file)", withExtension: nil) else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: file])
    }
    let rows = try NamedCSV(url: url, delimiter: .comma, loadColumns: false).rows
    return rows.enumerated().map { CSVRow(file: file, line: $0 + 2, fields: $1) }
  }

  func text(_ column: String) throws(CSVRowError) -> String {
    guard let text = try optionalText(column) else { throw error(column, "NA") }
    return text
  }

  /// The text of a field, or nil where the file says `NA`.
  func optionalText(_ column: String) throws(CSVRowError) -> String? {
    guard let text = fields[column] else { throw error(column, nil) }
    return text == "NA" ? nil : text
  }

  func integer(_ column: String) throws(CSVRowError) -> Int {
    try value(column) { Int($0) }
  }

  func number(_ column: String) throws(CSVRowError) -> Double {
    try value(column) { Double($0) }
  }

  func optionalInteger(_ column: String) throws(CSVRowError) -> Int? {
    try optionalText(column) == nil ? nil : integer(column)
  }

  func value<Value>(
    _ column: String,
    _ parse: (String) -> Value?
  ) throws(CSVRowError) -> Value {
    let text = try text(column)
    guard let value = parse(text) else { throw error(column, text) }
    return value
  }

  private func error(_ column: String, _ text: String?) -> CSVRowError {
    CSVRowError(file: file, line: line, column: column, text: text)
  }
}

/// A field that is missing or does not say what its column should.
struct CSVRowError: Error, CustomStringConvertible {
  let file: String
  let line: Int
  let column: String
  let text: String?

  var description: String {
    let found = text.map { "\"\($0)\" does not fit" } ?? "there is no value for"
    return "\(file), line \(line): \(found) the column \(column)."
  }
}
