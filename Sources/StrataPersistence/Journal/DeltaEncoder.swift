import StrataBase
import StrataNormalization
import StrataRecords
import StrataSQLite

/// Writes the change set of a delta, part by part, so that a commit of a million entities needs
/// memory for one part only.
struct DeltaEncoder {
  /// When a part is closed.
  static let partSize = 1 << 20

  private let journal: Journal
  private let revision: Revision
  private var builder = PartBuilder()
  /// The first part waits for the delta's row.
  private var first: [UInt8]?
  private(set) var hashes: [Checksum] = []
  private(set) var layouts: Set<Int64> = []
  private(set) var bytes = 0
  private(set) var entities = 0
  private(set) var refused: [NotPersisted] = []
  private var record: [UInt8] = []

  init(_ revision: Revision, in journal: Journal) {
    self.revision = revision
    self.journal = journal
  }

  /// Adds all changes of a table.
  ///
  /// An entity that cannot be encoded is marked and noted; it stops nothing.
  mutating func add(
    _ changes: some AnyTableChanges,
    _ encoder: inout EntityEncoder,
    _ catalog: inout LayoutCatalog
  ) throws {
    let table = changes.table.text
    for change in changes.changes {
      let id = try EncodedID.bytes(of: change.id.raw)
      switch change {
      case .remove: builder.remove(id, from: table)
      case .put(let entity):
        record.removeAll(keepingCapacity: true)
        do {
          let layout = try encoder.encode(
            entity,
            id: id,
            table: table,
            into: &record,
            &catalog,
            journal.connection
          )
          builder.put(id, in: table, layout: layout, record: record)
        } catch EncodingFailure.refused(let reason) {
          builder.markNotPersisted(id, in: table)
          refused.append(NotPersisted(table: table, id: "\(change.id)", reason: reason))
        } catch EncodingFailure.sqlite(let error) {
          throw error
        }
      }
      entities += 1
      if builder.size >= Self.partSize { try closePart() }
    }
  }

  private mutating func closePart() throws(SQLiteError) {
    layouts.formUnion(builder.layouts)
    let body = builder.finish()
    bytes += body.count
    hashes.append(Checksum(of: body))
    if first == nil {
      first = body
    } else {
      try journal.appendPart(hashes.count - 1, of: revision, body)
    }
  }

  /// Closes the last part and gives the first, which belongs into the delta's row.
  mutating func finish() throws(SQLiteError) -> [UInt8] {
    if !builder.isEmpty || first == nil { try closePart() }
    return first ?? []
  }
}

/// An entity whose change is in memory but not in the file, as its `encode(to:)` refused.
public struct NotPersisted: Sendable, Equatable, CustomStringConvertible {
  /// The table it is in; of a persisted value `value:` and its name.
  public let table: String
  /// Its ID, as text.
  public let id: String
  /// What its `encode(to:)` threw.
  public let reason: String

  /// `users 42: …`, or `value settings: …`.
  public var description: String {
    StoredValues.name(ofTable: table).map { "value \($0): \(reason)" }
      ?? "\(table) \(id): \(reason)"
  }
}
