import StrataBase

extension EntityTable: Codable {
  /// Encodes the entities as an array, in the order of their IDs.
  ///
  /// Tables of equal entities are encoded alike if the raw IDs are `Comparable`. O(n log n).
  public func encode(to encoder: any Encoder) throws {
    if try SeparateParts.encodeReference(to: self, by: encoder) { return }
    var container = encoder.unkeyedContainer()
    for entity in inIDOrder(Array(self)) { try container.encode(entity) }
  }

  /// Decodes an array of entities, in any order.
  ///
  /// O(n). Throws `DecodingError` when two of them have the same ID.
  public init(from decoder: any Decoder) throws {
    if let part = try SeparateParts.part(EntityTable.self, from: decoder) {
      self = part
      return
    }
    var container = try decoder.unkeyedContainer()
    var entities: [Entity] = []
    while !container.isAtEnd { entities.append(try container.decode(Entity.self)) }
    let table = EntityTable(entities)
    if table.count < entities.count {
      var seen: Set<ID> = []
      let twice = entities.first { !seen.insert($0.id).inserted }
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "\(Entity.tableName) contains two entities with the ID "
          + "\(twice.map { "\($0.id)" } ?? ""). Remove one of them."
      )
    }
    self = table
  }

  fileprivate func inIDOrder(_ entities: [Entity]) -> [Entity] {
    entities.sorted { Entity.isOrdered($0.id, before: $1.id) }
  }
}

extension EntityTable: DifferenceCodable {
  package struct Difference: Codable {
    fileprivate var put: [Entity]?
    fileprivate var remove: [ID]?
  }

  package func difference(from old: EntityTable) -> Difference? {
    let changes = changes(from: old)
    let put = changes.compactMap { change in
      if case .put(let entity) = change { entity } else { nil }
    }
    let removed = changes.compactMap { change in
      if case .remove(let id) = change { id } else { nil }
    }
    if changes.isEmpty { return nil }
    return Difference(
      put: put.isEmpty ? nil : inIDOrder(put),
      remove: removed.isEmpty ? nil : removed.sorted { Entity.isOrdered($0, before: $1) }
    )
  }

  package func applying(_ difference: Difference) -> EntityTable {
    var table = self
    table.remove(in: difference.remove ?? [])
    table.insert(contentsOf: difference.put ?? [])
    return table
  }
}
