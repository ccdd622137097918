public import StrataNormalization
public import StrataRecords

/// IDs, which are stored as their raw values.
extension RecordFieldReader {
  /// Reads an ID.
  @inlinable
  public mutating func decode<Entity>(
    _ field: StaticString,
    as type: EntityID<Entity>.Type = EntityID<Entity>.self
  ) throws -> EntityID<Entity> {
    EntityID(try decode(field) as Entity.RawID)
  }

  /// Reads an ID, or nil.
  @inlinable
  public mutating func decodeIfPresent<Entity>(
    _ field: StaticString,
    as type: EntityID<Entity>.Type = EntityID<Entity>.self
  ) throws -> EntityID<Entity>? {
    (try decodeIfPresent(field) as Entity.RawID?).map { EntityID($0) }
  }
}

/// IDs, which are stored as their raw values.
extension RecordFieldWriter {
  /// Writes an ID.
  public mutating func encode<Entity>(_ field: StaticString, _ value: EntityID<Entity>) {
    encode(field, value.raw, as: EntityID<Entity>.self, .composed)
  }

  /// Writes an ID, or nothing.
  public mutating func encodeIfPresent<Entity>(
    _ field: StaticString,
    _ value: EntityID<Entity>?
  ) {
    if let value { encode(field, value) } else { encodeIfPresent(field, nil as Entity.RawID?) }
  }
}
