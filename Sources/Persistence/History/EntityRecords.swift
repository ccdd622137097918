import StrataNormalization

/// Reads stored records as entities of one type.
struct EntityRecords<Entity: EntityType> {
  private let defaults: (bytes: [UInt8], layout: Layout)?
  /// Records of one layout mostly come one after another.
  private var last: (layout: Int64, loader: RecordLoader)?

  init() throws {
    let type = Entity.self as? any DefaultingEntityType.Type
    defaults = try type.map { try Self.record(of: $0) }
  }

  /// Takes what records lack from an entity.
  init(over initial: Entity?) {
    guard let initial else {
      defaults = nil
      return
    }
    // One that cannot be encoded is refused where it is to be stored; to read others it is not needed.
    do { defaults = try Self.record(of: initial) } catch _ { defaults = nil }
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

  /// The entity of a record; throws where the record does not fit the type.
  mutating func entity(
    _ record: ArraySlice<UInt8>,
    _ layout: Int64,
    _ catalog: LayoutCatalog
  ) throws -> Entity {
    try loader(of: layout, catalog).decode(Entity.self, from: record)
  }

  private mutating func loader(of layout: Int64, _ catalog: LayoutCatalog) throws -> RecordLoader {
    if let last, last.layout == layout { return last.loader }
    let reader = try RecordReader(layout: try catalog.layout(layout), defaults: defaults)
    let loader = RecordLoader(reader)
    last = (layout, loader)
    return loader
  }
}
