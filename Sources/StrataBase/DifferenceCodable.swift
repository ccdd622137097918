/// A part of a value whose difference from an earlier one is encoded at the cost of what differs.
///
/// Entity tables are such parts. A caller that encodes a state with a ``SeparateParts`` in the user info of
/// the encoder finds a reference in place of each part, and the part itself there.
package protocol DifferenceCodable: Codable, Sendable {
  /// What makes one part equal to another.
  associatedtype Difference: Codable

  /// What makes `old` equal to this part; nil if they are equal.
  func difference(from old: Self) -> Difference?

  /// This part with a difference applied.
  func applying(_ difference: Difference) -> Self
}

/// The parts of an encoded value, which contains a reference in place of each.
package final class SeparateParts: Sendable {
  /// The key of a `SeparateParts` in the user info of an encoder or decoder.
  package static let key: CodingUserInfoKey = {
    guard let key = CodingUserInfoKey(rawValue: "Strata.encodedParts") else {
      fatalError("The user info key of SeparateParts is invalid. Use another raw value.")
    }
    return key
  }()

  /// The only key of a reference; no property has it as its name.
  package static let referenceKey = "part#"

  private struct Reference: CodingKey {
    let stringValue = SeparateParts.referenceKey
    var intValue: Int? { nil }

    init() {}
    init?(stringValue: String) { if stringValue != SeparateParts.referenceKey { return nil } }
    init?(intValue: Int) { nil }
  }

  private let parts: Lock<[any DifferenceCodable]>

  /// Creates a list of parts to refer to.
  package init(_ parts: [any DifferenceCodable] = []) { self.parts = Lock(parts) }

  /// The parts, in the order of their references.
  package var all: [any DifferenceCodable] { parts.withLock { $0 } }

  /// Encodes a reference to a part; false, without effect, if the encoder does not ask for it.
  package static func encodeReference(
    to part: some DifferenceCodable,
    by encoder: any Encoder
  ) throws -> Bool {
    guard let list = encoder.userInfo[key] as? SeparateParts else { return false }
    let index = list.parts.withLock { parts in
      parts.append(part)
      return parts.count - 1
    }
    var container = encoder.container(keyedBy: Reference.self)
    try container.encode(index, forKey: Reference())
    return true
  }

  /// The part that a reference stands for; nil if there is no reference.
  package static func part<Part: DifferenceCodable>(
    _ type: Part.Type,
    from decoder: any Decoder
  ) throws -> Part? {
    guard let list = decoder.userInfo[key] as? SeparateParts else { return nil }
    let container: KeyedDecodingContainer<Reference>
    do {
      container = try decoder.container(keyedBy: Reference.self)
    } catch DecodingError.typeMismatch {
      return nil
    }
    guard container.contains(Reference()) else { return nil }
    let index = try container.decode(Int.self, forKey: Reference())
    let parts = list.all
    guard parts.indices.contains(index), let part = parts[index] as? Part else {
      throw DecodingError.dataCorruptedError(
        forKey: Reference(),
        in: container,
        debugDescription: "There is no part \(index) of the type \(Part.self)."
      )
    }
    return part
  }
}
