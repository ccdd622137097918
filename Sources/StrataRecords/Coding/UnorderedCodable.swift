/// A type whose `encode(to:)` writes its parts in no particular order, as a hashed collection does.
///
/// ```swift
/// extension TreeSet: @retroactive UnorderedCodable where Element: Codable {
///   public static var storedOrder: StoredOrder { .elements }
/// }
/// ```
///
/// A record has the parts in the order of their bytes, so that equal values have equal bytes in every process,
/// whatever the order in which a process hashes them. `Set` and `Dictionary` are of this kind.
///
/// The parts are those of the unkeyed container that the type asks its own encoder for. A type that passes its
/// encoder on, `try contents.encode(to: encoder)`, hides the type of its contents: let it conform too, or
/// encode the contents in a single value container. Members of a keyed container are always stored in one
/// order.
///
/// Ordering costs O(n · log n) for n parts, and a copy of their bytes.
public protocol UnorderedCodable: Encodable {
  /// Which parts are put in order.
  static var storedOrder: StoredOrder { get }
}

/// How the parts of an ``UnorderedCodable`` type are put in order.
public enum StoredOrder: Sendable {
  /// Each part alone, by its bytes.
  case elements
  /// Keys and values in turn: pairs, by the bytes of their keys.
  case pairs

  /// How many parts stay together.
  var groupSize: Int {
    switch self {
    case .elements: 1
    case .pairs: 2
    }
  }
}

extension Set: UnorderedCodable where Element: Encodable {
  /// Each element alone.
  public static var storedOrder: StoredOrder { .elements }
}

extension Dictionary: UnorderedCodable where Key: Encodable, Value: Encodable {
  /// Pairs; a dictionary whose keys are texts or integers writes a keyed container.
  public static var storedOrder: StoredOrder { .pairs }
}
