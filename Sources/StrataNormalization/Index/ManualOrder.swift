/// An order that people make by hand: a list of entities to which one appends, within which one
/// moves, and from which one removes.
///
/// ```swift
/// struct Task: EntityType {
///   …
///   var place: Rank?
///   static let board = ManualOrder(\Task.place)
///   static let indexes: EntityIndexes<Task> = [board]
/// }
///
/// try database.tasks.append("write", to: Task.board)
/// try database.tasks.move("write", to: 0, in: Task.board)
/// for task in database.tasks[Task.board] { … }
/// ```
///
/// The place is a field of the entity, so it is stored and restored with it, a move writes one entity
/// however long the list is, and an entity that is removed has left the list. One whose place is nil
/// is not in the list. Two entities of one place, as of two devices that appended at once, are in the
/// order of their IDs. A write costs O(log n).
public final class ManualOrder<Entity: EntityType>: EntityIndex {
  /// What it is called in errors.
  public let name: String
  /// Where in an entity its place is.
  public let place: any WritableKeyPath<Entity, Rank?> & Sendable
  let order: OrderedIndex<Entity, Rank>

  /// An order by the places in a field.
  public init(
    _ place: any WritableKeyPath<Entity, Rank?> & Sendable,
    named name: String? = nil
  ) {
    self.name = name ?? "manual order"
    self.place = place
    order = OrderedIndex({ $0[keyPath: place] as Rank? }, named: name)
  }

  /// How a table keeps it.
  public var upkeep: IndexUpkeep<Entity> {
    IndexUpkeep(of: ObjectIdentifier(self), make: order.make, change: order.change)
  }
}

extension EntityTable {
  /// The entities of a list that the entity type declares, in the order made by hand.
  ///
  /// O(1).
  public subscript(list: ManualOrder<Entity>) -> SortedEntities<Entity, Rank> {
    SortedEntities(members: TypedIndexBox.value(in: indexes.box(of: list)), storage: storage)
  }

  /// Puts an entity of the table at the end of a list, wherever in it it was.
  ///
  /// O(log n). Throws ``EntityError/notFound(table:id:)`` when it is not in the table.
  public mutating func append(_ id: ID, to list: ManualOrder<Entity>) throws {
    try place(id, in: list) { $0.count }
  }

  /// Moves an entity of the table to a position of a list: the one it has afterwards.
  ///
  /// One that was not in the list is inserted there. A position past the end is the end. O(log n).
  /// Throws ``EntityError/notFound(table:id:)`` when it is not in the table.
  public mutating func move(_ id: ID, to position: Int, in list: ManualOrder<Entity>) throws {
    try place(id, in: list) { Swift.max(0, Swift.min(position, $0.count)) }
  }

  /// Takes an entity out of a list; it stays in the table.
  ///
  /// O(log n). Throws ``EntityError/notFound(table:id:)`` when it is not in the table.
  public mutating func remove(_ id: ID, from list: ManualOrder<Entity>) throws {
    try update(id) { $0[keyPath: list.place] = nil }
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

  /// Gives entities of one place, of which the second is at the position, places of their own.
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
