import CStrataSQLite

/// Prepared statements by their text, so that each is compiled once per connection.
///
/// It holds at most `capacity` statements and lets go of the one unused for longest.
final class StatementCache {
  static let capacity = 128

  private let path: String
  private var statements: [String: Statement] = [:]
  private var clock: UInt64 = 0

  init(path: String) {
    self.path = path
  }

  /// A statement that no other call is in the middle of, to be given back by `Statement.reset()`.
  ///
  /// O(1) for a text seen before. A text that is running already, because its row closure runs it again,
  /// gets a statement of its own that dies with the call.
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
      makeRoom()
      statements[sql] = statement
    }
    return statement
  }

  /// Lets go of every statement; those that are running finish with their call.
  func removeAll() {
    statements.removeAll()
  }

  private func makeRoom() {
    guard statements.count >= Self.capacity else { return }
    let idle = statements.values.filter { !$0.isRunning }
    guard let oldest = idle.min(by: { $0.lastUse < $1.lastUse }) else { return }
    statements[oldest.sql] = nil
  }
}
