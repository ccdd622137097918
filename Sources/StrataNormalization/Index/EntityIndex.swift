/// A secondary index: what to find entities by besides their ID.
///
/// It is declared once, beside the entity, and listed in ``EntityType/indexes``; every table of the
/// type keeps it.
///
/// ```swift
/// extension Post {
///   static let byAuthor = GroupIndex(\Post.author)
///   static let bySlug = UniqueIndex(\Post.slug)
///   static let byDate = OrderedIndex(\Post.date)
///   static let indexes: EntityIndexes<Post> = [byAuthor, bySlug, byDate]
/// }
///
/// database.posts[Post.byAuthor]["ada"]
/// database.posts[Post.bySlug]["hello-world"]
/// database.posts[Post.byDate].suffix(10)
/// ```
///
/// An index follows every write to its table at once, also within a commit, at O(log n) a write and
/// index. It is a part of the table: a copy of the table has it as it was, and whoever assigns an
/// older table gets the older index with it. It is not stored, but built again when data is restored.
///
/// ``GroupIndex``, ``UniqueIndex`` and ``OrderedIndex`` are the only conformers.
public protocol EntityIndex<Entity>: AnyObject, Sendable {
  /// What it is an index of.
  associatedtype Entity: EntityType

  /// What it is called in errors.
  var name: String { get }
  /// How a table keeps it.
  var upkeep: IndexUpkeep<Entity> { get }
}

/// The indexes that the tables of an entity type keep: a list of those that were declared.
public struct EntityIndexes<Entity: EntityType>: Sendable, ExpressibleByArrayLiteral {
  @usableFromInline let upkeeps: [IndexUpkeep<Entity>]

  /// Lists the indexes; one that is listed twice is kept once.
  public init(arrayLiteral indexes: any EntityIndex<Entity>...) {
    var upkeeps: [IndexUpkeep<Entity>] = []
    for index in indexes where !upkeeps.contains(where: { $0.index == ObjectIdentifier(index) }) {
      upkeeps.append(index.upkeep)
    }
    self.upkeeps = upkeeps
  }
}

/// How tables keep an index, made where the types of entity and key are known and so compiled for
/// them.
public struct IndexUpkeep<Entity: EntityType>: Sendable {
  @usableFromInline let index: ObjectIdentifier
  @usableFromInline let make: @Sendable () -> IndexBox
  /// Takes note that an entity was put in the place of an old one, or removed.
  @usableFromInline let change: @Sendable (inout IndexBox, _ old: Entity?, _ new: Entity?) -> Void
  /// The first rule of the index that the table breaks, as it is.
  @usableFromInline let violation: @Sendable (IndexBox) -> IndexViolation?

  @inlinable
  init(
    of index: ObjectIdentifier,
    make: @escaping @Sendable () -> IndexBox,
    change: @escaping @Sendable (inout IndexBox, _ old: Entity?, _ new: Entity?) -> Void,
    violation: @escaping @Sendable (IndexBox) -> IndexViolation? = { _ in nil }
  ) {
    self.index = index
    self.make = make
    self.change = change
    self.violation = violation
  }
}

/// A key that two entities have and one may.
@usableFromInline
struct IndexViolation: Sendable {
  @usableFromInline let index: String
  @usableFromInline let key: String
  @usableFromInline let ids: [String]

  @inlinable
  init(index: String, key: String, ids: [String]) {
    self.index = index
    self.key = key
    self.ids = ids
  }
}
