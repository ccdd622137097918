import Foundation
import SwiftCSV

/// A row of a CSV file, whose fields are read by the names of their columns.
struct CSVRow {
  let file: String
  let line: Int
  let fields: [String: String]

  /// Reads the rows of a file in the program's `Data` folder.
  static func all(in file: String) throws -> [CSVRow] {
    guard let url = Bundle.module.url(forResource: "Data/\(file)", withExtension: nil) else {
      throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: file])
    }
    let rows = try NamedCSV(url: url, delimiter: .comma, loadColumns: false).rows
    return rows.enumerated().map { CSVRow(file: file, line: $0 + 2, fields: $1) }
  }

  func text(_ column: String) throws(FieldError) -> String {
    guard let text = try optionalText(column) else { throw error(column, "NA") }
    return text
  }

  /// The text of a field, or nil if it is `NA`.
  func optionalText(_ column: String) throws(FieldError) -> String? {
    guard let text = fields[column] else { throw error(column, nil) }
    return text == "NA" ? nil : text
  }

  func integer(_ column: String) throws(FieldError) -> Int {
    try value(column) { Int($0) }
  }

  func number(_ column: String) throws(FieldError) -> Double {
    try value(column) { Double($0) }
  }

  func optionalInteger(_ column: String) throws(FieldError) -> Int? {
    try optionalText(column) == nil ? nil : integer(column)
  }

  func value<Value>(
    _ column: String,
    _ parse: (String) -> Value?
  ) throws(FieldError) -> Value {
    let text = try text(column)
    guard let value = parse(text) else { throw error(column, text) }
    return value
  }

  private func error(_ column: String, _ text: String?) -> FieldError {
    FieldError(file: file, line: line, column: column, text: text)
  }
}

extension CSVRow {
  /// A field that is missing or has a wrong value.
  struct FieldError: Error, CustomStringConvertible {
    let file: String
    let line: Int
    let column: String
    let text: String?

    var description: String {
      let problem = text.map { "invalid value \"\($0)\"" } ?? "no value"
      return "\(file), line \(line): \(problem) in column \(column)."
    }
  }
}
