import Foundation
import StrataJournal
import StrataNormalization
import StrataRecords

/// Decodes the stored records of one table as entities of one type.
struct EntityDecoder<Entity: EntityType> {
  private let table: String
  private let store: UUID
  private let transform: TableTransform<Entity>?
  private let hasTransform: Bool
  private let defaults: (bytes: [UInt8], layout: Layout)?
  private var sealedLayout: Int64?
  /// Whether the last record is stored as the options of the table require.
  private(set) var matchesPolicy = true
  /// The fields of the last record that this build does not know; collected on request.
  private(set) var unknown: UnknownFields?
  private let unknownFields: UnknownFieldsPolicy
  /// What looks like renamed fields in the records so far; noted when unknown fields are collected.
  private(set) var possibleRenames: Set<PossibleRename> = []
  /// What fields of a layout may be called now, by their names.
  private var candidates: [Int64: [String: [PossibleRename]]] = [:]
  /// The reader of the last record: records of one layout mostly come one after another.
  private var last: (layout: Int64, reader: RecordReader)?
  private var readers: [Int64: RecordReader] = [:]

  /// The fields of the records so far whose types refer to other entities; noted when unknown fields are collected.
  var references: Set<Layout.Field> { Set(readers.values.flatMap(\.references)) }

  /// - Parameter store: the identity of the store that holds the records.
  init(
    of table: String,
    in store: UUID,
    _ policy: StoragePolicy,
    _ unknownFields: UnknownFieldsPolicy = .ignored
  ) throws {
    let type = Entity.self as? any DefaultingEntityType.Type
    let defaults = try type.map { try Self.record(of: $0) }
    self.init(of: table, in: store, policy, unknownFields, defaults: defaults)
  }

  /// Takes fields that records lack from an entity.
  init(
    of table: String,
    in store: UUID,
    _ policy: StoragePolicy,
    _ unknownFields: UnknownFieldsPolicy,
    over initial: Entity?
  ) {
    var defaults: (bytes: [UInt8], layout: Layout)?
    // One that cannot be encoded is refused where it is stored. Reading other records does not need
    // it.
    do { defaults = try initial.map { try Self.record(of: $0) } } catch _ {}
    self.init(of: table, in: store, policy, unknownFields, defaults: defaults)
  }

  private init(
    of table: String,
    in store: UUID,
    _ policy: StoragePolicy,
    _ unknownFields: UnknownFieldsPolicy,
    defaults: (bytes: [UInt8], layout: Layout)?
  ) {
    self.table = table
    self.store = store
    self.defaults = defaults
    self.unknownFields = unknownFields
    transform = policy.transform(of: table)
    hasTransform = transform != nil
  }

  private static func record<Defaulting: DefaultingEntityType>(
    of type: Defaulting.Type
  ) throws -> (bytes: [UInt8], layout: Layout) { try record(of: type.defaults) }

  private static func record(
    of entity: some Encodable
  ) throws -> (bytes: [UInt8], layout: Layout) {
    var writer = RecordWriter()
    var bytes: [UInt8] = []
    let layout = try writer.encode(entity, into: &bytes)
    return (bytes, layout)
  }

  /// The entity of a record; throws if the record does not fit the type or cannot be opened.
  ///
  /// - Parameter id: the encoded ID of the entity.
  mutating func entity(
    _ record: ArraySlice<UInt8>,
    of id: ArraySlice<UInt8>,
    _ layout: Int64,
    _ catalog: LayoutCatalog
  ) throws -> Entity {
    let memory = UnsafeMutablePointer<Entity>.allocate(capacity: 1)
    defer { memory.deallocate() }
    try decode(record, of: id, layout, catalog, to: memory)
    return memory.move()
  }

  /// Initializes memory with the entity of a record; when this throws, it stays uninitialized.
  mutating func decode(
    _ record: ArraySlice<UInt8>,
    of id: ArraySlice<UInt8>,
    _ layout: Int64,
    _ catalog: LayoutCatalog,
    to memory: UnsafeMutablePointer<Entity>
  ) throws {
    let isSealed = try isSealed(layout, catalog)
    if !isSealed, !hasTransform {
      return try read(record, of: id, layout, catalog, to: memory)
    }
    if isSealed {
      let (inner, contents) = try open(record, of: id)
      try read(contents, of: id, inner, catalog, to: memory)
    } else {
      try read(record, of: id, layout, catalog, to: memory)
    }
    guard let transform else { return }
    do {
      let redacted = try transform.redacted(memory.pointee)
      matchesPolicy =
        isSealed == (transform.seal?.forWriting != nil)
        && (transform.redactions.isEmpty || StoredComparison.areSame(redacted, memory.pointee))
      memory.pointee = redacted
    } catch {
      memory.deinitialize(count: 1)
      throw error
    }
  }

  private mutating func read(
    _ record: ArraySlice<UInt8>,
    of id: ArraySlice<UInt8>,
    _ layout: Int64,
    _ catalog: LayoutCatalog,
    to memory: UnsafeMutablePointer<Entity>
  ) throws {
    let reader = try reader(of: layout, catalog)
    switch unknownFields {
    case .ignored: try reader.decode(Entity.self, from: record, to: memory)
    case .collected:
      try reader.decode(Entity.self, from: record, unknown: &unknown, to: memory)
      if let unknown, let defaults {
        do {
          try note(unknown, in: layout, catalog, defaults.layout)
        } catch {
          memory.deinitialize(count: 1)
          throw error
        }
      }
    }
    do {
      try check(memory.pointee, isStoredUnder: id)
    } catch {
      memory.deinitialize(count: 1)
      throw error
    }
  }

  /// Notes fields that the type does not know, if their record lacks some that the defaults have.
  private mutating func note(
    _ unknown: UnknownFields,
    in layout: Int64,
    _ catalog: LayoutCatalog,
    _ defaults: Layout
  ) throws {
    if candidates[layout] == nil {
      candidates[layout] = PossibleRename.candidates(in: try catalog.layout(layout), for: defaults)
    }
    guard let candidates = candidates[layout], !candidates.isEmpty else { return }
    for name in unknown.names { possibleRenames.formUnion(candidates[name] ?? []) }
  }

  /// An entity under the ID of another one would replace it, or come back after it was removed.
  private func check(_ entity: Entity, isStoredUnder id: ArraySlice<UInt8>) throws {
    if try EncodedID.isEncoding(id, of: entity.id.raw) { return }
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: [],
        debugDescription: "Its ID is \(entity.id), which is not the one it is stored under."
      )
    )
  }

  private mutating func isSealed(_ layout: Int64, _ catalog: LayoutCatalog) throws -> Bool {
    if layout == last?.layout { return false }
    if layout == sealedLayout { return true }
    guard try catalog.layout(layout).isOfSealedRecords else { return false }
    sealedLayout = layout
    return true
  }

  private func open(
    _ record: ArraySlice<UInt8>,
    of id: ArraySlice<UInt8>
  ) throws -> (layout: Int64, record: ArraySlice<UInt8>) {
    guard let seal = transform?.seal else { throw PersistenceError.Reason.sealed(table: table) }
    let context = RecordContext(store: store, table: table, id: Array(id))
    do {
      return try SealedRecord.open(record, with: seal.sealing, context)
    } catch {
      throw PersistenceError.Reason.unopenable(
        table: table,
        id: EncodedID.text(of: id),
        detail: "\(error)"
      )
    }
  }

  private mutating func reader(of layout: Int64, _ catalog: LayoutCatalog) throws -> RecordReader {
    if let last, last.layout == layout { return last.reader }
    let reader =
      try readers[layout] ?? RecordReader(layout: try catalog.layout(layout), defaults: defaults)
    readers[layout] = reader
    last = (layout, reader)
    return reader
  }
}

/// What a decoder does with fields that this build does not know.
package enum UnknownFieldsPolicy: Sendable {
  case ignored
  case collected
}
