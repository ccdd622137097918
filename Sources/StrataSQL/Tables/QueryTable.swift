import StrataColumns
import StrataSQLite

/// A ``TableSource`` as a table of SQLite.
final class QueryTable: VirtualTable {
  /// How a statement reads the table: the meanings of the values that it passes.
  struct Plan: Equatable {
    struct Item: Equatable {
      enum Use: Equatable {
        case argument
        case condition(IndexRequest.Constraint.Operator)
        /// All values of an `IN` in one.
        case anyOf
        /// Rows are found by the value, in a copy of the table.
        case lookup
      }

      let column: Int
      let use: Use
    }

    var items: [Item] = []
    var isOrdered = false
  }

  let source: any TableSource
  let context: QueryContext
  private(set) var plans: [Plan] = []
  /// The columns that any statement of this query reads.
  private(set) var used: Set<Int> = []

  init(_ source: any TableSource, _ context: QueryContext) {
    self.source = source
    self.context = context
  }

  var declaration: String {
    let arguments = source.arguments.map { "\(SQLName.quoted($0)) HIDDEN" }
    // Arguments are the first hidden columns.
    let columns = arguments + source.columns.map(\.declaration)
    return "CREATE TABLE x(\(columns.joined(separator: ", ")))"
  }

  func plan(_ request: IndexRequest) -> Bool {
    let first = source.arguments.count
    for column in source.columns.indices where request.isUsed(first + column) {
      used.insert(column)
    }
    var plan = Plan()
    let constraints = request.constraints
    // Arguments come first. Without them there are no rows at all.
    for argument in source.arguments.indices {
      let given = constraints.filter { $0.column == argument && $0.comparison == .equal }
      if given.isEmpty { continue }
      guard let usable = given.first(where: \.isUsable) else { return false }
      request.pass(usable, as: plan.items.count, .no)
      plan.items.append(.init(column: argument, use: .argument))
    }
    switch context.mode {
    case .streamed: narrow(request, constraints, &plan)
    case .materialised: lookUp(request, constraints, &plan)
    }
    return true
  }

  /// Passes the conditions that the source can use.
  private func narrow(
    _ request: IndexRequest,
    _ constraints: [IndexRequest.Constraint],
    _ plan: inout Plan
  ) {
    let first = source.arguments.count
    var cost = Self.fullCost
    for constraint in constraints
    where constraint.isUsable && constraint.comparison != .other
      && source.narrowing.contains(constraint.column - first)
      && isCompared(constraint, by: request)
    {
      var use = Plan.Item.Use.condition(constraint.comparison)
      if constraint.comparison == .equal, request.passAllValues(of: constraint) { use = .anyOf }
      request.pass(constraint, as: plan.items.count, .again)
      plan.items.append(.init(column: constraint.column - first, use: use))
      cost /= constraint.comparison == .equal ? 10_000 : 3
    }
    if context.promisesOrder, let ordering = source.ordering, request.order.count == 1,
      request.order[0].column == first + ordering, !request.order[0].isDescending
    {
      plan.isOrdered = true
      request.promiseOrder()
    }
    request.answer(plan: number(of: plan), cost: cost, rows: Int64(cost))
  }

  /// Passes the value of one column, by which a copy of the table is searched.
  private func lookUp(
    _ request: IndexRequest,
    _ constraints: [IndexRequest.Constraint],
    _ plan: inout Plan
  ) {
    let first = source.arguments.count
    let usable = constraints.filter {
      $0.isUsable && $0.comparison == .equal && $0.column >= first
        && source.columns[$0.column - first].kind.affinity != .none && isCompared($0, by: request)
    }
    let isKey = { (constraint: IndexRequest.Constraint) in
      self.source.narrowing.contains(constraint.column - first)
    }
    guard let chosen = usable.first(where: isKey) ?? usable.first else {
      return request.answer(
        plan: number(of: plan),
        cost: Self.fullCost,
        rows: Int64(Self.fullCost)
      )
    }
    request.pass(chosen, as: plan.items.count, .again)
    plan.items.append(.init(column: chosen.column - first, use: .lookup))
    let rows: Int64 = isKey(chosen) ? 1 : 30
    request.answer(plan: number(of: plan), cost: 10 * Double(rows), rows: rows)
  }

  private static let fullCost = 1_000_000.0

  /// Whether a comparison is by the collation of its column.
  private func isCompared(_ constraint: IndexRequest.Constraint, by request: IndexRequest) -> Bool {
    request.collation(of: constraint).uppercased()
      == source.columns[constraint.column - source.arguments.count].collation
  }

  private func number(of plan: Plan) -> Int {
    if let known = plans.firstIndex(of: plan) { return known }
    plans.append(plan)
    return plans.count - 1
  }

  func makeCursor() -> any VirtualTableCursor { QueryCursor(self) }
}

/// A cursor of a ``QueryTable``, over rows that are made now or over a copy.
final class QueryCursor: VirtualTableCursor {
  private let table: QueryTable
  private var rows: (any TableRows)?
  private var arguments: [Value] = []
  private var copies: [CopiedRows] = []
  /// The column by which the rows were promised to be ordered, and the last value of it.
  private var order: (column: Int, last: Value)?

  private(set) var isAtEnd = true
  private(set) var rowID: Int64 = 0

  fileprivate init(_ table: QueryTable) { self.table = table }

  func filter(_ plan: Int, _ values: FilterArguments) throws {
    let plan = table.plans[plan]
    let source = table.source
    arguments = []
    var conditions: [Condition] = []
    var lookup: (column: Int, value: Value)?
    for (index, item) in plan.items.enumerated() {
      switch item.use {
      case .argument: arguments.append(try values.value(index))
      case .condition(let comparison):
        conditions.append(
          Condition(
            column: item.column,
            comparison: comparison,
            values: [try values.value(index)]
          )
        )
      case .anyOf:
        conditions.append(
          Condition(column: item.column, comparison: .equal, values: try values.values(index))
        )
      case .lookup: lookup = (item.column, try values.value(index))
      }
    }
    guard arguments.count == source.arguments.count else {
      let example = source.arguments.count == 1 ? "('@yesterday')" : "('HEAD~10', 'HEAD')"
      throw QueryError.argument(
        "\(source.name) needs its revisions: write \(source.name)\(example)."
      )
    }
    rowID = 0
    order = plan.isOrdered ? source.ordering.map { ($0, .null) } : nil
    switch table.context.mode {
    case .streamed:
      rows = try source.rows(arguments, conditions, used: table.used, in: table.context)
    case .materialised: rows = try copy(lookup)
    }
    try next()
  }

  /// The rows of a copy, from a cursor that is used again for the next value.
  private func copy(_ lookup: (column: Int, value: Value)?) throws -> any TableRows {
    let cached = try table.context.rows.table(table, arguments)
    var lookup = lookup
    // SQLite may compare a number with a text as numbers, and the copy would compare them as texts.
    if let (column, value) = lookup, table.source.columns[column].kind.affinity == .text {
      switch value {
      case .integer, .real: lookup = nil
      case .null, .text, .blob: break
      }
    }
    if let rows = copies.first(where: { $0.table === cached && $0.column == lookup?.column }) {
      try rows.start(lookup?.value)
      return rows
    }
    let rows = try CopiedRows(cached, by: lookup?.column, table.context)
    copies.append(rows)
    try rows.start(lookup?.value)
    return rows
  }

  func next() throws {
    rowID += 1
    isAtEnd = try !(rows?.next() ?? false)
    if let (column, last) = order, !isAtEnd, let value = try rows?.value(column) {
      guard !value.precedes(last) else { throw OrderBroken() }
      order = (column, value)
    }
  }

  func column(_ index: Int, _ result: ColumnResult) throws {
    if index < arguments.count {
      result.set(arguments[index])
    } else {
      try rows?.column(index - arguments.count, result)
    }
  }
}

extension Value {
  /// Whether SQLite sorts it before another value, compared as bytes.
  fileprivate func precedes(_ other: Value) -> Bool {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    default: place < other.place
    }
  }

  private var place: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }
}
