/// Keeps the entities sorted by a field, for access in order, by position and by range.
///
/// ```swift
/// static let byDate = OrderedIndex(\Post.date)
///
/// let posts = database.posts[Post.byDate]
/// posts.suffix(10)               // the newest ten
/// posts[100]                     // by position
/// posts.range(from: monday, to: friday)
/// ```
///
/// Entities of one rank are in the order of their IDs. Those whose field is nil are left out, and NaN
/// comes last. A write costs O(log n), access by position O(log n).
public final class OrderedIndex<Entity: EntityType, Rank: Comparable & Sendable>: EntityIndex {
  @usableFromInline typealias Box = TypedIndexBox<OrderedList<RankedMember<Rank, Entity>>>

  /// The name in errors: the one it was given, or the field.
  public let name: String
  /// How a table maintains it.
  public let maintenance: IndexMaintenance<Entity>

  /// Sorts by a field; entities where it is nil are left out.
  @inlinable
  public convenience init(
    _ field: any KeyPath<Entity, Rank?> & Sendable,
    named name: String? = nil
  ) {
    let field = EntityField(field)
    self.init(field.read, named: name ?? field.name)
  }

  /// Sorts by a field.
  @inlinable
  public convenience init(
    _ field: any KeyPath<Entity, Rank> & Sendable,
    named name: String? = nil
  ) {
    let field = EntityField(field)
    self.init({ Optional(field.read($0)) }, named: name ?? field.name)
  }

  /// Sorts by what a closure gives; entities where it is nil are left out.
  @inlinable
  public init(_ rank: @escaping @Sendable (Entity) -> Rank?, named name: String? = nil) {
    typealias Member = RankedMember<Rank, Entity>
    self.name = name ?? Self.nameless(Rank.self)
    maintenance = IndexMaintenance(
      make: { Box(OrderedList()) },
      build: { storage in
        var members: [Member] = []
        members.reserveCapacity(storage.count)
        var entities = HashTrieIterator(storage)
        while let entity = entities.nextEntity() {
          if let rank = rank(entity) { members.append(Member(rank, entity.id)) }
        }
        members.sort { Member.isOrdered($0, before: $1) }
        return Box(OrderedList(members))
      },
      change: { box, old, new in
        let (oldRank, newRank) = (old.flatMap(rank), new.flatMap(rank))
        switch (oldRank, newRank) {
        case (nil, nil): return
        case (let oldRank?, let newRank?) where Member.isSame(oldRank, newRank): return
        default: break
        }
        Box.change(&box) { members in
          if let old, let oldRank { members.remove(Member(oldRank, old.id)) }
          if let new, let newRank { members.insert(Member(newRank, new.id)) }
        }
      }
    )
  }

  /// Sorts by what a closure gives.
  @inlinable
  public convenience init(_ rank: @escaping @Sendable (Entity) -> Rank, named name: String? = nil) {
    self.init({ Optional(rank($0)) }, named: name)
  }
}
