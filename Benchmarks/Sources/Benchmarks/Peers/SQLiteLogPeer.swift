import Foundation

/// A log of users as packed blobs: the minimum of work for SQLite.
final class SQLiteLogPeer: WritePeer {
  private let database: RawSQLite
  private let insert: RawStatement
  private var users: [PlainUser]

  init(_ users: [PlainUser], _ path: String, synchronous: String = "NORMAL") throws {
    self.users = users
    database = try RawSQLite(path, synchronous: synchronous)
    try database.execute("CREATE TABLE log (seq INTEGER PRIMARY KEY, body BLOB)")
    insert = try database.prepare("INSERT INTO log (body) VALUES (?)")
  }

  func update(_ numbers: ArraySlice<Int64>) throws {
    try database.execute("BEGIN IMMEDIATE")
    for number in numbers {
      users[Int(number)].age += 1
      insert.bind(1, PackedUser.bytes(of: users[Int(number)]))
      try insert.run()
    }
    try database.execute("COMMIT")
  }
}
