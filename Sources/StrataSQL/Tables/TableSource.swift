import StrataColumns
import StrataSQLite

/// The contents of a table that queries read: its columns, and its rows on demand.
protocol TableSource: AnyObject {
  /// Its name in SQL.
  var name: String { get }
  var columns: [Column] { get }
  /// The names of its arguments, for a table-valued function such as `users_at('@yesterday')`.
  var arguments: [String] { get }
  /// The columns whose conditions it can use, so that it need not make rows that do not match.
  var narrowing: [Int] { get }
  /// The column by which its rows are in ascending order; nil if they are in no order.
  var ordering: Int? { get }

  /// The rows for these arguments that meet the conditions, and possibly others.
  ///
  /// - Parameter used: The columns that are read.
  func rows(
    _ arguments: [Value],
    _ conditions: [Condition],
    used: Set<Int>,
    in context: QueryContext
  ) throws -> any TableRows
}

extension TableSource {
  var arguments: [String] { [] }
  var ordering: Int? { nil }
}

/// A condition on a column: equality with one of these values, or an order relative to the only one.
struct Condition {
  let column: Int
  let comparison: IndexRequest.Constraint.Operator
  let values: [Value]
}

/// Iterates over rows of a ``TableSource``.
protocol TableRows: AnyObject {
  /// Advances to the next row; false at the end.
  func next() throws -> Bool
  /// Gives the value of a column of the current row; without a call it is NULL.
  func column(_ index: Int, _ result: ColumnResult) throws
  /// The value of a column of the current row.
  func value(_ index: Int) throws -> Value
}

extension TableRows {
  func column(_ index: Int, _ result: ColumnResult) throws { result.set(try value(index)) }
}
