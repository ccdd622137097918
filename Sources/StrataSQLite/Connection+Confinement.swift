import CStrataSQLite

/// What confines the SQL of people: an authorizer, an interruption, and limits.
///
/// All of it belongs to one connection, except ``SQLiteHeap``.
extension Connection {
  /// Asks a closure about everything that statements would do, while they are compiled.
  ///
  /// It is not asked about the declarations of virtual tables.
  ///
  /// A statement for which it returns false fails with the code `.auth`. Nil removes the closure. SQLite
  /// may compile a statement again when it runs, and asks again then.
  package func setAuthorizer(_ allows: ((StatementAction) -> Bool)?) throws(SQLiteError) {
    let handle = try requireHandle(.configure)
    callbacks.allows = allows
    let status: Int32
    if allows == nil {
      status = sqlite3_set_authorizer(handle, nil, nil)
    } else {
      status = sqlite3_set_authorizer(
        handle,
        { context, code, first, second, database, _ in
          guard let context else { return SQLITE_DENY }
          let callbacks = Unmanaged<ConnectionCallbacks>.fromOpaque(context).takeUnretainedValue()
          if callbacks.isDeclaring { return SQLITE_OK }
          let action = StatementAction(
            code,
            first.map { String(cString: $0) },
            second.map { String(cString: $0) },
            in: database.map { String(cString: $0) }
          )
          return callbacks.allows?(action) ?? false ? SQLITE_OK : SQLITE_DENY
        },
        Unmanaged.passUnretained(callbacks).toOpaque()
      )
    }
    guard status == SQLITE_OK else { throw failure(status, .configure) }
  }

  /// Asks a closure, about every so many instructions of SQLite's machine, whether to stop.
  ///
  /// A statement is stopped with the code `.interrupt`. Nil removes the closure. It may run at any time in
  /// which a statement of this connection runs, so it must be quick.
  package func setInterruption(
    every instructions: Int32 = 1_000,
    _ mustStop: (() -> Bool)?
  ) throws(SQLiteError) {
    let handle = try requireHandle(.configure)
    callbacks.mustStop = mustStop
    guard mustStop != nil else { return sqlite3_progress_handler(handle, 0, nil, nil) }
    sqlite3_progress_handler(
      handle,
      instructions,
      { context in
        guard let context else { return 1 }
        let callbacks = Unmanaged<ConnectionCallbacks>.fromOpaque(context).takeUnretainedValue()
        return callbacks.mustStop?() ?? false ? 1 : 0
      },
      Unmanaged.passUnretained(callbacks).toOpaque()
    )
  }

  /// A limit of one connection (`sqlite.org/c3ref/c_limit_attached.html`).
  package enum Limit: Sendable {
    /// Bytes of a text, a blob or a row.
    case valueBytes
    /// Bytes of the text of a statement.
    case statementBytes
    /// Columns of a table, a result or an index.
    case columns
    /// The depth of an expression.
    case expressionDepth
    /// SELECTs that UNION and its kin join.
    case compoundSelects
    /// Arguments of a function.
    case functionArguments
    /// Bytes of the pattern of LIKE and GLOB.
    case patternBytes

    var code: Int32 {
      switch self {
      case .valueBytes: SQLITE_LIMIT_LENGTH
      case .statementBytes: SQLITE_LIMIT_SQL_LENGTH
      case .columns: SQLITE_LIMIT_COLUMN
      case .expressionDepth: SQLITE_LIMIT_EXPR_DEPTH
      case .compoundSelects: SQLITE_LIMIT_COMPOUND_SELECT
      case .functionArguments: SQLITE_LIMIT_FUNCTION_ARG
      case .patternBytes: SQLITE_LIMIT_LIKE_PATTERN_LENGTH
      }
    }
  }

  /// Sets a limit and returns the one before.
  ///
  /// SQLite lowers a value above the largest that it was built with.
  @discardableResult
  package func setLimit(_ limit: Limit, to value: Int) throws(SQLiteError) -> Int {
    Int(sqlite3_limit(try requireHandle(.configure), limit.code, Int32(clamping: value)))
  }

  /// Sorts and stores intermediate results in temporary files without a name, beyond this many bytes of
  /// memory for each.
  package func setTemporaryFiles(cacheBytes: Int) throws(SQLiteError) {
    try setPragma("temp_store=FILE")
    try setPragma("cache_size=-\(cacheBytes >> 10)")
  }

  /// Lets triggers and views of this database run, which every connection starts without.
  ///
  /// For a private database, whose schema no file brings along.
  package func allowTriggersAndViews() throws(SQLiteError) {
    let handle = try requireHandle(.configure)
    for option in [SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW] {
      let status = strata_db_config(handle, option, 1, nil)
      guard status == SQLITE_OK else { throw failure(status, .configure) }
    }
  }

  /// Makes a word in double quotes a name, always; without it, SQLite takes one that names nothing for a text.
  package func takeQuotedWordsAsNames() throws(SQLiteError) {
    let handle = try requireHandle(.configure)
    for option in [SQLITE_DBCONFIG_DQS_DML, SQLITE_DBCONFIG_DQS_DDL] {
      let status = strata_db_config(handle, option, 0, nil)
      guard status == SQLITE_OK else { throw failure(status, .configure) }
    }
  }

  /// Where in its text the last statement failed to compile, in bytes; nil if SQLite does not say.
  package var lastErrorOffset: Int? {
    guard let handle else { return nil }
    let offset = sqlite3_error_offset(handle)
    return offset < 0 ? nil : Int(offset)
  }
}

/// The closures of one connection that SQLite calls.
final class ConnectionCallbacks {
  var allows: ((StatementAction) -> Bool)?
  var mustStop: (() -> Bool)?
  /// Whether a virtual table is being declared: SQLite compiles a statement for that too.
  var isDeclaring = false
  /// The error that the last failed call of a virtual table threw.
  var tableError: (any Error)?
  /// What a connection calls by name: collations and functions.
  var named: [AnyObject] = []
  var isInserted: ((UnsafePointer<CChar>, Int64) -> Void)?
}

/// The memory of SQLite in this process.
package enum SQLiteHeap {
  /// Limits the memory of **all** connections of the process; 0 removes the limit.
  ///
  /// Beyond it, statements fail with `.noMemory`. A program that belongs to a user must not call this; a
  /// command may. It has no effect unless ``isCounted``.
  package static func setLimit(bytes: Int) {
    sqlite3_hard_heap_limit64(Int64(bytes))
  }

  /// Whether SQLite counts the memory that it uses: not on Apple's systems, which build it with `DEFAULT_MEMSTATUS=0`.
  package static var isCounted: Bool {
    let memory = sqlite3_malloc(64)
    defer { sqlite3_free(memory) }
    return sqlite3_memory_used() > 0
  }
}

extension Connection {
  /// Runs a closure under limits that suffice for the schema of a store's file, and for little else.
  ///
  /// SQLite runs expressions of a file before any check of the caller can: when it loads the schema, it
  /// reads `sqlite_stat1`, whose columns may be computed. Here a statement ends after 100,000 instructions
  /// of SQLite's machine, a value has 1 MB at most, and patterns of `LIKE` have one character.
  ///
  /// - Throws: The closure's error; `.interrupt`, `.tooBig` and `.error` at a limit.
  package func withSchemaLimits<R>(
    _ body: () throws(SQLiteError) -> R
  ) throws(SQLiteError) -> R {
    let handle = try requireHandle(.configure)
    let limits = [
      (SQLITE_LIMIT_LENGTH, Int32(1 << 20)), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1),
      (SQLITE_LIMIT_EXPR_DEPTH, 50),
    ]
    let before = limits.map { ($0, sqlite3_limit(handle, $0, $1)) }
    sqlite3_progress_handler(handle, 100_000, { _ in 1 }, nil)
    defer {
      sqlite3_progress_handler(handle, 0, nil, nil)
      for (limit, value) in before { sqlite3_limit(handle, limit, value) }
    }
    return try body()
  }
}

extension Connection {
  /// Sets the limits under which SQL of people runs on a private database.
  package func setLimitsOfScripts() throws(SQLiteError) {
    for (limit, value) in [
      (Limit.statementBytes, 1 << 20), (.expressionDepth, 200), (.compoundSelects, 200),
      (.patternBytes, 1_000),
    ] {
      try setLimit(limit, to: value)
    }
    try takeQuotedWordsAsNames()
  }
}
