import Foundation
import StrataNormalization
import StrataRecords
import StrataStorage

/// Decodes the stored entities of one table; the type of the entities is erased.
protocol TableDecoding: AnyObject {
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
  /// Discards everything decoded so far.
  func reset()
}

/// Collects the entities of one table that were put, and the IDs that were removed.
final class TableDecoder<Entity: EntityType>: TableDecoding {
  private let table: TableName
  private var records: EntityDecoder<Entity>
  private(set) var entities: [Entity] = []
  private var removed: [EntityID<Entity>] = []
  private var differing: [Entity] = []
  private var unknown: [EntityID<Entity>: UnknownFields] = [:]

  init(_ table: TableName, _ records: EntityDecoder<Entity>) {
    self.table = table
    self.records = records
  }

  func put(
    _ record: ArraySlice<UInt8>,
    of id: ArraySlice<UInt8>,
    _ layout: Int64,
    _ catalog: LayoutCatalog
  ) throws {
    let entity = try records.entity(record, of: id, layout, catalog)
    entities.append(entity)
    if let fields = records.unknown { unknown[entity.id] = fields }
    if !records.matchesPolicy { differing.append(entity) }
  }

  func remove(_ id: ArraySlice<UInt8>) throws {
    removed.append(EntityID(try EncodedID.decode(Entity.RawID.self, from: Array(id))))
  }

  var changes: (any AnyTableChanges)? {
    let changes = entities.map { .put($0) } + removed.map { EntityChange<Entity>.remove($0) }
    return changes.isEmpty ? nil : TableChanges(table: table, changes: changes)
  }

  var rewrites: (any AnyTableChanges)? {
    differing.isEmpty ? nil : TableChanges(table: table, changes: differing.map { .put($0) })
  }

  func addUnknownFields(to carried: inout CarriedFields) { carried.add(unknown, of: table) }

  func reset() {
    entities = []
    removed = []
    differing = []
    unknown = [:]
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

  /// Replaces the table by the decoded entities.
  func assign(_ decoder: any TableDecoding, to database: inout Database) {
    guard let decoder = decoder as? TableDecoder<Entity> else { return }
    database[keyPath: path] = makeTable(decoder.entities)
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
