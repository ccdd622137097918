/// An order that people define by hand: a list to which entities are appended, within which they are
/// moved, and from which they are removed.
///
/// ```swift
/// struct Task: EntityType {
///   …
///   var place: Rank?
///   static let board = ManualOrder(\Task.place)
///   static let indexes: EntityIndexes<Task> = [board]
/// }
///
/// try database.tasks.append(contentsOf: ["read", "write"], to: Task.board)
/// try database.tasks.move("write", to: 0, in: Task.board)
/// for task in database.tasks[Task.board] { … }
/// ```
///
/// The place is a field of the entity. So it is stored and restored with the entity, a move writes one
/// entity however long the list is, and a removed entity has left the list. An entity whose place is nil
/// is not in the list. Two entities with the same place, as after two devices appended at once, are in
/// the order of their IDs. A write costs O(log n).
public final class ManualOrder<Entity: EntityType>: EntityIndex {
  /// The name in errors.
  public let name: String
  /// The path to the place of an entity.
  public let place: any WritableKeyPath<Entity, Rank?> & Sendable
  let order: OrderedIndex<Entity, Rank>

  /// Creates an order by the places in a field.
  public init(
    _ place: any WritableKeyPath<Entity, Rank?> & Sendable,
    named name: String? = nil
  ) {
    self.name = name ?? "manual order"
    self.place = place
    order = OrderedIndex({ $0[keyPath: place] as Rank? }, named: name)
  }

  /// How a table maintains it.
  public var maintenance: IndexMaintenance<Entity> { order.maintenance }
}

extension EntityTable {
  /// The entities of a list that the entity type declares, in the order defined by hand.
  ///
  /// O(1).
  public subscript(list: ManualOrder<Entity>) -> SortedEntities<Entity, Rank> {
    SortedEntities(members: TypedIndexBox.value(in: indexes.box(of: list)), storage: storage)
  }

  /// Moves an entity of the table to the end of a list, or adds it there.
  ///
  /// O(log n). Throws ``EntityError/notFound(table:id:)`` if it is not in the table.
  public mutating func append(_ id: ID, to list: ManualOrder<Entity>) throws {
    try place(id, in: list) { $0.count }
  }

  /// Moves entities of the table to the end of a list, or adds them there, in the order of the IDs.
  ///
  /// An ID that occurs twice has the place of the last. O(log n) for each. Throws
  /// ``EntityError/notFound(table:id:)`` if one is not in the table; then the list is as it was.
  public mutating func append(
    contentsOf ids: some Sequence<ID>,
    to list: ManualOrder<Entity>
  ) throws {
    let ids = Array(ids)
    for id in ids where !contains(id) {
      throw EntityError.notFound(table: Entity.tableName, id: "\(id)")
    }
    for id in ids { try append(id, to: list) }
  }

  /// Moves an entity of the table to a position of a list, which is its position afterwards.
  ///
  /// An entity that is not in the list is inserted there. A position past the end is the end. O(log n).
  /// Throws ``EntityError/notFound(table:id:)`` if the entity is not in the table.
  public mutating func move(_ id: ID, to position: Int, in list: ManualOrder<Entity>) throws {
    try place(id, in: list) { Swift.max(0, Swift.min(position, $0.count)) }
  }

  /// Removes an entity from a list; it stays in the table.
  ///
  /// O(log n). Throws ``EntityError/notFound(table:id:)`` if it is not in the table.
  public mutating func remove(_ id: ID, from list: ManualOrder<Entity>) throws {
    try update(id) { $0[keyPath: list.place] = nil }
  }

  /// Removes every entity from a list; they stay in the table.
  ///
  /// O(log n) for each entity of the list.
  public mutating func removeAll(from list: ManualOrder<Entity>) {
    for entity in Array(self[list]) {
      var entity = entity
      entity[keyPath: list.place] = nil
      insert(entity)
    }
  }

  private mutating func place(
    _ id: ID,
    in list: ManualOrder<Entity>,
    at position: (SortedEntities<Entity, Rank>) -> Int
  ) throws {
    try remove(id, from: list)
    let position = position(self[list])
    try spread(list, around: position)
    let others = self[list]
    let rank = Rank(
      after: position > 0 ? others[position - 1][keyPath: list.place] : nil,
      before: position < others.count ? others[position][keyPath: list.place] : nil
    )
    try update(id) { $0[keyPath: list.place] = rank }
  }

  /// Gives entities with the same place, the second of which is at the position, different places.
  private mutating func spread(_ list: ManualOrder<Entity>, around position: Int) throws {
    let others = self[list]
    guard position > 0, position < others.count,
      let rank = others[position][keyPath: list.place],
      others[position - 1][keyPath: list.place] == rank
    else { return }
    let same = others.range(from: rank, through: rank)
    let next = same.endIndex < others.count ? others[same.endIndex][keyPath: list.place] : nil
    var last = rank
    for id in Array(same.ids.dropFirst()) {
      let after = last
      last = Rank(after: after, before: next)
      let rank = last
      try update(id) { $0[keyPath: list.place] = rank }
    }
  }
}
