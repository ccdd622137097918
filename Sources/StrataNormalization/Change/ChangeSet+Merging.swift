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
    return ChangeSet(tables: (merged + remaining).sorted { $0.table < $1.table })
  }
}
