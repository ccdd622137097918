package import Foundation
import StrataBase
package import StrataSQLite

/// The identity of a store's file: the one row of its `store` table.
///
/// All SQL on identity, origins and entity tables is in this file, except that of copying origins
/// (`RowCopy`).
package struct StoreIdentity: Equatable, Sendable {
  /// An opening that wrote deltas: a row of `origin`.
  package struct Origin: Sendable, Equatable {
    package var number: Int64
    package var id: UUID
    package var opened: Int64

    package init(number: Int64, id: UUID, opened: Int64) {
      self.number = number
      self.id = id
      self.opened = opened
    }
  }

  package var id: UUID
  package var epoch: Int64
  package var created: Int64
  /// The application that the store belongs to; nil if no configuration has named one.
  package var application: String?

  package init(id: UUID, epoch: Int64, created: Int64, application: String? = nil) {
    self.id = id
    self.epoch = epoch
    self.created = created
    self.application = application
  }

  package static func read(_ connection: Connection) throws -> StoreIdentity {
    let application = try StoreFormat.isFirst(connection) ? "NULL" : "application"
    let row = try connection.first(
      "SELECT id, epoch, algorithm, created, \(application) FROM store",
      []
    ) {
      (
        try $0.blob(0), try $0.int(1), try $0.int(2), try $0.int(3), try $0.optionalText(4)
      )
    }
    guard let (id, epoch, algorithm, created, application) = row, let id = UUID(byteArray: id)
    else {
      throw CorruptionError("the file has no valid store ID")
    }
    guard algorithm == Int64(Checksum.algorithm) else {
      throw CorruptionError(
        "unknown hash algorithm \(algorithm): this build knows \(Checksum.algorithm)"
      )
    }
    return StoreIdentity(
      id: id,
      epoch: try StoredNumber.epoch(epoch, "the epoch of the store"),
      created: try StoredNumber.time(created, "the time when the store was created"),
      application: application
    )
  }

  package func write(to connection: Connection) throws(SQLiteError) {
    try connection.run(
      "INSERT INTO store (one, id, epoch, algorithm, created, application) VALUES (1, ?, ?, ?, ?, ?)",
      [
        .blob(id.byteArray), .integer(epoch), .integer(Int64(Checksum.algorithm)),
        .integer(created), application.map { .text($0) } ?? .null,
      ]
    )
  }

  /// Refuses a store of another application than the one that the configuration names.
  package func check(application name: String?) throws(PersistenceError.Reason) {
    guard let name, let application, application != name else { return }
    throw .otherApplication(found: application, expected: name)
  }

  /// Writes the application's name.
  func writeApplication(to connection: Connection) throws(SQLiteError) {
    try connection.run("UPDATE store SET application = ?", [application.map { .text($0) } ?? .null])
  }

  /// Replaces the epoch.
  package func writeEpoch(to connection: Connection) throws(SQLiteError) {
    try connection.run("UPDATE store SET epoch = ?", [.integer(epoch)])
  }

  /// The number that the deltas of an opening have; nil if the opening is not recorded in this file.
  package static func origin(_ uuid: UUID, in connection: Connection) throws -> Int64? {
    try connection.first("SELECT id FROM origin WHERE uuid = ?", [.blob(uuid.byteArray)]) {
      try $0.int(0)
    }
  }

  /// Records that a writer opened the file, and returns the number of its deltas.
  package static func addOrigin(_ uuid: UUID, at time: Int64, to connection: Connection) throws
    -> Int64
  {
    try connection.run(
      "INSERT INTO origin (uuid, opened) VALUES (?, ?)",
      [.blob(uuid.byteArray), .integer(time)]
    )
    return try connection.first("SELECT last_insert_rowid()", []) { try $0.int(0) } ?? 0
  }

  /// The opening of that number; nil if the file does not have it.
  package static func origin(_ number: Int64, in connection: Connection) throws -> Origin? {
    let row = try connection.first(
      "SELECT uuid, opened FROM origin WHERE id = ?",
      [.integer(number)]
    ) { (try $0.blob(0), try $0.int(1)) }
    guard let (uuid, opened) = row else { return nil }
    guard let id = UUID(byteArray: uuid) else {
      throw CorruptionError("the UUID of origin \(number) has \(uuid.count) bytes, expected 16")
    }
    return Origin(
      number: number,
      id: id,
      opened: try StoredNumber.time(opened, "the time of origin \(number)")
    )
  }

  /// Adds an opening of another file of the store; throws if this file has another one in its place.
  ///
  /// One that no delta has does not count: a process opened this file and committed nothing, while another one
  /// opened another file of the store.
  package static func add(_ origin: Origin, to connection: Connection) throws {
    if let known = try self.origin(origin.number, in: connection) {
      if known == origin { return }
      guard try remove(unusedOrigin: origin.number, from: connection) else {
        throw CorruptionError("the file has another origin in the place of \(origin.number)")
      }
    }
    if let number = try self.origin(origin.id, in: connection) {
      guard try remove(unusedOrigin: number, from: connection) else {
        throw CorruptionError("the file has origin \(origin.number) under the number \(number)")
      }
    }
    try connection.run(
      "INSERT INTO origin (id, uuid, opened) VALUES (?, ?, ?)",
      [.integer(origin.number), .blob(origin.id.byteArray), .integer(origin.opened)]
    )
  }

  /// Removes an opening unless a delta has it; returns whether it is gone.
  private static func remove(
    unusedOrigin number: Int64,
    from connection: Connection
  ) throws -> Bool {
    let isUsed = try connection.first("SELECT 1 FROM delta WHERE origin = ?", [.integer(number)]) {
      try $0.int(0)
    }
    if isUsed != nil { return false }
    try connection.run("DELETE FROM origin WHERE id = ?", [.integer(number)])
    return true
  }

  /// The revision that brought a table; nil if the file does not list it.
  package static func since(_ table: String, in connection: Connection) throws -> Revision? {
    try connection.first("SELECT since FROM entity_table WHERE name = ?", [.text(table)]) {
      try $0.revision(0, "the beginning of table \(table)")
    }
  }

  /// The names of all entity tables the file ever had.
  package static func tables(of connection: Connection) throws -> [String] {
    try connection.all("SELECT name FROM entity_table ORDER BY name", []) { try $0.text(0) }
  }

  package static func addTable(
    _ name: String,
    since revision: Revision,
    to connection: Connection
  ) throws(SQLiteError) {
    try connection.run(
      "INSERT OR IGNORE INTO entity_table (name, since) VALUES (?, ?)",
      [.text(name), .integer(revision.number)]
    )
  }
}
