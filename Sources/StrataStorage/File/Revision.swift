/// The number of a delta, counted from 1 without gaps; 0 is the state before the first delta.
public struct Revision: Hashable, Comparable, Sendable, Codable, CustomStringConvertible,
  ExpressibleByIntegerLiteral
{
  /// The number.
  public let number: Int64

  /// Creates the revision with this number.
  public init(_ number: Int64) { self.number = number }

  /// Creates the revision with this number.
  public init(integerLiteral value: Int64) { number = value }

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
