import StrataBase
import StrataRecords
package import StrataSQLite
package import StrataSchema

/// Which run of migrations has written a delta: its column `trace` says it, with a byte for the case and a number as a
/// varint.
///
/// The ledger says what ran. The traces say it once more: a migration whose row a disk has lost would run again on what it has
/// made. The name of a delta decides nothing, because a program may give its commits any name.
package enum MigrationTrace: Equatable, Sendable {
  /// A migration ran.
  case up(Int)
  /// A migration was taken back.
  case down(Int)
  /// The data was reset to its contents at a revision.
  case revert(to: Revision)

  /// The bytes in its delta.
  package var bytes: [UInt8] {
    let (code, number): (UInt8, Int64) =
      switch self {
      case .up(let number): (1, Int64(number))
      case .down(let number): (2, Int64(number))
      case .revert(let revision): (3, revision.number)
      }
    var bytes = [code]
    bytes.appendVarint(UInt64(bitPattern: number))
    return bytes
  }

  /// The trace of bytes in a delta; nil if they are others.
  package init?(bytes: [UInt8]) {
    do throws(RecordError) {
      let (code, number) = try bytes[...].withCursor { cursor throws(RecordError) in
        let code = try cursor.byte()
        let number = Int64(bitPattern: try cursor.varint())
        return (cursor.remaining == 0 ? code : 0, number)
      }
      switch code {
      case 1: self = .up(Int(number))
      case 2: self = .down(Int(number))
      case 3: self = .revert(to: Revision(number))
      default: return nil
      }
    } catch {
      return nil
    }
  }

  private static let migration = "migration "

  /// The name of its delta, as `strata log` shows it.
  package func name(of migration: String = "") -> String {
    switch self {
    case .up: "\(Self.migration)\(migration)"
    case .down: "\(Self.migration)\(migration) taken back"
    case .revert(let revision): "revert without types to \(revision)"
    }
  }

  /// A migration that a delta says ran.
  package struct Run: Equatable, Sendable {
    package let name: String
    package let revision: Revision
  }

  /// The migrations that a file has been through by a revision and that a ledger has no row of, by their numbers: a disk has
  /// lost the rows.
  ///
  /// O(deltas, without their contents). What trimmed deltas said is not known.
  package static func unlisted(
    in ledger: [DataLedger.Entry],
    through last: Revision = Revision(StoredNumber.last),
    of connection: Connection
  ) throws -> [Int: Run] {
    let journal = Journal(connection: connection)
    var states: [(revision: Revision, ran: [Int: Run])] = []
    var ran: [Int: Run] = [:]
    var start: Revision = 0
    while true {
      let headers = try journal.migrationHeaders(after: start, through: last, limit: 1_000)
      guard let end = headers.last else { break }
      for (delta, _) in headers {
        switch delta.trace.flatMap({ MigrationTrace(bytes: $0) }) {
        case .up(let number):
          let name = delta.name.trimmingPrefix(migration)
          ran[number] = Run(name: String(name), revision: delta.revision)
        case .down(let number): ran[number] = nil
        case .revert(let revision): ran = states.last { $0.revision <= revision }?.ran ?? [:]
        case nil: break
        }
        states.append((delta.revision, ran))
      }
      start = end.header.revision
    }
    return ran.filter { number, _ in !ledger.contains { $0.numbers.contains(number) } }
  }

  /// Checks that the ledger of a file has a row of each migration that the file has been through.
  ///
  /// It costs as ``unlisted(in:through:of:)`` does, and throws `CorruptionError` where a row is missing.
  package static func checkListed(_ ledger: [DataLedger.Entry], in connection: Connection) throws {
    let unlisted = try unlisted(in: ledger, of: connection)
    guard let (number, run) = unlisted.min(by: { $0.key < $1.key }) else { return }
    throw CorruptionError(
      "migration \(number) ran at revision \(run.revision), and the list of migrations lacks it"
    )
  }
}
