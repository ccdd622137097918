extension EntityTable {
  /// The entities in the order of a field, then of their IDs.
  ///
  /// O(n log n). An ``OrderedIndex`` keeps them sorted.
  @inlinable
  public func sorted<Field: Comparable>(by field: (Entity) -> Field) -> [Entity] {
    map { (field($0), $0) }
      .sorted { a, b in
        a.0 < b.0 || (a.0 == b.0 && Entity.isOrdered(a.1.id, before: b.1.id))
      }
      .map(\.1)
  }
}
