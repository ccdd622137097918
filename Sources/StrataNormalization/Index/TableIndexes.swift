/// The indexes of one table.
@usableFromInline
struct TableIndexes<Entity: EntityType>: Sendable {
  @usableFromInline let declared: EntityIndexes<Entity>
  /// One for each declared index.
  @usableFromInline var boxes: [IndexBox]

  @inlinable
  init() {
    declared = Entity.indexes
    boxes = declared.upkeeps.map { $0.make() }
  }

  @inlinable var isEmpty: Bool { boxes.isEmpty }

  @inlinable
  mutating func change(from old: Entity?, to new: Entity?) {
    for index in boxes.indices { declared.upkeeps[index].change(&boxes[index], old, new) }
  }

  @inlinable
  mutating func removeAll() {
    for index in boxes.indices { boxes[index] = declared.upkeeps[index].make() }
  }

  /// Index by index, so that one index's nodes stay in the processor's memory.
  @inlinable
  mutating func rebuild(from storage: HashTrie<Entity>) {
    removeAll()
    for index in boxes.indices {
      var entities = HashTrieIterator(storage)
      while let entity = entities.nextEntity() {
        declared.upkeeps[index].change(&boxes[index], nil, entity)
      }
    }
  }

  /// What the table knows for an index.
  @inlinable
  func box(of index: some EntityIndex<Entity>) -> IndexBox {
    for position in boxes.indices
    where declared.upkeeps[position].index == ObjectIdentifier(index) { return boxes[position] }
    fatalError(
      """
      \(Entity.self) does not list its index "\(index.name)", so its tables do not keep it: add it \
      to `static let indexes` of \(Entity.self).
      """
    )
  }

  /// The first rule of an index that the table breaks.
  ///
  /// O(indexes).
  func violation() -> IndexViolation? {
    for position in boxes.indices {
      if let found = declared.upkeeps[position].violation(boxes[position]) { return found }
    }
    return nil
  }
}
