public import HashTreeCollections

extension EntityTable: Sequence {
  /// Goes through the entities of a table in unspecified order.
  public struct Iterator: IteratorProtocol, Sendable {
    @usableFromInline var entities: TreeDictionary<ID, Entity>.Values.Iterator

    @inlinable
    init(_ entities: TreeDictionary<ID, Entity>.Values.Iterator) { self.entities = entities }

    /// The next entity, or nil at the end.
    @inlinable
    public mutating func next() -> Entity? { entities.next() }
  }

  /// Goes through the entities in unspecified order.
  @inlinable
  public func makeIterator() -> Iterator { Iterator(storage.values.makeIterator()) }

  /// How many there are; exact.
  @inlinable
  public var underestimatedCount: Int { count }
}
