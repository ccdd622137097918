import Foundation
import StrataColumns
package import StrataInspection
package import StrataJournal
import StrataRecords
import StrataSQLite

/// The differences between two states, as statements of SQL.
///
/// They turn the rows of one state into those of the other, in the tables of queries and of
/// ``StoreExport/write(toDatabase:)``.
package struct DifferenceStatements {
  /// An entity table in SQL.
  private struct Table {
    let name: String
    let id: Column
    /// The column of each field.
    let columns: [String: Column]
    let isValue: Bool
  }

  private let tables: [String: Table]

  /// - Parameter inspector: The store whose states differ.
  package init(_ inspector: Inspector) throws {
    tables = try inspector.query { view in
      let sources = try StoreTables(view).sources.compactMap { $0 as? EntitySource }
      return Dictionary(
        sources.filter { $0.arguments.isEmpty }.map { source in
          let table = Table(
            name: source.name,
            id: source.columns[0],
            columns: source.columnsOfFields,
            isValue: StoredValues.name(ofTable: source.table) != nil
          )
          return (source.table, table)
        },
        uniquingKeysWith: { first, _ in first }
      )
    }
  }

  /// One statement for each entity that differs, in one transaction; O(their fields).
  ///
  /// - Parameter difference: With the fields of an entity, not the members of its nested objects.
  package func lines(_ difference: StateDifference) -> [String] {
    guard !difference.entities.isEmpty else { return [] }
    return ["BEGIN;"] + difference.entities.compactMap(statement) + ["COMMIT;"]
  }

  private func statement(_ entity: StateDifference.Entity) -> String? {
    guard let table = tables[entity.table] else { return nil }
    let name = SQLName.quoted(table.name)
    // The one row of a persisted value has an ID without a meaning.
    let id = entity.id.map { Self.literal(ColumnValue.value($0, of: table.id.kind)) } ?? "NULL"
    let condition = table.isValue ? "" : " WHERE \(SQLName.quoted(table.id.name)) = \(id)"
    let values = entity.fields.compactMap { field -> (column: String, value: String)? in
      guard let column = table.columns[field.field] else { return nil }
      let value = field.to.map { ColumnValue.value($0, of: column.kind) } ?? .null
      return (SQLName.quoted(column.name), Self.literal(value))
    }
    switch entity.kind {
    case .removed: return "DELETE FROM \(name)\(condition);"
    case .changed:
      let assignments = values.map { "\($0.column) = \($0.value)" }.joined(separator: ", ")
      return values.isEmpty ? nil : "UPDATE \(name) SET \(assignments)\(condition);"
    case .added:
      let columns = [SQLName.quoted(table.id.name)] + values.map(\.column)
      let all = [id] + values.map(\.value)
      return """
        INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(all.joined(separator: ", ")));
        """
    }
  }

  /// A value as SQLite reads it back.
  private static func literal(_ value: Value) -> String {
    switch value {
    case .null: return "NULL"
    case .integer(let number): return String(number)
    case .real(let number):
      if number.isInfinite { return number < 0 ? "-9e999" : "9e999" }
      return number.description
    case .text(let text):
      // Control characters and line breaks are not printed as they are.
      if text.printable == text { return "'\(text.replacing(scalar: "'", with: "''"))'" }
      return "CAST(\(hexadecimal(Array(text.utf8))) AS TEXT)"
    case .blob(let bytes): return hexadecimal(bytes)
    }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    return "x'\(digits.joined())'"
  }
}
