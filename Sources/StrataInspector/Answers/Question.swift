import Foundation
import StrataInspection
import StrataJournal

/// The parameters of a request: `at=HEAD~3&table=users`.
package struct Question {
  /// What is wrong with a request.
  package struct Wrong: Error, CustomStringConvertible {
    package let description: String
  }

  private let values: [String: String]

  /// Reads the part of an address behind `?`.
  ///
  /// Throws ``Wrong`` for a name that occurs twice, and for what is no UTF-8.
  ///
  /// - Parameter sql: The statement that came apart from the address.
  package init(_ text: Substring, sql: String? = nil) throws(Wrong) {
    var values: [String: String] = sql.map { ["sql": $0] } ?? [:]
    for part in text.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = String(pair[0]).removingPercentEncoding,
        let value = String(pair.count > 1 ? pair[1] : "").removingPercentEncoding
      else { throw Wrong(description: "A parameter is no text.") }
      guard values.updateValue(value, forKey: name) == nil else {
        throw Wrong(description: "A parameter is there twice.")
      }
    }
    self.values = values
  }

  /// A text; nil where it is missing or empty.
  subscript(name: String) -> String? {
    values[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The ID of an entity, which may be the empty text; nil where none is given.
  var id: String? { values["id"] }

  func requiredID() throws(Wrong) -> String {
    guard let id else { throw Wrong(description: "The parameter id is missing.") }
    return id
  }

  func text(_ name: String) throws(Wrong) -> String {
    guard let text = self[name] else {
      throw Wrong(description: "The parameter \(name) is missing.")
    }
    return text
  }

  /// A number within bounds; the nearest bound for one outside.
  func number(
    _ name: String,
    in bounds: ClosedRange<Int>,
    default standard: Int
  ) throws(Wrong) -> Int {
    guard let text = self[name] else { return standard }
    guard let number = Int(text) else {
      throw Wrong(description: "The parameter \(name) is no number.")
    }
    return min(max(number, bounds.lowerBound), bounds.upperBound)
  }

  /// A point in history as the command reads it; the head where it is missing.
  func revision(_ name: String) throws(Wrong) -> RevisionExpression {
    guard let text = self[name] else { return .head(back: 0) }
    do throws(RevisionExpression.Unreadable) {
      return try RevisionExpression(text, now: Date())
    } catch {
      throw Wrong(description: "\(error)")
    }
  }
}
