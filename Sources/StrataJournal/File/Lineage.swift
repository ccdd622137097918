package import Foundation
import StrataBase
package import StrataSQLite
import StrataSchema

/// One unbroken history of a store: a row of the table `lineage`.
///
/// A file has a list of them. The last one is that of its next delta, and the parent of each is the one before it.
/// Erasing, restoring, forking and salvaging start another one: the lists of two files say which of them has the place of
/// the other.
///
/// ```
/// 1  5e2f04c1a98d37  created
/// 2  0b77d3915fe2a4  restored after revision 12
/// ```
package struct Lineage: Hashable, Sendable {
  /// Names a lineage: a number of 53 bits, drawn at random.
  package struct ID: Hashable, Sendable, Codable, CustomStringConvertible {
    package let number: Int64

    package init(_ number: Int64) { self.number = number }

    /// Another one than all before.
    package static func new() -> ID {
      let bytes = Scheduling.uuid().byteArray
      let number = (bytes[0..<4] + bytes[12..<16]).reduce(Int64(0)) {
        ($0 << 8 | Int64($1)) & (StoredNumber.last - 1)
      }
      return ID(max(number, 1))
    }

    /// Reads its digits.
    package init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      guard let number = Int64(try container.decode(String.self), radix: 16) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "no lineage")
      }
      self.number = number
    }

    /// Writes its digits.
    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(description)
    }

    /// 14 hexadecimal digits.
    package var description: String {
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: max(0, 14 - digits.count)) + digits
    }
  }

  /// Why a lineage began.
  package enum Reason: String, Sendable, Codable, CaseIterable {
    /// The store was created.
    case created
    /// Entities were erased from the history of its parent.
    case erased
    /// A backup was restored, or an archive was pulled up to an earlier point.
    case restored
    /// The history of its parent was cut at a point.
    case forked
    /// The last commits of a store were copied for a report, with a part of the entities.
    case bundled
    /// What could be read of a damaged file was copied.
    case salvaged
  }

  /// Names it.
  package let id: ID
  /// Why it began.
  package let reason: Reason
  /// When it began.
  package let time: Date
  /// The end of what it has of its parent, as the parent has it; nil for the first one.
  ///
  /// After an erasure the commits up to there have other chains.
  package let parent: HeadRecord.Mark?

  /// The last revision whose commit it has from its parent; nil for the first one.
  package var branch: Revision? { parent?.revision }

  package init(_ reason: Reason, after parent: HeadRecord.Mark?, at time: Date, id: ID = .new()) {
    // As it is stored.
    (self.id, self.reason, self.parent) = (id, reason, parent)
    self.time = Date(microseconds: time.microseconds)
  }
}

extension Lineage {
  /// The lineages of a file, the first one first; O(lineages).
  package static func all(in connection: Connection) throws -> [Lineage] {
    let rows = try HashedTable.lineage.rows("ORDER BY number", on: connection) { row in
      (number: try row.int(0), lineage: try Lineage(row))
    }
    for (index, row) in rows.enumerated() where row.number != Int64(index) + 1 {
      throw CorruptionError("lineage \(index + 1) is missing")
    }
    if rows.isEmpty { throw CorruptionError("the file has no lineage") }
    return rows.map(\.lineage)
  }

  /// Those of a damaged file whose rows can be read.
  ///
  /// - Throws: only I/O errors.
  package static func readable(in connection: Connection) throws -> [Lineage] {
    var lineages: [Lineage] = []
    _ = try CorruptionError.nilIfCorrupt {
      try connection.forEach(HashedTable.lineage.select("ORDER BY number")) { row in
        let lineage = try CorruptionError.nilIfCorrupt {
          try HashedTable.lineage.check(row)
          return try Lineage(row)
        }
        if let lineage { lineages.append(lineage) }
        return .continue
      }
    }
    return lineages
  }

  private init(_ row: borrowing Row) throws {
    let name = try row.text(2)
    guard let reason = Reason(rawValue: name) else {
      throw CorruptionError("a lineage has the unknown reason \(name.shortened(to: 40))")
    }
    var parent: HeadRecord.Mark?
    if try row.optionalInt(3) != nil {
      parent = HeadRecord.Mark(
        revision: try row.revision(3, "the branch of a lineage"),
        chain: try row.checksum(4, "the chain of the parent of a lineage")
      )
    }
    self.init(
      reason,
      after: parent,
      at: Date(microseconds: try StoredNumber.time(try row.int(5), "the time of a lineage")),
      id: ID(try StoredNumber.lineage(try row.int(1), "a lineage"))
    )
  }

  /// Writes the list of a file in place of the one that it has, in the caller's transaction.
  static func write(_ lineages: [Lineage], to connection: Connection) throws(SQLiteError) {
    try connection.run("DELETE FROM lineage", [])
    for (index, lineage) in lineages.enumerated() {
      try HashedTable.lineage.insert(
        [
          .integer(Int64(index) + 1), .integer(lineage.id.number), .text(lineage.reason.rawValue),
          .integer(orNull: lineage.parent?.revision.number),
          .blob(orNull: lineage.parent?.chain.bytes), .integer(lineage.time.microseconds),
        ],
        on: connection
      )
    }
  }
}

extension [Lineage] {
  /// How one list of lineages of a store relates to another.
  package enum Relation: Sendable, Equatable {
    /// Both end with the same lineage.
    case same
    /// The last of this list is a former one of the other, whose next lineage is given: the other has its commits up to
    /// a revision.
    case ancestor(of: Lineage, through: Revision)
    /// The last of the other list is a former one of this, whose next lineage is given: this one has its commits up to a
    /// revision.
    case descendant(Lineage, through: Revision)
    /// Each has a lineage that the other lacks.
    case apart
  }

  /// Compares it with another list; O(lineages).
  package func relation(to other: [Lineage]) -> Relation {
    let common = zip(self, other).prefix { $0.id == $1.id }.count
    let (mine, theirs) = (self[common...], other[common...])
    let end = (mine + theirs).compactMap(\.branch).min()
    switch (mine.first, theirs.first) {
    case (nil, nil): return .same
    case (nil, let next?) where common > 0: return .ancestor(of: next, through: end ?? 0)
    case (let next?, nil) where common > 0: return .descendant(next, through: end ?? 0)
    default: return .apart
    }
  }
}
