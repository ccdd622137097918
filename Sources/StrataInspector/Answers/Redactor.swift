import Foundation
import StrataBase
import StrataInspection
import StrataMaintaining
import StrataRecords
import StrataStorage

/// Replaces the values of chosen fields in every answer, as a bundle does: equal values by equal ones.
///
/// Users, requests and arguments of commits are left out unless they are to be kept. What would show more about
/// the original values is refused: SQL, conditions, sorting, and chosen columns.
struct Redactor: Sendable {
  private let fields: RedactedFields
  private let contexts: StoreBundle.Contexts
  private let redaction = Lock(Redaction(SystemRandomNumberGenerator()))

  init(_ fields: RedactedFields, _ contexts: StoreBundle.Contexts) {
    self.fields = fields
    self.contexts = contexts
  }

  /// Whether users, requests and arguments of commits are left out.
  var hidesContexts: Bool { isActive && contexts == .omit }

  /// Whether any field is redacted.
  var isActive: Bool { !fields.fields.isEmpty }

  /// The fields, such as `users.email`.
  var names: [String] { fields.fields.map(\.description) }

  private static let refusal = Question.Wrong(
    description: """
      This page replaces values. SQL, conditions, sorting and chosen columns would show more about them, so \
      they are refused.
      """
  )

  /// Throws if fields are redacted.
  func checkIsInactive() throws(Question.Wrong) {
    if isActive { throw Self.refusal }
  }

  /// Whether a field is replaced: `home` for `home`, `home.city` and `home[0]`.
  func hides(_ field: String, of table: String) -> Bool {
    guard let names = fields.names[table] else { return false }
    return names.contains { field == $0 || field.hasPrefix($0 + ".") || field.hasPrefix($0 + "[") }
  }

  /// Replaces the values of rows.
  ///
  /// - Parameters:
  ///   - table: The table of each row.
  ///   - field: The name of the field that the cell in a column holds; nil for one that holds no field.
  ///   - kind: What the layout says of a field.
  func redact(
    _ rows: RowText,
    table: ([RowText.Cell]) -> String,
    field: ([RowText.Cell], _ column: Int) -> String?,
    kind: (_ field: String, _ table: String) -> Layout.Kind? = { _, _ in nil }
  ) -> RowText {
    let context = rows.columns.firstIndex { $0.name == "context" }
    guard isActive || contexts == .omit && context != nil else { return rows }
    return RowText(
      rows.columns,
      rows.rows.map { row in
        let table = table(row)
        return row.enumerated().map { column, cell in
          if column == context, hidesContexts { return .none }
          guard let name = field(row, column), hides(name, of: table) else { return cell }
          return replaced(cell, kind(name, table))
        }
      }
    )
  }

  private func replaced(_ cell: RowText.Cell, _ kind: Layout.Kind?) -> RowText.Cell {
    func replacement(_ value: RecordValue) -> RowText.Cell {
      .value(redaction.withLock { $0.replacement(for: value, kind) })
    }
    switch cell {
    case .none: return .none
    case .value(let value): return replacement(value)
    case .text(let text): return replacement(.string(text))
    case .number(let number): return replacement(.int(number, .bits64))
    case .time(let time): return replacement(.date(time))
    case .json("null", _): return cell
    case .json(_, let text): return replacement(.string(text))
    }
  }

  /// A commit without what is left out.
  func redact(_ commit: CommitSummary) -> CommitSummary {
    guard hidesContexts else { return commit }
    var commit = commit
    commit.contexts = nil
    commit.contextsLeftOut = nil
    return commit
  }
}

extension RowText.Cell {
  /// The text of a cell that has one.
  var name: String {
    if case .text(let text) = self { return text }
    return ""
  }
}
