/// A member of an index: the ID of an entity, and the rank it is sorted by.
@usableFromInline
struct RankedMember<Rank: Comparable & Sendable, Entity: EntityType>: Sendable {
  @usableFromInline let rank: Rank
  @usableFromInline let id: EntityID<Entity>

  @inlinable
  init(_ rank: Rank, _ id: EntityID<Entity>) {
    self.rank = rank
    self.id = id
  }

  /// By rank, then by ID.
  ///
  /// A rank that is not equal to itself (NaN) comes last.
  @inlinable
  static func isOrdered(_ a: RankedMember, before b: RankedMember) -> Bool {
    if a.rank != b.rank {
      if Self.isOrdered(a.rank, before: b.rank) { return true }
      if Self.isOrdered(b.rank, before: a.rank) { return false }
    }
    return Entity.isOrdered(a.id, before: b.id)
  }

  @inlinable
  static func isOrdered(_ a: Rank, before b: Rank) -> Bool { a < b || (a == a && b != b) }

  /// Whether both ranks have the same place in the order.
  @inlinable
  static func isSame(_ a: Rank, _ b: Rank) -> Bool { a == b || (a != a && b != b) }
}

/// The rank of members that are ordered by their IDs only.
@usableFromInline
struct NoRank: Comparable, Sendable {
  @inlinable
  init() {}

  @inlinable
  static func < (a: NoRank, b: NoRank) -> Bool { false }
}

/// A sorted list of members.
extension OrderedList {
  /// O(log n).
  @inlinable
  mutating func insert<Rank, Entity>(_ member: Element)
  where Element == RankedMember<Rank, Entity> {
    insert(member, at: partition { Element.isOrdered(member, before: $0) })
  }

  /// Removes an existing member.
  ///
  /// O(log n + members with the same place in the order). If the ranks have no total order, all members
  /// are searched.
  @inlinable
  mutating func remove<Rank, Entity>(_ member: Element)
  where Element == RankedMember<Rank, Entity> {
    var position = partition { !Element.isOrdered($0, before: member) }
    while position < count {
      let found = self[position]
      if found.id == member.id { return remove(at: position) }
      if Element.isOrdered(member, before: found) { break }
      position += 1
    }
    let everywhere = (0..<count).first { self[$0].id == member.id }
    if let everywhere { remove(at: everywhere) }
  }
}
