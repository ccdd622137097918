/// Some entities of a table in the order of an index: a collection with random access.
///
/// It is a view of the table at the time of the call, and copies nothing. Each access costs O(log n).
public struct IndexedEntities<Entity: EntityType>: RandomAccessCollection, Sendable {
  /// Their IDs, in the same order.
  public let ids: IndexedIDs<Entity>
  @usableFromInline let storage: HashTrie<Entity>

  init(_ ids: IndexedIDs<Entity>, _ storage: HashTrie<Entity>) {
    self.ids = ids
    self.storage = storage
  }

  /// The first position.
  public var startIndex: Int { ids.startIndex }
  /// The position after the last one.
  public var endIndex: Int { ids.endIndex }

  /// The entity at a position.
  public subscript(position: Int) -> Entity {
    let id = ids[position]
    guard let entity = storage[id] else {
      fatalError(
        """
        An index of \(Entity.self) leads to \(id), which is not in the table: the ID's hash or `==` \
        is not always the same.
        """
      )
    }
    return entity
  }

  /// Some of the entities, at the same positions.
  public subscript(bounds: Range<Int>) -> IndexedEntities {
    IndexedEntities(ids[bounds], storage)
  }
}

/// The IDs of some entities of a table in the order of an index: a collection with random access.
///
/// Each access costs O(log n).
public struct IndexedIDs<Entity: EntityType>: RandomAccessCollection, Sendable {
  private let source: (any EntityIDSource<Entity>)?
  /// The first position.
  public let startIndex: Int
  /// The position after the last one.
  public let endIndex: Int

  init(_ source: (any EntityIDSource<Entity>)?, _ positions: Range<Int>? = nil) {
    self.source = source
    startIndex = positions?.lowerBound ?? 0
    endIndex = positions?.upperBound ?? source?.count ?? 0
  }

  /// The ID at a position.
  public subscript(position: Int) -> EntityID<Entity> {
    guard let source, position >= startIndex, position < endIndex else {
      fatalError("Position \(position) is outside \(startIndex)..<\(endIndex).")
    }
    return source.id(at: position)
  }

  /// All of them: for a few, much cheaper than the array of a collection, which asks for each through its protocols.
  var all: [EntityID<Entity>] { source?.ids(at: startIndex..<endIndex) ?? [] }

  /// Some of the IDs, at the same positions.
  public subscript(bounds: Range<Int>) -> IndexedIDs {
    guard bounds.lowerBound >= startIndex, bounds.upperBound <= endIndex else {
      fatalError("Positions \(bounds) are not all inside \(startIndex)..<\(endIndex).")
    }
    return IndexedIDs(source, bounds)
  }
}

/// A list of IDs that is read by position.
@usableFromInline
protocol EntityIDSource<Entity>: Sendable {
  associatedtype Entity: EntityType

  var count: Int { get }

  func id(at position: Int) -> EntityID<Entity>

  func ids(at positions: Range<Int>) -> [EntityID<Entity>]
}

extension OrderedList: EntityIDSource where Element: IndexMember {
  @usableFromInline
  func id(at position: Int) -> EntityID<Element.Entity> { self[position].id }

  @usableFromInline
  func ids(at positions: Range<Int>) -> [EntityID<Element.Entity>] {
    var ids: [EntityID<Element.Entity>] = []
    ids.reserveCapacity(positions.count)
    for position in positions { ids.append(self[position].id) }
    return ids
  }
}

/// A member of an index, with the type of its rank erased.
@usableFromInline
protocol IndexMember: Sendable {
  associatedtype Entity: EntityType

  var id: EntityID<Entity> { get }
}

extension RankedMember: IndexMember {}
