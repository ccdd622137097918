import Foundation

/// A row per user, updated in place; transactions are written but not synced.
final class SQLiteRowsPeer: WritePeer {
  private let database: RawSQLite
  private let update: RawStatement
  private var users: [PlainUser]

  init(_ users: [PlainUser], _ path: String) throws {
    self.users = users
    database = try RawSQLite(path, synchronous: "NORMAL")
    try database.execute(
      """
      CREATE TABLE user (
        id INTEGER PRIMARY KEY, name TEXT, email TEXT, age INTEGER, score REAL, isActive INTEGER,
        createdAt REAL, tags TEXT, street TEXT, city TEXT, zip TEXT)
      """
    )
    update = try database.prepare(
      """
      UPDATE user SET name = ?2, email = ?3, age = ?4, score = ?5, isActive = ?6, createdAt = ?7,
        tags = ?8, street = ?9, city = ?10, zip = ?11 WHERE id = ?1
      """
    )
    let insert = try database.prepare("INSERT INTO user VALUES (?,?,?,?,?,?,?,?,?,?,?)")
    try database.execute("BEGIN")
    for user in users {
      Self.bind(user, to: insert)
      try insert.run()
    }
    try database.execute("COMMIT")
  }

  func update(_ numbers: ArraySlice<Int64>) throws {
    try database.execute("BEGIN IMMEDIATE")
    for number in numbers {
      users[Int(number)].age += 1
      Self.bind(users[Int(number)], to: update)
      try update.run()
    }
    try database.execute("COMMIT")
  }

  func updateAll() throws { try database.execute("UPDATE user SET age = age + 1") }

  private static func bind(_ user: PlainUser, to statement: RawStatement) {
    statement.bind(1, user.id)
    statement.bind(2, user.name)
    statement.bind(3, user.email)
    statement.bind(4, Int64(user.age))
    statement.bind(5, user.score)
    statement.bind(6, Int64(user.isActive ? 1 : 0))
    statement.bind(7, user.createdAt.timeIntervalSinceReferenceDate)
    statement.bind(8, user.tags.joined(separator: ","))
    statement.bind(9, user.address.street)
    statement.bind(10, user.address.city)
    statement.bind(11, user.address.zip)
  }
}
