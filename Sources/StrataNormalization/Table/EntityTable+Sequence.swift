extension EntityTable: Sequence {
  /// Goes through the entities of a table in unspecified order.
  public struct Iterator: IteratorProtocol, Sendable {
    @usableFromInline var entities: HashTrieIterator<Entity>

    @inlinable
    init(_ entities: HashTrieIterator<Entity>) { self.entities = entities }

    /// The next entity, or nil at the end.
    @inlinable
    public mutating func next() -> Entity? { entities.nextEntity() }
  }

  /// Goes through the entities in unspecified order.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(HashTrieIterator(storage)) }

  /// How many there are; exact.
  @inlinable
  public var underestimatedCount: Int { count }
}
