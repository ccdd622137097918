import Foundation

/// A log of user versions, each a blob packed by hand: the least that SQLite can be asked to do.
final class HandLog: WritePeer {
  private let database: HandSQLite
  private let insert: HandStatement
  private var users: [PlainUser]

  init(_ users: [PlainUser], _ path: String, synchronous: String = "NORMAL") throws {
    self.users = users
    database = try HandSQLite(path, synchronous: synchronous)
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

/// A user as bytes, its fields one after another: what one would write by hand for this one type.
enum PackedUser {
  static func bytes(of user: PlainUser) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(160)
    append(user.id, to: &bytes)
    append(user.name, to: &bytes)
    append(user.email, to: &bytes)
    append(Int64(user.age), to: &bytes)
    append(Int64(bitPattern: user.score.bitPattern), to: &bytes)
    bytes.append(user.isActive ? 1 : 0)
    let time = user.createdAt.timeIntervalSinceReferenceDate
    append(Int64(bitPattern: time.bitPattern), to: &bytes)
    bytes.append(UInt8(user.tags.count))
    for tag in user.tags { append(tag, to: &bytes) }
    append(user.address.street, to: &bytes)
    append(user.address.city, to: &bytes)
    append(user.address.zip, to: &bytes)
    return bytes
  }

  private static func append(_ number: Int64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
}
