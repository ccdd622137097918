package import Foundation
package import StrataRecords
package import StrataSQLite

/// Encodes values as stored records, with one record writer per table, and writes new layouts to the file.
///
/// It is a value type, so that a group of deltas that cannot be written is undone by restoring a copy.
package struct EntityEncoder {
  /// The largest record, 32 MB: no block may outgrow what SQLite stores in a row.
  package static let recordLimit = 32 << 20

  /// The identity of the store the records belong to.
  package let store: UUID
  package private(set) var catalog: LayoutCatalog
  private var writers: [String: RecordWriter]
  /// The columns of each table that were dropped and have had no value since.
  private var dropped: [String: [DeclaredColumn]]
  private let connection: Connection

  /// Continues with the layout that each table used last.
  package init(
    _ catalog: LayoutCatalog,
    dropped: [DeclaredColumn] = [],
    of store: UUID,
    in connection: Connection
  ) {
    self.catalog = catalog
    self.dropped = Dictionary(grouping: dropped, by: \.table)
    self.store = store
    self.connection = connection
    writers = catalog.lastOfTable.mapValues { RecordWriter(resuming: $0) }
  }

  /// Appends the record of a value and returns the number of its layout.
  ///
  /// Throws when its `encode(to:)` throws or the record is too large; then `bytes` is unchanged.
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
    if !dropped.isEmpty { try note(bytes[start...], layout, table: table) }
    return try number(of: layout, table: table, for: .next)
  }

  /// Ends the dropped columns of a table that a record has a value in, in the caller's transaction.
  ///
  /// O(fields) where the table has such columns.
  package mutating func note(
    _ record: ArraySlice<UInt8>,
    _ layout: Layout,
    table: String
  ) throws(EncodingFailure) {
    guard var columns = dropped[table] else { return }
    var used: Set<String> = []
    do {
      try layout.forEachValue(in: record) { name in
        if columns.contains(where: { $0.name == name }) { used.insert(name) }
      }
    } catch {
      throw .refused("\(error)")
    }
    if used.isEmpty { return }
    do {
      for column in columns where used.contains(column.name) { try column.remove(from: connection) }
    } catch {
      throw .sqlite(error)
    }
    columns.removeAll { used.contains($0.name) }
    dropped[table] = columns.isEmpty ? nil : columns
  }

  /// The number of a table's layout; a new layout is written to the file.
  package mutating func number(
    of layout: Layout,
    table: String,
    for use: LayoutCatalog.Use = .kept
  ) throws(EncodingFailure) -> Int64 {
    do {
      return try catalog.number(of: layout, table: table, for: use, in: connection)
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
  /// Its `encode(to:)` threw, or its record is too large. Other entities are not affected.
  case refused(String)
  /// Its layout could not be written to the file.
  case sqlite(SQLiteError)
}
