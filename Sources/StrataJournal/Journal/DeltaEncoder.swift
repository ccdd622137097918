package import StrataBase
import StrataRecords
package import StrataSQLite

/// Writes the changes of a delta block by block, so that a commit of a million entities needs memory for
/// only one block.
package struct DeltaEncoder {
  /// The size at which a block is finished: 1 MB.
  static let blockSize = 1 << 20

  private let journal: Journal
  private let revision: Revision
  private var builder = ChangeBlockBuilder()
  /// The first block, which is stored in the delta's row; the others are written at once.
  private var first: [UInt8]?
  package private(set) var hashes: [Checksum] = []
  package private(set) var layouts: Set<Int64> = []
  package private(set) var bytes = 0
  package private(set) var entities = 0
  package private(set) var refused: [NotPersisted] = []
  private var record: [UInt8] = []

  package init(_ revision: Revision, in journal: Journal) {
    self.revision = revision
    self.journal = journal
  }

  /// Adds a removal.
  package mutating func remove(_ id: [UInt8], from table: String) throws {
    builder.remove(id, from: table)
    try entityAdded()
  }

  /// Adds an entity as it is stored, and the key that it had before.
  package mutating func put(_ entity: StoredEntity, former: EntityKey? = nil) throws {
    builder.put(
      entity.id,
      in: entity.table,
      layout: entity.layout,
      record: entity.record,
      former: former
    )
    try entityAdded()
  }

  /// Adds the record of an entity, which `encode` appends to the bytes it receives.
  ///
  /// An entity that cannot be encoded is marked in the block and added to `refused`; the others are
  /// written.
  ///
  /// - Parameter text: the ID as text, for `refused`.
  package mutating func put(
    _ id: [UInt8],
    in table: String,
    _ encoder: inout EntityEncoder,
    idText text: @autoclosure () -> String,
    _ encode: (inout EntityEncoder, inout [UInt8]) throws(EncodingFailure) -> Int64
  ) throws {
    record.removeAll(keepingCapacity: true)
    do {
      let layout = try encode(&encoder, &record)
      builder.put(id, in: table, layout: layout, record: record)
    } catch {
      switch error {
      case .refused(let reason):
        builder.markNotPersisted(id, in: table)
        refused.append(NotPersisted(table: table, id: text(), reason: reason))
      case .sqlite(let error): throw error
      }
    }
    try entityAdded()
  }

  private mutating func entityAdded() throws {
    entities += 1
    if builder.size >= Self.blockSize { try finishBlock() }
  }

  private mutating func finishBlock() throws(SQLiteError) {
    layouts.formUnion(builder.layouts)
    let body = builder.finish()
    bytes += body.count
    hashes.append(Checksum(of: body))
    if first == nil {
      first = body
    } else {
      try journal.appendBlock(hashes.count - 1, of: revision, body)
    }
  }

  /// Finishes the last block and returns the first one, which belongs in the delta's row.
  package mutating func finish() throws(SQLiteError) -> [UInt8] {
    if !builder.isEmpty || first == nil { try finishBlock() }
    return first ?? []
  }
}
