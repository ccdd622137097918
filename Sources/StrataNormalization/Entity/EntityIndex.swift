/// A secondary index: a way to find entities by something else than their ID.
///
/// It is declared once, beside the entity, and listed in ``EntityType/indexes``. Every table of the type
/// maintains it.
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
/// An index is updated with every write to its table, also within a commit, at O(log n) per write and
/// index. It is part of the table: a copy of the table has its own index, and assigning an older table
/// restores the older index. It is not stored, but rebuilt when data is restored.
///
/// ``GroupIndex``, ``UniqueIndex``, ``OrderedIndex`` and ``ManualOrder`` are the only conformers.
public protocol EntityIndex<Entity>: AnyObject, Sendable {
  /// The type of the indexed entities.
  associatedtype Entity: EntityType

  /// The name in errors.
  var name: String { get }
  /// How a table maintains it.
  var maintenance: IndexMaintenance<Entity> { get }
}

/// The list of indexes that the tables of an entity type maintain.
public struct EntityIndexes<Entity: EntityType>: Sendable, ExpressibleByArrayLiteral {
  /// The identity of each index.
  @usableFromInline let identities: [ObjectIdentifier]
  /// How each is maintained.
  @usableFromInline let maintained: [IndexMaintenance<Entity>]

  /// Lists the indexes; one that is listed twice is maintained once.
  public init(arrayLiteral indexes: any EntityIndex<Entity>...) {
    var identities: [ObjectIdentifier] = []
    var maintained: [IndexMaintenance<Entity>] = []
    for index in indexes where !identities.contains(ObjectIdentifier(index)) {
      identities.append(ObjectIdentifier(index))
      maintained.append(index.maintenance)
    }
    self.identities = identities
    self.maintained = maintained
  }

  /// Traps with the remedy unless an index is listed: no table maintains one that is not.
  ///
  /// `use` says who names the index.
  func require(_ index: some EntityIndex<Entity>, for use: @autoclosure () -> String) {
    if identities.contains(ObjectIdentifier(index)) { return }
    Self.trap(unlisted: index, "\(use()) names an index that is not maintained. ")
  }

  /// Whether any of them has a rule.
  ///
  /// Computed: a table holds the list, and a flag would be followed by bytes without a value, so equal
  /// tables would not have equal bytes.
  var hasRules: Bool { maintained.contains { $0.violations != nil } }

  /// The names of the unique ones.
  var uniqueKeys: [String] { maintained.compactMap(\.uniqueKey) }
}

/// How tables maintain an index: closures that are created where the types of entity and key are known,
/// and so are specialized for them.
public struct IndexMaintenance<Entity: EntityType>: Sendable {
  @usableFromInline let make: @Sendable () -> IndexBox
  /// Creates the contents for all entities of a table, in O(n log n).
  @usableFromInline let build: @Sendable (HashTrie<Entity>) -> IndexBox
  /// Updates the index for an entity that was inserted, replaced or removed.
  @usableFromInline let change: @Sendable (inout IndexBox, _ old: Entity?, _ new: Entity?) -> Void
  /// The name of a unique index; nil for others.
  @usableFromInline let uniqueKey: String?
  /// The violations of a rule of the index that an earlier state of it does not have.
  ///
  /// Nil if it has no rule.
  @usableFromInline let violations: (@Sendable (IndexBox, _ old: IndexBox?) -> [IndexViolation])?
  /// Completes an entity that a verb of the table writes in place of another; nil for most indexes.
  @usableFromInline
  let complete: (@Sendable (IndexBox, _ old: Entity, _ new: inout Entity) -> Void)?

  @inlinable
  init(
    make: @escaping @Sendable () -> IndexBox,
    build: @escaping @Sendable (HashTrie<Entity>) -> IndexBox,
    change: @escaping @Sendable (inout IndexBox, _ old: Entity?, _ new: Entity?) -> Void,
    uniqueKey: String? = nil,
    violations: (@Sendable (IndexBox, _ old: IndexBox?) -> [IndexViolation])? = nil,
    complete: (@Sendable (IndexBox, _ old: Entity, _ new: inout Entity) -> Void)? = nil
  ) {
    self.make = make
    self.build = build
    self.change = change
    self.uniqueKey = uniqueKey
    self.violations = violations
    self.complete = complete
  }
}

/// A key of a unique index that several entities have.
@usableFromInline
typealias IndexViolation = (index: String, key: String, ids: [String])

/// The contents of one index of a table, with their type erased.
///
/// The conformance to `Sendable` is unchecked because the value of a ``TypedIndexBox`` is changed in
/// place, but only through the only reference to the box.
@usableFromInline
class IndexBox: @unchecked Sendable {
  @usableFromInline
  init() {}
}

/// The contents of one index of a table.
@usableFromInline
final class TypedIndexBox<Value: Sendable>: IndexBox, @unchecked Sendable {
  @usableFromInline var value: Value

  @inlinable
  init(_ value: Value) { self.value = value }

  /// The value in a box of this type.
  @inlinable
  static func value(in box: IndexBox) -> Value { unsafeDowncast(box, to: Self.self).value }

  /// Changes the value in a box of this type, which is copied first if it is shared.
  @inlinable
  static func change(_ box: inout IndexBox, _ body: (inout Value) -> Void) {
    if !isKnownUniquelyReferenced(&box) { box = TypedIndexBox(value(in: box)) }
    body(&unsafeDowncast(box, to: Self.self).value)
  }
}
