/// A statement of a generated script.
struct ScriptStatement: Equatable, Sendable, CustomStringConvertible {
  /// A column of a table.
  struct Place: Equatable, Sendable {
    let table: String
    let column: String
  }

  let form: Form
  let sql: String
  /// The column that it drops, also to make it again.
  var dropped: Place?

  var description: String { sql }

  /// What a statement does, named as SQLite's pages and its test suite name it.
  enum Form: String, CaseIterable, Sendable {
    // Rows that are added.
    case insertValues, insertWithoutID, insertDefaultValues, insertSelect, insertRecursive
    case insertOrIgnore, insertOrReplace, replaceInto, insertReturning
    case upsertUpdate, upsertNothing, upsertWhere, upsertSelect
    // Rows that are changed.
    case update, updateWhere, updateTuple, updateFrom, updateCorrelated, updateCTE, updateReturning
    case updateOrReplace, updateOrIgnore, updateID, shiftIDs, updateNull
    // Rows that are removed.
    case delete, deleteAll, deleteIn, deleteUsing, deleteNatural, deleteCTE, deleteReturning
    // Reading, which changes nothing.
    case select, values, reindex
    // Columns.
    case addColumn, addColumnDefault, addColumnNotNull, addColumnCheck, addColumnCollate
    case addColumnReferences, addColumnGenerated
    case renameColumn, renameColumnCase, dropColumn, swapColumns, remakeColumn
    // Tables.
    case createTable, createTableAs, createStrict, renameTable, renameTableCase, dropTable
    case swapTables, rebuild, rebuildAs, rebuildType, rebuildWhole, copyWhole, replaceTable,
      copyAndReplace
    // What is gone when the script ends.
    case createTemporary, createTemporaryAs, shadowTable, shadowView
    case createIndex, createUniqueIndex, createPartialIndex, createExpressionIndex, dropIndex
    case createView, createTemporaryView, viewTrigger, dropView
    case insertTrigger, updateTrigger, deleteTrigger, beforeTrigger, dropTrigger

    /// Whether rows of a table may get other IDs.
    var movesIDs: Bool {
      switch self {
      case .updateID, .shiftIDs, .updateOrReplace, .updateOrIgnore: true
      default: false
      }
    }

    /// Whether tables or columns may have other names afterwards.
    var changesNames: Bool {
      switch self {
      case .renameColumn, .renameColumnCase, .swapColumns, .renameTable, .renameTableCase,
        .swapTables,
        .dropTable, .replaceTable, .rebuild, .rebuildAs, .rebuildType, .rebuildWhole,
        .copyAndReplace:
        true
      default: false
      }
    }

    /// Whether it may remove rows of a table, also to add others under their IDs.
    var mayRemoveRows: Bool {
      switch self {
      case .delete, .deleteAll, .deleteIn, .deleteUsing, .deleteNatural, .deleteCTE,
        .deleteReturning, .insertOrReplace, .replaceInto, .insertSelect, .updateOrReplace,
        .dropTable,
        .replaceTable, .rebuild, .rebuildAs, .rebuildType, .rebuildWhole, .copyWhole,
        .copyAndReplace, .deleteTrigger,
        .beforeTrigger, .insertTrigger, .updateTrigger, .viewTrigger, .createTable:
        true
      default: false
      }
    }

    /// Whether rows of a table may be in another one afterwards.
    var copiesRows: Bool {
      switch self {
      case .insertSelect, .upsertSelect, .createTableAs, .rebuild, .rebuildAs, .rebuildType,
        .rebuildWhole, .copyWhole,
        .copyAndReplace, .createTemporaryAs, .shadowTable, .shadowView, .insertTrigger,
        .updateTrigger, .deleteTrigger, .beforeTrigger, .viewTrigger:
        true
      default: false
      }
    }
  }
}

/// Scripts and the rows that they run on, as one value, so that a case that fails can be made smaller.
struct ScriptCase: Sendable, CustomStringConvertible {
  var sample: DifferentialSample
  /// The statements of each script; the second one runs on what the first one has left.
  var scripts: [[ScriptStatement]]

  var statements: [ScriptStatement] { scripts.flatMap { $0 } }

  /// The texts of the scripts.
  var texts: [String] {
    scripts.map { $0.map { "\($0.sql);" }.joined(separator: "\n") }
  }

  var description: String { texts.joined(separator: "\n-- the next script\n") }

  /// The cases with one statement less, then those with one row less.
  var smaller: [ScriptCase] {
    var cases: [ScriptCase] = []
    for script in scripts.indices {
      for index in scripts[script].indices {
        var smaller = self
        smaller.scripts[script].remove(at: index)
        smaller.scripts.removeAll { $0.isEmpty }
        if !smaller.scripts.isEmpty { cases.append(smaller) }
      }
    }
    if scripts.count > 1 {
      var joined = self
      joined.scripts = [statements]
      cases.append(joined)
    }
    for sample in sample.smaller {
      var smaller = self
      smaller.sample = sample
      cases.append(smaller)
    }
    return cases
  }

  /// The smallest case that can be reached, one statement or row after another, for which a closure holds.
  ///
  /// - Parameter tries: How many cases are tried at most.
  func smallest(
    tries: Int = 300,
    where fails: (ScriptCase) async throws -> Bool
  ) async rethrows -> ScriptCase {
    var (smallest, left) = (self, tries)
    search: while true {
      for candidate in smallest.smaller where left > 0 {
        left -= 1
        guard try await fails(candidate) else { continue }
        smallest = candidate
        continue search
      }
      return smallest
    }
  }
}
