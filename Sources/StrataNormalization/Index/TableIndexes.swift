/// The indexes of one table.
@usableFromInline
struct TableIndexes<Entity: EntityType>: Sendable {
  @usableFromInline let declared: EntityIndexes<Entity>
  /// One for each declared index.
  @usableFromInline var boxes: [IndexBox]

  @inlinable
  init() {
    declared = Entity.indexes
    boxes = declared.maintained.map { $0.make() }
  }

  @inlinable var isEmpty: Bool { boxes.isEmpty }

  @inlinable
  mutating func change(from old: Entity?, to new: Entity?) {
    for index in boxes.indices { declared.maintained[index].change(&boxes[index], old, new) }
  }

  /// Completes an entity that a verb of the table writes in place of another.
  @inlinable
  func complete(_ entity: Entity, replacing old: Entity) -> Entity {
    var entity = entity
    for index in boxes.indices {
      declared.maintained[index].complete?(boxes[index], old, &entity)
    }
    return entity
  }

  @inlinable
  mutating func removeAll() {
    for index in boxes.indices { boxes[index] = declared.maintained[index].make() }
  }

  /// Rebuilds index by index, so that the nodes of one index stay in the processor's caches.
  @inlinable
  mutating func rebuild(from storage: HashTrie<Entity>) {
    for index in boxes.indices { boxes[index] = declared.maintained[index].build(storage) }
  }

  /// The contents of an index.
  @inlinable
  func box(of index: some EntityIndex<Entity>) -> IndexBox {
    for position in boxes.indices
    where declared.identities[position] == ObjectIdentifier(index) { return boxes[position] }
    EntityIndexes.trap(unlisted: index)
  }

  /// The violations of rules of indexes that an earlier state of them does not have.
  ///
  /// O(indexes + violations of both).
  func violations(since old: TableIndexes?) -> [IndexViolation] {
    boxes.indices.flatMap { position in
      declared.maintained[position].violations?(boxes[position], old?.boxes[position]) ?? []
    }
  }
}

extension EntityIndexes {
  /// Ends the program with the line that the entity type lacks.
  @usableFromInline
  static func trap(unlisted index: some EntityIndex<Entity>, _ use: String = "") -> Never {
    fatalError(
      """
      \(use)\(Entity.self) does not list its index "\(index.name)", so its tables do not maintain it: add \
      it to `static let indexes: EntityIndexes<\(Entity.self)> = […]`, and write that type: without it the array is not \
      the requirement of the protocol.
      """
    )
  }
}
