import Foundation
import StrataJournal
import StrataNormalization
import StrataRecords

/// Decodes the stored entities of one table; the type of the entities is erased.
///
/// One thread at a time. What several decoders of a table have decoded is joined by ``add(_:)``.
protocol TableDecoding: AnyObject {
  /// Makes room for entities.
  func reserve(_ count: Int)
  func put(
    _ record: ArraySlice<UInt8>,
    of id: ArraySlice<UInt8>,
    _ layout: Int64,
    _ catalog: LayoutCatalog
  ) throws
  func remove(_ id: ArraySlice<UInt8>) throws
  /// Everything decoded so far; nil if there is nothing.
  var changes: (any AnyTableChanges)? { get }
  /// Puts of the entities that are not stored as the options of the table require; nil if there are
  /// none.
  var rewrites: (any AnyTableChanges)? { get }
  /// Adds the fields of the decoded entities that this build does not know.
  func addUnknownFields(to carried: inout CarriedFields)
  /// What looks like renamed fields.
  var possibleRenames: Set<PossibleRename> { get }
  /// The fields whose types refer to other entities.
  var references: Set<Layout.Field> { get }
  /// Returns everything decoded so far, for ``add(_:)``, and starts again with nothing.
  func take() -> Any
  /// Adds what another decoder of the table has decoded.
  func add(_ decoded: Any)
}

/// The entities of one table that were put, and the IDs that were removed.
private struct DecodedEntities<Entity: EntityType> {
  var buffers: [EntityBuffer<Entity>] = []
  var removed: [EntityID<Entity>] = []
  var differing: [Entity] = []
  var unknown: [EntityID<Entity>: UnknownFields] = [:]
  var possibleRenames: Set<PossibleRename> = []
  var references: Set<Layout.Field> = []
}

/// Decodes the stored entities of one table.
final class TableDecoder<Entity: EntityType>: TableDecoding {
  private let table: TableName
  private var records: EntityDecoder<Entity>
  private var decoded = DecodedEntities<Entity>()
  /// The last buffer, which entities are added to.
  private var buffer: EntityBuffer<Entity>?

  init(_ table: TableName, _ records: EntityDecoder<Entity>) {
    self.table = table
    self.records = records
  }

  func reserve(_ count: Int) {
    let buffer = EntityBuffer<Entity>(capacity: count)
    decoded.buffers.append(buffer)
    self.buffer = buffer
  }

  func put(
    _ record: ArraySlice<UInt8>,
    of id: ArraySlice<UInt8>,
    _ layout: Int64,
    _ catalog: LayoutCatalog
  ) throws {
    if buffer == nil { reserve(1) }
    guard let buffer else { return }
    try buffer.append { try records.decode(record, of: id, layout, catalog, to: $0) }
    if let fields = records.unknown { decoded.unknown[buffer[buffer.count - 1].id] = fields }
    if !records.matchesPolicy { decoded.differing.append(buffer[buffer.count - 1]) }
  }

  func remove(_ id: ArraySlice<UInt8>) throws {
    decoded.removed.append(EntityID(try EncodedID.decode(Entity.RawID.self, from: Array(id))))
  }

  var changes: (any AnyTableChanges)? {
    var changes: [EntityChange<Entity>] = []
    for buffer in decoded.buffers {
      for index in 0..<buffer.count { changes.append(.put(buffer[index])) }
    }
    changes += decoded.removed.map { .remove($0) }
    return changes.isEmpty ? nil : TableChanges(table: table, changes: changes)
  }

  var rewrites: (any AnyTableChanges)? {
    let differing = decoded.differing
    return differing.isEmpty
      ? nil : TableChanges(table: table, changes: differing.map { .put($0) })
  }

  func addUnknownFields(to carried: inout CarriedFields) { carried.add(decoded.unknown, of: table) }

  var possibleRenames: Set<PossibleRename> { decoded.possibleRenames }

  var references: Set<Layout.Field> { decoded.references }

  func take() -> Any {
    decoded.possibleRenames.formUnion(records.possibleRenames)
    decoded.references.formUnion(records.references)
    defer {
      decoded = DecodedEntities()
      buffer = nil
    }
    return decoded
  }

  func add(_ decoded: Any) {
    guard let decoded = decoded as? DecodedEntities<Entity> else {
      preconditionFailure("TableDecoder.add(_:) takes what a decoder of the same table decoded.")
    }
    self.decoded.buffers += decoded.buffers
    self.decoded.removed += decoded.removed
    self.decoded.differing += decoded.differing
    self.decoded.unknown.merge(decoded.unknown) { _, later in later }
    self.decoded.possibleRenames.formUnion(decoded.possibleRenames)
    self.decoded.references.formUnion(decoded.references)
    buffer = nil
  }

  /// The entities, which are moved out of the decoder.
  func takeEntities() -> [EntityBuffer<Entity>] {
    defer {
      decoded.buffers = []
      buffer = nil
    }
    return decoded.buffers
  }
}

extension SchemaTable {
  /// A decoder for the table's entities.
  func makeDecoder(
    of store: UUID,
    _ policy: StoragePolicy,
    _ unknownFields: UnknownFieldsPolicy
  ) throws -> any TableDecoding {
    TableDecoder<Entity>(name, try EntityDecoder(of: name.text, in: store, policy, unknownFields))
  }

  /// Replaces the table by the decoded entities, which are moved out of the decoder.
  func assign(_ decoder: any TableDecoding, to database: inout Database) {
    guard let decoder = decoder as? TableDecoder<Entity> else { return }
    database[keyPath: path] = makeTable(moving: decoder.takeEntities())
  }
}

extension AnyTableChanges {
  /// A decoder for a persisted value; fields that its record lacks are taken from the value put
  /// here.
  func makeDecoder(
    of store: UUID,
    _ policy: StoragePolicy,
    _ unknownFields: UnknownFieldsPolicy
  ) -> any TableDecoding {
    var initial: Entity?
    for case .put(let value) in changes { initial = value }
    return TableDecoder<Entity>(
      table,
      EntityDecoder(of: table.text, in: store, policy, unknownFields, over: initial)
    )
  }
}
