import StrataSQLite

/// A script that SQLite runs and a migration refuses, because no store could hold its result.
///
/// Each has the sentence of its refusal, and says of which tables it is right. A refusal that is not listed, or that
/// the tables do not call for, is a difference.
enum Refusal: String, CaseIterable {
  case noID, withoutRowID, badID, sameID, unknownType, doesNotFit, invalidText, noName

  /// What its message contains.
  var sentence: String {
    switch self {
    case .noID: "has no column id"
    case .withoutRowID: "is WITHOUT ROWID"
    case .badID: "for its ID"
    case .sameID: "have the ID"
    case .unknownType: "stands for no kind"
    case .doesNotFit: ": the value of "
    case .invalidText: "has a text that is not valid UTF-8"
    case .noName: "has no name"
    }
  }

  /// Whether tables that SQLite has made are to be refused for it.
  func isDue(for contents: PlainContents) -> Bool {
    contents.tables.contains { table in
      switch self {
      case .noID: !table.hasID
      case .withoutRowID, .invalidText: false
      case .badID: table.byID.keys.contains { !$0.isStorable }
      case .sameID: table.byID.values.contains { $0.count > 1 }
      case .unknownType: table.columns.contains { StoredCell.kindIsUnknown($0.type) }
      case .doesNotFit:
        table.rows.contains { row in
          zip(row, table.columns).enumerated().contains { number, cell in
            number != table.id && !StoredCell.fits(cell.0, cell.1.type)
          }
        }
      case .noName: table.columns.contains { $0.name.isEmpty }
      }
    }
  }

  /// The refusals that are due; none if the tables can be stored.
  static func due(for contents: PlainContents) -> [Refusal] {
    allCases.filter { $0.isDue(for: contents) }
  }
}

/// How a migration differs from plain SQLite.
struct Difference: Equatable, CustomStringConvertible {
  enum Kind: String, CaseIterable {
    /// The migration failed, and SQLite did not.
    case failed
    /// SQLite failed, and the migration did not.
    case passed
    /// Both failed, with other messages.
    case message
    /// What no store can hold was stored.
    case notRefused
    case tables, columns, ids, values
    /// A record or a column is gone, and no finding says so.
    case silentLoss
    /// A run without permissions was refused although nothing was lost.
    case falseAlarm
    /// A run with a loss was not refused, or it has changed something.
    case notStopped
    /// A record whose row is unchanged has other bytes.
    case bytes
  }

  let kind: Kind
  let detail: String

  init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = detail
  }

  var description: String { "\(kind.rawValue): \(detail)" }

  /// Whether another difference may have the same cause: the kind, and a message without names and values.
  func isLike(_ other: Difference) -> Bool { signature == other.signature }

  var signature: String {
    guard kind == .failed || kind == .message else { return kind.rawValue }
    return "\(kind.rawValue) \(detail.split(separator: " ").filter { $0.allSatisfy(\.isLetter) })"
  }
}
