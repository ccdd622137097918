package import Foundation
package import StrataRecords
package import StrataSQLite

/// Turns values into stored records: one record writer per table, and new layouts into the file.
///
/// A value type: a group of deltas that cannot be written is undone by putting back an earlier copy.
package struct EntityEncoder {
  /// A larger record is refused, so that no block outgrows what SQLite stores in a row: 32 MB.
  package static let recordLimit = 32 << 20

  /// The identity of the store the records belong to.
  package let store: UUID
  private(set) var catalog: LayoutCatalog
  private var writers: [String: RecordWriter]
  private let connection: Connection

  /// Continues with the layouts that the tables used last.
  init(_ catalog: LayoutCatalog, of store: UUID, in connection: Connection) {
    self.catalog = catalog
    self.store = store
    self.connection = connection
    writers = catalog.lastOfTable.mapValues { RecordWriter(resuming: $0) }
  }

  /// Appends the record of a value and returns the number of its layout.
  ///
  /// Throws what its `encode(to:)` throws; then `bytes` is as it was.
  package mutating func encode(
    _ value: some Encodable,
    table: String,
    into bytes: inout [UInt8]
  ) throws(EncodingFailure) -> Int64 {
    let start = bytes.count
    let layout: Layout
    do {
      layout = try writers[table, default: RecordWriter(resuming: nil)].encode(value, into: &bytes)
    } catch {
      throw .refused("\(error)")
    }
    do {
      try Self.checkSize(bytes.count - start)
    } catch {
      bytes.removeLast(bytes.count - start)
      throw error
    }
    return try number(of: layout, table: table)
  }

  /// The number of a table's layout; one that is new is written to the file.
  package mutating func number(
    of layout: Layout,
    table: String
  ) throws(EncodingFailure) -> Int64 {
    do {
      return try catalog.number(of: layout, table: table, in: connection)
    } catch {
      throw .sqlite(error)
    }
  }

  /// Refuses a record that is too large.
  package static func checkSize(_ size: Int) throws(EncodingFailure) {
    guard size > recordLimit else { return }
    throw .refused("its record is larger than \(recordLimit >> 20) MB")
  }
}

/// Why an entity has no record.
package enum EncodingFailure: Error {
  /// Its own `encode(to:)` threw, or it is too large: a matter of this entity alone.
  case refused(String)
  /// The file could not take its layout.
  case sqlite(SQLiteError)
}
