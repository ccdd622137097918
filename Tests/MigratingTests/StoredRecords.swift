import StrataJournal
import StrataRecords
import StrataSQLite

/// The records of a store as stored.
struct StoredRecords {
  let view: ReadView
  private let connection: Connection

  init(_ path: String) throws {
    connection = try Connection(path: path, mode: .readOnly)
    view = try ReadView(connection)
  }

  /// The bytes of the records of a table, by their encoded IDs.
  func records(of table: String) throws -> [[UInt8]: [UInt8]] {
    var scan = try view.state(at: view.last.revision).scan(table)
    var records: [[UInt8]: [UInt8]] = [:]
    while let entity = try scan.next() { records[Array(entity.id)] = Array(entity.record) }
    return records
  }

  /// What the newest layout of a table says of references.
  func references(of table: String) throws -> [String] {
    view.catalog.lastLayout(of: table)?.references.map(\.description) ?? []
  }
}
