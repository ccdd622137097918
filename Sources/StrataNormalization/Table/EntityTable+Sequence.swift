extension EntityTable: Sequence {
  /// Iterates over the entities of a table in unspecified order.
  public struct Iterator: IteratorProtocol, Sendable {
    @usableFromInline var entities: HashTrieIterator<Entity>

    @inlinable
    init(_ entities: HashTrieIterator<Entity>) { self.entities = entities }

    /// The next entity, or nil at the end.
    @inlinable
    public mutating func next() -> Entity? { entities.nextEntity() }
  }

  /// Iterates over the entities in unspecified order.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(HashTrieIterator(storage)) }

  /// The exact number of entities.
  @inlinable
  public var underestimatedCount: Int { count }
}
