package import Foundation
import StrataBase
package import StrataSQLite
import StrataSchema

/// The identity of a store's file: the one row of its `store` table, and its lineages.
///
/// All SQL on identity and origins is in this file.
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
  /// The term of the last leader of an archive that the file knows of.
  package var epoch: Int64
  package var created: Int64
  /// The application that the store belongs to; nil if no configuration has named one.
  package var application: String?
  /// The histories that the file has gone through, the first one first.
  package private(set) var lineages: [Lineage]

  package init(
    id: UUID,
    epoch: Int64,
    created: Int64,
    application: String? = nil,
    lineages: [Lineage]
  ) {
    self.id = id
    self.epoch = epoch
    self.created = created
    self.application = application
    self.lineages = lineages
  }

  /// The history that the file is in.
  package var lineage: Lineage.ID { lineages.last?.id ?? Lineage.ID(1) }

  /// Starts another history, with the commits up to a place of the one before.
  package mutating func branch(
    _ reason: Lineage.Reason,
    after end: HeadRecord.Mark,
    at time: Date
  ) {
    lineages.append(Lineage(reason, after: end, at: time))
  }

  /// The position of the file where it ends.
  package func position(at end: HeadRecord.Mark) -> Position {
    Position(storeID: id, lineage: lineage, revision: end.revision, chain: end.chain)
  }

  /// Takes the lineages of another file of the store.
  package mutating func adopt(_ other: StoreIdentity) { lineages = other.lineages }

  package static func read(_ connection: Connection) throws -> StoreIdentity {
    try read(connection, try Lineage.all(in: connection))
  }

  private static func read(
    _ connection: Connection,
    _ lineages: [Lineage]
  ) throws -> StoreIdentity {
    guard let row = try HashedTable.store.rows(on: connection, Self.columns).first else {
      throw CorruptionError("the file has no store ID")
    }
    let (id, epoch, algorithm, created, application) = row
    guard let id = UUID(byteArray: id) else {
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
      application: application,
      lineages: lineages
    )
  }

  /// The identity of a damaged file, as far as it can be read; nil if its ID cannot.
  ///
  /// The hashes of the contents cover the ID, so they show whether it is theirs. If the row does not have its
  /// hash, the epoch and the name of the application are not known.
  ///
  /// - Throws: only I/O errors.
  package static func readable(in connection: Connection) throws -> StoreIdentity? {
    let lineages = try Lineage.readable(in: connection)
    let identity = try CorruptionError.nilIfCorrupt { try read(connection, lineages) }
    if let identity { return identity }
    return try CorruptionError.nilIfCorrupt {
      guard case .blob(let bytes)? = try HashedTable.store.values(on: connection, .keep).first?[1],
        let id = UUID(byteArray: bytes)
      else { throw CorruptionError("the file has no valid store ID") }
      return StoreIdentity(
        id: id,
        epoch: 1,
        created: try StoredNumber.time(
          connection.first("SELECT min(time) FROM snapshot", []) { try $0.int(0) } ?? 0,
          "the time of a snapshot"
        ),
        lineages: lineages
      )
    }
  }

  private static func columns(
    _ row: borrowing Row
  ) throws -> (id: [UInt8], epoch: Int64, algorithm: Int64, created: Int64, application: String?) {
    (
      try row.blob(1), try row.int(2), try row.int(3), try row.int(4), try row.optionalText(5)
    )
  }

  /// Writes the rows into a file that has none.
  package func write(to connection: Connection) throws(SQLiteError) {
    try HashedTable.store.insert(values, on: connection)
    try Lineage.write(lineages, to: connection)
  }

  /// Replaces the rows of the file.
  package func replace(in connection: Connection) throws(SQLiteError) {
    try HashedTable.store.insert(values, on: connection, .replace)
    try Lineage.write(lineages, to: connection)
  }

  private var values: [Value] {
    [
      1, .blob(id.byteArray), .integer(epoch), .integer(Int64(Checksum.algorithm)),
      .integer(created), .text(orNull: application),
    ]
  }

  /// Refuses a store of another application than the one that the configuration names.
  package func check(application name: String?) throws(PersistenceError.Reason) {
    guard let name, let application, application != name else { return }
    throw .otherApplication(found: application, expected: name)
  }

  /// The number that the deltas of an opening have; nil if the opening is not recorded in this file.
  package static func origin(_ uuid: UUID, in connection: Connection) throws -> Int64? {
    try connection.first("SELECT id FROM origin WHERE uuid = ?", [.blob(uuid.byteArray)]) {
      try $0.int(0)
    }
  }

  /// Records that a writer opened the file, and returns the number of its deltas: that of no delta before, also where the
  /// row of an opening was lost.
  package static func addOrigin(_ uuid: UUID, at time: Int64, to connection: Connection) throws
    -> Int64
  {
    let last = try connection.all(
      """
      SELECT max(id) FROM origin UNION ALL
        SELECT origin FROM (SELECT origin FROM delta ORDER BY revision DESC LIMIT 1)
      """
    ) { try $0.optionalInt(0) ?? 0 }
    let origin = Origin(number: (last.max() ?? 0) &+ 1, id: uuid, opened: time)
    try insert(origin, into: connection)
    return origin.number
  }

  package static func insert(
    _ origin: Origin,
    into connection: Connection
  ) throws(SQLiteError) {
    try HashedTable.origin.insert(
      [.integer(origin.number), .blob(origin.id.byteArray), .integer(origin.opened)],
      on: connection
    )
  }

  /// The opening of that number; nil if the file does not have it.
  package static func origin(_ number: Int64, in connection: Connection) throws -> Origin? {
    try HashedTable.origin.rows("WHERE id = ?", [.integer(number)], on: connection, origin).first
  }

  private static func origin(_ row: borrowing Row) throws -> Origin {
    let (number, uuid) = (try row.int(0), try row.blob(1))
    guard let id = UUID(byteArray: uuid) else {
      throw CorruptionError("the UUID of origin \(number) has \(uuid.count) bytes, expected 16")
    }
    return Origin(
      number: number,
      id: id,
      opened: try StoredNumber.time(try row.int(2), "the time of origin \(number)")
    )
  }

  /// Adds an opening of another file of the store; throws if this file has a different one in its place.
  ///
  /// A different one that no delta names does not count: a process opened this file and committed nothing,
  /// while another one opened another file of the store.
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
    try insert(origin, into: connection)
  }

  /// Removes an opening unless a delta names it; returns whether it is gone.
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
}
