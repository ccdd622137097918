import CStrataSQLite

/// Prepared statements by text, so that each is compiled once per connection.
///
/// It holds at most `capacity` statements and evicts the least recently used one.
final class StatementCache {
  static let capacity = 128

  private let path: String
  private var statements: [String: Statement] = [:]
  private var clock: UInt64 = 0

  init(path: String) {
    self.path = path
  }

  /// Returns a statement that no other call uses; `Statement.reset()` makes it available again.
  ///
  /// O(1) for a cached text. If the cached statement is in use, because its row closure runs the same
  /// text, the result is a new statement that is not cached.
  func statement(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) -> Statement {
    clock += 1
    if let known = statements[sql], !known.isRunning {
      known.isRunning = true
      known.lastUse = clock
      return known
    }
    let source = try SQLText(sql, path: path)
    let statement = try source.only(on: connection)
    statement.isRunning = true
    statement.lastUse = clock
    if statements[sql] == nil {
      evictIfFull()
      statements[sql] = statement
    }
    return statement
  }

  /// Removes all statements; those in use are finalized when their call ends.
  func removeAll() {
    statements.removeAll()
  }

  private func evictIfFull() {
    guard statements.count >= Self.capacity else { return }
    let idle = statements.values.filter { !$0.isRunning }
    guard let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) else { return }
    statements[oldest.sql] = nil
  }
}
