/// Entities in memory of their own, which are moved into a table.
///
/// Copying an entity retains whatever its fields refer to, and discarding the copy releases it again;
/// moving does neither. One thread at a time.
@usableFromInline
package final class EntityBuffer<Entity: EntityType> {
  /// The number of entities.
  package private(set) var count = 0
  @usableFromInline var memory: UnsafeMutableBufferPointer<Entity>

  /// Creates a buffer with room for some entities.
  package init(capacity: Int) { memory = .allocate(capacity: max(capacity, 1)) }

  deinit {
    memory.extracting(..<count).deinitialize()
    memory.deallocate()
  }

  /// Appends the entity that `initialize` creates at the address it receives, unless it throws.
  package func append<E: Error>(
    _ initialize: (UnsafeMutablePointer<Entity>) throws(E) -> Void
  ) throws(E) {
    if count == memory.count { grow() }
    guard let base = memory.baseAddress else { return }
    try initialize(base + count)
    count += 1
  }

  private func grow() {
    let larger = UnsafeMutableBufferPointer<Entity>.allocate(capacity: 2 * count)
    _ = larger.moveInitialize(fromContentsOf: memory.extracting(..<count))
    memory.deallocate()
    memory = larger
  }

  /// The entity at a position.
  package subscript(position: Int) -> Entity {
    precondition(position < count, "There is no entity at position \(position) of \(count).")
    return memory[position]
  }

  /// The entities; the buffer has none afterwards, and the caller must move or deinitialize them.
  @usableFromInline
  func take() -> UnsafeMutableBufferPointer<Entity> {
    let taken = memory.extracting(..<count)
    count = 0
    return taken
  }
}
