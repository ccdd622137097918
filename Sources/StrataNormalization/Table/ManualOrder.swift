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
/// the order of their IDs. A write costs O(log n). Places grow where entities are moved to the same spot again and
/// again; a move that would make one too long gives its neighbours shorter places too.
///
/// With a field that says in which list an entity is, every list has its own order:
///
/// ```swift
/// static let byList = ManualOrder(\Item.place, within: \.list)
///
/// try database.items.append("milk", to: Item.byList)                   // of its own list
/// try database.items.move("milk", to: 0, in: Item.byList, list: "shop")
/// for item in database.items[Item.byList, list: "shop"] { … }
/// ```
///
/// An entity whose list a verb of the table changes, and not its place, is at the end of the new list. One whose list is nil
/// is in none.
public final class ManualOrder<Entity: EntityType>: EntityIndex {
  /// The name in errors.
  public let name: String
  /// The path to the place of an entity.
  public let place: any WritableKeyPath<Entity, Rank?> & Sendable
  /// How a table maintains it.
  public let maintenance: IndexMaintenance<Entity>
  /// The members of a list; of the only one if there is no field of lists.
  let members: @Sendable (IndexBox, _ list: Any?) -> OrderedList<RankedMember<Rank, Entity>>
  /// The list of an entity, nil if it is in none; the entity itself if there is no field of lists.
  let list: @Sendable (Entity) -> Any?
  /// Puts an entity into a list.
  let setList: @Sendable (inout Entity, Any) -> Void
  let hasLists: Bool

  /// Creates an order by the places in a field.
  public init(
    _ place: any WritableKeyPath<Entity, Rank?> & Sendable,
    named name: String? = nil
  ) {
    typealias Members = OrderedList<RankedMember<Rank, Entity>>
    self.name = name ?? "manual order"
    self.place = place
    maintenance = OrderedIndex({ $0[keyPath: place] as Rank? }, named: name).maintenance
    members = { box, _ in TypedIndexBox<Members>.value(in: box) }
    list = { $0 }
    setList = { _, _ in }
    hasLists = false
  }

  /// Creates an order for each list, by the places in a field, within what another field says.
  public convenience init<List: Hashable & Sendable>(
    _ place: any WritableKeyPath<Entity, Rank?> & Sendable,
    within list: any WritableKeyPath<Entity, List> & Sendable,
    named name: String? = nil
  ) {
    self.init(place, list: { $0[keyPath: list] }, named: name) { $0[keyPath: list] = $1 }
  }

  /// Creates an order for each list; an entity whose list is nil is in none.
  public convenience init<List: Hashable & Sendable>(
    _ place: any WritableKeyPath<Entity, Rank?> & Sendable,
    within list: any WritableKeyPath<Entity, List?> & Sendable,
    named name: String? = nil
  ) {
    self.init(place, list: { $0[keyPath: list] }, named: name) { $0[keyPath: list] = $1 }
  }

  private init<List: Hashable & Sendable>(
    _ place: any WritableKeyPath<Entity, Rank?> & Sendable,
    list: @escaping @Sendable (Entity) -> List?,
    named name: String?,
    setList: @escaping @Sendable (inout Entity, List) -> Void
  ) {
    typealias Contents = GroupContents<Entity, List, Rank>
    let text = name ?? "manual order"
    let listed = Self.equalToItself(list)
    let groups = GroupIndex<Entity, List>(
      text,
      optional: { $0[keyPath: place] == nil ? nil : listed($0) },
      // The members of a group have a place.
      rank: { $0[keyPath: place] ?? Rank(after: nil, before: nil) }
    )
    let members = { @Sendable (box: IndexBox, list: Any?) in
      guard let list = list as? List else {
        preconditionFailure(
          "The lists of \(Entity.self) in \"\(text)\" are \(List.self), and not \(list ?? "one")."
        )
      }
      return TypedIndexBox<Contents>.value(in: box).groups[list]?.members ?? OrderedList()
    }
    self.name = text
    self.place = place
    self.members = members
    self.list = listed
    self.setList = { entity, list in
      guard let list = list as? List else {
        preconditionFailure(
          "The lists of \(Entity.self) in \"\(text)\" are \(List.self), and not \(list)."
        )
      }
      setList(&entity, list)
    }
    hasLists = true
    let maintained = groups.maintenance
    maintenance = IndexMaintenance(
      make: maintained.make,
      build: maintained.build,
      change: maintained.change,
      complete: { box, old, new in
        let place = place
        guard let newList = listed(new), newList != listed(old), let rank = new[keyPath: place],
          rank == old[keyPath: place]
        else { return }
        let others = members(box, newList)
        let last = others.count > 0 ? others[others.count - 1].rank : nil
        new[keyPath: place] = Rank(after: last, before: nil)
      }
    )
  }

  /// The longest place that is not shortened.
  static var longest: Int { 32 }
}

extension EntityTable {
  /// The entities of a list that the entity type declares, in the order defined by hand.
  ///
  /// O(1). Traps for an order within lists, which has no order of all.
  public subscript(list: ManualOrder<Entity>) -> SortedEntities<Entity, Rank> {
    if list.hasLists {
      preconditionFailure(
        "\"\(list.name)\" of \(Entity.self) has an order for each list: name one, table[order, list: …]."
      )
    }
    return SortedEntities(members: list.members(indexes.box(of: list), nil), storage: storage)
  }

  /// The entities of one list, in the order defined by hand; none if there is no such list.
  ///
  /// O(log n). Traps for a list of another type than the field of the order has.
  public subscript<List: Hashable & Sendable>(
    order: ManualOrder<Entity>,
    list list: List
  ) -> SortedEntities<Entity, Rank> { sorted(order, list) }

  /// Moves an entity of the table to the end of a list, or adds it there.
  ///
  /// With an order within lists it is the list that the entity is in; where that is nil, the entity is in none.
  /// O(log n). Throws ``EntityError/notFound(table:id:)`` if it is not in the table.
  public mutating func append(_ id: ID, to list: ManualOrder<Entity>) throws {
    try place(id, in: list, nil) { $0 }
  }

  /// Moves an entity of the table to the end of one of the lists of an order, from whatever list it is in.
  ///
  /// O(log n). Throws ``EntityError/notFound(table:id:)`` if it is not in the table.
  public mutating func append<List: Hashable & Sendable>(
    _ id: ID,
    to order: ManualOrder<Entity>,
    list: List
  ) throws {
    try place(id, in: order, list) { $0 }
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
  /// An entity that is not in the list is inserted there. A position past the end is the end. With an order within lists it
  /// is the list that the entity is in. O(log n). Throws ``EntityError/notFound(table:id:)`` if the entity is not in the table.
  public mutating func move(_ id: ID, to position: Int, in list: ManualOrder<Entity>) throws {
    try place(id, in: list, nil) { Swift.max(0, Swift.min(position, $0)) }
  }

  /// Moves an entity of the table to a position of one of the lists of an order, from whatever list it is in.
  ///
  /// O(log n). Throws ``EntityError/notFound(table:id:)`` if the entity is not in the table.
  public mutating func move<List: Hashable & Sendable>(
    _ id: ID,
    to position: Int,
    in order: ManualOrder<Entity>,
    list: List
  ) throws {
    try place(id, in: order, list) { Swift.max(0, Swift.min(position, $0)) }
  }

  /// Removes an entity from a list; it stays in the table.
  ///
  /// With an order within lists its list stays as it is, and its place is nil. O(log n). Throws
  /// ``EntityError/notFound(table:id:)`` if it is not in the table.
  public mutating func remove(_ id: ID, from list: ManualOrder<Entity>) throws {
    try update(id) { $0[keyPath: list.place] = nil }
  }

  /// Removes every entity from a list; they stay in the table.
  ///
  /// With an order within lists, from all of them. O(log n) for each entity of the list.
  public mutating func removeAll(from list: ManualOrder<Entity>) {
    let placed = list.hasLists ? filter { $0[keyPath: list.place] != nil } : Array(self[list])
    for entity in placed {
      var entity = entity
      entity[keyPath: list.place] = nil
      insert(entity)
    }
  }

  private func sorted(_ order: ManualOrder<Entity>, _ list: Any?) -> SortedEntities<Entity, Rank> {
    SortedEntities(members: order.members(indexes.box(of: order), list), storage: storage)
  }

  /// Places an entity in a list, or in its own; the position is one of the others.
  private mutating func place(
    _ id: ID,
    in order: ManualOrder<Entity>,
    _ newList: Any?,
    at position: (_ count: Int) -> Int
  ) throws {
    try update(id) { entity in
      entity[keyPath: order.place] = nil
      if let newList { order.setList(&entity, newList) }
    }
    guard let list = self[id].flatMap(order.list) else { return }
    let position = position(sorted(order, list).count)
    try spread(order, list, around: position)
    let others = sorted(order, list)
    let rank = Rank(
      after: position > 0 ? others[position - 1][keyPath: order.place] : nil,
      before: position < others.count ? others[position][keyPath: order.place] : nil
    )
    try update(id) { $0[keyPath: order.place] = rank }
    if rank.length > ManualOrder<Entity>.longest { try shorten(order, list, around: position) }
  }

  /// Gives entities with the same place, the second of which is at the position, different places.
  private mutating func spread(
    _ order: ManualOrder<Entity>,
    _ list: Any,
    around position: Int
  ) throws {
    let others = sorted(order, list)
    guard position > 0, position < others.count,
      let rank = others[position][keyPath: order.place],
      others[position - 1][keyPath: order.place] == rank
    else { return }
    let same = others.range(from: rank, through: rank)
    let next = same.endIndex < others.count ? others[same.endIndex][keyPath: order.place] : nil
    let places = Rank.ranks(same.count - 1, after: rank, before: next)
    for (id, place) in zip(Array(same.ids.dropFirst()), places) {
      try update(id) { $0[keyPath: order.place] = place }
    }
  }

  /// Gives as many neighbours of a position new places as it takes for them to be short.
  private mutating func shorten(
    _ order: ManualOrder<Entity>,
    _ list: Any,
    around position: Int
  ) throws {
    let all = sorted(order, list)
    var width = 16
    while true {
      let range = Swift.max(0, position - width)..<Swift.min(all.count, position + width)
      let lower = range.lowerBound > 0 ? all[range.lowerBound - 1][keyPath: order.place] : nil
      let upper = range.upperBound < all.count ? all[range.upperBound][keyPath: order.place] : nil
      width *= 4
      if let lower, let upper, lower >= upper { continue }
      let places = Rank.ranks(range.count, after: lower, before: upper)
      let isShort = places.allSatisfy { $0.length <= ManualOrder<Entity>.longest / 2 }
      guard isShort || range.count == all.count else { continue }
      for (id, place) in zip(Array(all[range].ids), places) {
        try update(id) { $0[keyPath: order.place] = place }
      }
      return
    }
  }
}
