import Foundation
import StrataBase
import StrataJournal

/// Recomputes the hashes of a store as the page "On-Disk Format" describes them, with no code of the store
/// but the hash function and the reading of change blocks.
extension RawDatabase {
  /// The position that a head has to state.
  struct End {
    var storeID = UUID()
    var lineage: Int64 = 0
    var revision: Int64 = 0
    var chain = Checksum(of: [])
  }

  /// Makes every hash and chain fit the rows as they are, apart from `kept` ("table.column"), and returns
  /// the end of the journal.
  @discardableResult
  func recomputeHashes(keeping kept: Set<String> = []) throws -> End {
    let layouts = try recomputeLayouts(keeping: kept)
    let store = try rows("SELECT id FROM store").first ?? [.null]
    let lineages = try rows("SELECT id FROM lineage ORDER BY number").map(\.[0].integer)
    let first = withUnsafeBytes(of: (lineages.first ?? 0).bigEndian) { Array($0) }
    var end = End(
      storeID: UUID(bytes: store[0].bytes),
      lineage: lineages.last ?? 0,
      chain: Checksum(of: Array("strata".utf8) + store[0].bytes + first)
    )
    try recomputeDeltas(&end, store: store[0].bytes, layouts, keeping: kept)
    try recomputeSnapshots(store: store[0].bytes, layouts, keeping: kept)
    try recomputeRows(keeping: kept)
    return end
  }

  /// The tables whose rows have a hash of their own.
  private static let tablesWithHashes = [
    "store", "lineage", "origin", "entity_table", "declared_column", "snapshot_name", "leadership",
    "erasure", "migration",
  ]

  private func recomputeRows(keeping kept: Set<String>) throws {
    for table in Self.tablesWithHashes where !kept.contains("\(table).hash") {
      let columns = try rows("PRAGMA table_info(\(table))").map {
        (name: String(decoding: $0[1].bytes, as: UTF8.self), isKey: $0[5].integer > 0)
      }
      let keys = columns.indices.filter { columns[$0].isKey }
      let condition = keys.map { "\(columns[$0].name) IS ?" }.joined(separator: " AND ")
      for row in try rows("SELECT * FROM \(table)") {
        var hash = ChecksumBuilder()
        hash.append(table)
        for value in row.dropLast() {
          switch value {
          case .null: hash.append(UInt64(0))
          case .integer(let number):
            hash.append(UInt64(1))
            hash.append(number)
          case .real(let number):
            hash.append(UInt64(4))
            hash.append(number.bitPattern)
          case .text(let text):
            hash.append(UInt64(2))
            hash.append(text)
          case .blob(let bytes):
            hash.append(UInt64(3))
            hash.append(bytes)
          }
        }
        try rows(
          "UPDATE \(table) SET hash = ? WHERE \(condition)",
          [.blob(hash.finalize().bytes)] + keys.map { row[$0] }
        )
      }
    }
  }

  private func recomputeLayouts(keeping kept: Set<String>) throws -> [Int64: Checksum] {
    var hashes: [Int64: Checksum] = [:]
    for row in try rows("SELECT id, body FROM layout") {
      let hash = Checksum(of: row[1].bytes)
      hashes[row[0].integer] = hash
      guard !kept.contains("layout.hash") else { continue }
      try rows("UPDATE OR IGNORE layout SET hash = ? WHERE id = ?", [.blob(hash.bytes), row[0]])
    }
    return hashes
  }

  private func recomputeDeltas(
    _ end: inout End,
    store: [UInt8],
    _ layouts: [Int64: Checksum],
    keeping kept: Set<String>
  ) throws {
    let columns = """
      revision, first, lineage, time, origin, trace, name, place, entities, parts, bytes, body, context
      """
    let snapshots = try rows("SELECT revision, chain FROM snapshot")
    for row in try rows("SELECT \(columns) FROM delta ORDER BY revision") {
      // Trimmed history continues from the chain of a snapshot.
      let before = row[1].integer &- 1
      if end.revision != before, let snapshot = snapshots.first(where: { $0[0].integer == before }),
        let chain = Checksum(bytes: snapshot[1].bytes)
      {
        end.chain = chain
      }
      let others = try rows(
        "SELECT body FROM delta_part WHERE revision = ? ORDER BY part",
        [row[0]]
      )
      let parts = [row[11].bytes] + others.map(\.[0].bytes)
      var hash = ChecksumBuilder()
      hash.append(end.chain)
      store.withUnsafeBytes { hash.append($0) }
      for number in row[0...4] { hash.append(number.integer) }
      hash.append(UInt64(row[5] == .null ? 0 : 1))
      hash.append(row[5].bytes)
      for text in row[6...7] { hash.append(text.bytes) }
      for number in row[8...10] { hash.append(number.integer) }
      for part in parts { hash.append(Checksum(of: part)) }
      appendLayouts(of: parts, layouts, to: &hash)
      if row[12] != .null {
        hash.append(UInt64(1))
        hash.append(row[12].bytes)
      }
      end.chain = hash.finalize()
      end.revision = row[0].integer
      guard !kept.contains("delta.hash") else { continue }
      try rows("UPDATE delta SET hash = ? WHERE revision = ?", [.blob(end.chain.bytes), row[0]])
      guard !kept.contains("snapshot.chain") else { continue }
      try rows(
        "UPDATE snapshot SET chain = ? WHERE revision = ?",
        [.blob(end.chain.bytes), row[0]]
      )
    }
  }

  private func recomputeSnapshots(
    store: [UInt8],
    _ layouts: [Int64: Checksum],
    keeping kept: Set<String>
  ) throws {
    for row in try rows("SELECT id, body FROM chunk") where !kept.contains("chunk.hash") {
      var hash = ChecksumBuilder()
      hash.append(Checksum(of: row[1].bytes))
      appendLayouts(of: [row[1].bytes], layouts, to: &hash)
      try rows(
        "UPDATE chunk SET hash = ? WHERE id = ?",
        [.blob(hash.finalize().bytes), row[0]]
      )
    }
    let columns = "revision, lineage, time, chain, chunks, entities, bytes"
    for row in try rows("SELECT \(columns) FROM snapshot") where !kept.contains("snapshot.hash") {
      var hash = ChecksumBuilder()
      store.withUnsafeBytes { hash.append($0) }
      for number in row[0...2] { hash.append(number.integer) }
      if let chain = Checksum(bytes: row[3].bytes) { hash.append(chain) }
      for number in row[4...6] { hash.append(number.integer) }
      let chunks = """
        SELECT entity_table, first, count, bytes, hash FROM listing
          LEFT JOIN chunk ON chunk.id = listing.chunk
          WHERE revision = ? ORDER BY entity_table, first
        """
      for chunk in try rows(chunks, [row[0]]) {
        for bytes in chunk[0...1] { hash.append(bytes.bytes) }
        for number in chunk[2...3] { hash.append(number.integer) }
        if let chunk = Checksum(bytes: chunk[4].bytes) { hash.append(chunk) }
      }
      try rows(
        "UPDATE snapshot SET hash = ? WHERE revision = ?",
        [.blob(hash.finalize().bytes), row[0]]
      )
    }
  }

  /// The number and the hash of each layout that the records of some blocks use.
  private func appendLayouts(
    of blocks: [[UInt8]],
    _ layouts: [Int64: Checksum],
    to hash: inout ChecksumBuilder
  ) {
    var numbers: Set<Int64> = []
    for block in blocks { numbers.formUnion((try? ChangeBlock(block))?.layouts ?? []) }
    for number in numbers.sorted() {
      guard let layout = layouts[number] else { continue }
      hash.append(number)
      hash.append(layout)
    }
  }
}

extension UUID {
  /// The UUID with these bytes; zeros stand for those that are missing.
  fileprivate init(bytes: [UInt8]) {
    var uuid = UUID(uuidString: "00000000-0000-0000-0000-000000000000")?.uuid ?? UUID().uuid
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes.prefix($0.count)) }
    self.init(uuid: uuid)
  }
}
