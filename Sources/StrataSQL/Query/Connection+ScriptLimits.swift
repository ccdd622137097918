import StrataSQLite

extension Connection {
  /// Sets the limits under which SQL of people runs on a private database.
  func setLimitsOfScripts() throws(SQLiteError) {
    for (limit, value) in [
      (Limit.statementBytes, 1 << 20), (.expressionDepth, 200), (.compoundSelects, 200),
      (.patternBytes, 1_000),
    ] {
      try setLimit(limit, to: value)
    }
  }
}
