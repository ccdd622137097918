/// The identity of an entity, typed by the entity: an airport's ID is not an airline's ID.
///
/// It is coded and printed as its raw value, and can be written as a literal if the raw type can:
/// `let jfk: Airport.ID = "JFK"`.
@frozen
public struct EntityID<Entity: EntityType>: Hashable, Sendable {
  /// The raw value of the ID.
  public let raw: Entity.RawID

  /// Creates the ID with this raw value.
  @inlinable
  public init(_ raw: Entity.RawID) { self.raw = raw }

  /// Equal when the raw values are.
  @inlinable
  public static func == (a: EntityID, b: EntityID) -> Bool { a.raw == b.raw }

  /// Hashes the raw value.
  @inlinable
  public func hash(into hasher: inout Hasher) { hasher.combine(raw) }
}

extension EntityID: Codable {
  /// Decodes the raw value.
  public init(from decoder: any Decoder) throws {
    raw = try decoder.singleValueContainer().decode(Entity.RawID.self)
  }

  /// Encodes the raw value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(raw)
  }
}

extension EntityID: CustomStringConvertible {
  /// The raw value, as text.
  public var description: String { "\(raw)" }
}

extension EntityID: Comparable where Entity.RawID: Comparable {
  /// In the order of the raw values.
  @inlinable
  public static func < (a: EntityID, b: EntityID) -> Bool { a.raw < b.raw }
}

extension EntityID: ExpressibleByUnicodeScalarLiteral
where Entity.RawID: ExpressibleByUnicodeScalarLiteral {
  /// Creates the ID from a literal.
  public init(unicodeScalarLiteral value: Entity.RawID.UnicodeScalarLiteralType) {
    raw = Entity.RawID(unicodeScalarLiteral: value)
  }
}

extension EntityID: ExpressibleByExtendedGraphemeClusterLiteral
where Entity.RawID: ExpressibleByExtendedGraphemeClusterLiteral {
  /// Creates the ID from a literal.
  public init(
    extendedGraphemeClusterLiteral value: Entity.RawID.ExtendedGraphemeClusterLiteralType
  ) {
    raw = Entity.RawID(extendedGraphemeClusterLiteral: value)
  }
}

extension EntityID: ExpressibleByStringLiteral
where Entity.RawID: ExpressibleByStringLiteral {
  /// Creates the ID from a literal.
  public init(stringLiteral value: Entity.RawID.StringLiteralType) {
    raw = Entity.RawID(stringLiteral: value)
  }
}

extension EntityID: ExpressibleByIntegerLiteral
where Entity.RawID: ExpressibleByIntegerLiteral {
  /// Creates the ID from a literal.
  public init(integerLiteral value: Entity.RawID.IntegerLiteralType) {
    raw = Entity.RawID(integerLiteral: value)
  }
}
