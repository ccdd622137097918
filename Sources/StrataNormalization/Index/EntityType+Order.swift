extension EntityType {
  /// No indexes.
  public static var indexes: EntityIndexes<Self> { [] }

  /// By hash: an arbitrary order that differs between processes.
  @inlinable
  public static func isOrdered(_ a: EntityID<Self>, before b: EntityID<Self>) -> Bool {
    a.hashValue < b.hashValue
  }
}

extension EntityType where RawID: Comparable {
  /// By raw value.
  @inlinable
  public static func isOrdered(_ a: EntityID<Self>, before b: EntityID<Self>) -> Bool { a < b }
}
