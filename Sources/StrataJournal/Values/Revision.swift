/// The number of a delta, counted from 1 without gaps; 0 is the state before the first delta.
public struct Revision: Hashable, Comparable, Sendable, Codable, LosslessStringConvertible,
  ExpressibleByIntegerLiteral
{
  /// The number.
  public let number: Int64

  /// Creates the revision with this number.
  public init(_ number: Int64) { self.number = number }

  /// Creates the revision with this number.
  public init(integerLiteral value: Int64) { number = value }

  /// Creates the revision with the number of this text, as a person types it; nil for other texts and
  /// for negative numbers.
  public init?(_ description: String) {
    guard let number = Int64(description), number >= 0 else { return nil }
    self.number = number
  }

  /// Decodes a single number.
  public init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int64.self)
  }

  /// Encodes a single number.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }

  /// The next revision; the last one is its own.
  public var next: Revision { number == .max ? self : Revision(number + 1) }

  /// The revision before; the first one is its own.
  package var previous: Revision { number == .min ? self : Revision(number - 1) }

  /// The number, in digits.
  public var description: String { "\(number)" }

  /// Orders revisions by their numbers.
  public static func < (a: Revision, b: Revision) -> Bool { a.number < b.number }
}
