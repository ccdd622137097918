/// The difference between two databases as a value: the entities that differ, per table.
///
/// It is a pure function of the two databases. For any two of one type,
/// `old.applying(ChangeSet(from: old, to: new)) == new`.
public struct ChangeSet: Sendable {
  /// The changed tables, in the order of their names.
  public private(set) var tables: [any AnyTableChanges]

  /// Creates an empty change set.
  public init() { tables = [] }

  /// Creates the change set of these tables, which are in the order of their names and not empty.
  package init(tables: [any AnyTableChanges]) { self.tables = tables }

  /// Creates the change set of these tables, none of them empty.
  package init(sorting tables: [any AnyTableChanges]) {
    self.tables = tables.sorted { $0.table < $1.table }
  }

  /// Whether nothing changed.
  public var isEmpty: Bool { tables.isEmpty }

  /// How many entities changed.
  public var count: Int { tables.reduce(0) { $0 + $1.count } }

  /// The changes of one table; empty if it holds entities of another type or did not change.
  public func changes<Entity: EntityType>(
    of type: Entity.Type,
    in table: TableName? = nil
  ) -> [EntityChange<Entity>] {
    let name = table ?? Entity.tableName
    for case let changes as TableChanges<Entity> in tables where changes.table == name {
      return changes.changes
    }
    return []
  }
}

extension ChangeSet: Equatable {
  /// Equal when the same entities changed in the same way.
  public static func == (a: ChangeSet, b: ChangeSet) -> Bool {
    a.tables.count == b.tables.count
      && zip(a.tables, b.tables).allSatisfy { $0.isEqual(to: $1) }
  }
}

extension ChangeSet: CustomStringConvertible {
  /// `users: 2 put, 1 removed; books: 1 put`, or `no changes`.
  public var description: String {
    guard !isEmpty else { return "no changes" }
    return tables.map(\.summary).joined(separator: "; ")
  }
}

extension AnyTableChanges {
  /// How many entities of the table changed.
  public var count: Int { changes.count }

  var summary: String {
    let puts = changes.count { if case .put = $0 { true } else { false } }
    let counts = [(puts, "put"), (changes.count - puts, "removed")].filter { $0.0 > 0 }
    return "\(table): " + counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

extension ChangeSet {
  /// The changes of the tables for whose names the predicate holds.
  package func filter(_ isWanted: (TableName) -> Bool) -> ChangeSet {
    ChangeSet(tables: tables.filter { isWanted($0.table) })
  }
}

extension ChangeSet {
  /// These changes followed by the `later` ones, as one; of two changes of an entity, the later is kept.
  ///
  /// O(changes of both).
  public func merging(_ later: ChangeSet) -> ChangeSet {
    var merged: [any AnyTableChanges] = []
    var remaining = later.tables
    for earlier in tables {
      let index = remaining.firstIndex { $0.table == earlier.table }
      guard let index else {
        merged.append(earlier)
        continue
      }
      let later = remaining.remove(at: index)
      merged.append(earlier.merging(later) ?? later)
    }
    return ChangeSet(sorting: merged + remaining)
  }
}
