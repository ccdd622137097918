/// A position in a ``ManualOrder``; between any two there is always another.
///
/// It is stored with the entity as one text and sorts like it. Appending or prepending a million times
/// makes ranks of up to seven digits. Inserting repeatedly at the same place within a list makes them
/// longer by about one digit every six times; a ``ManualOrder`` shortens those that have grown.
public struct Rank: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
  /// The digits, each a byte from `0`; never empty, and never ending with the lowest digit.
  private let digits: [UInt8]

  private static let base: UInt8 = 64
  private static let zero = UInt8(ascii: "0")

  private init(_ digits: [UInt8]) { self.digits = digits }

  /// A rank after `lower` and before `upper`; without a bound, after or before all others.
  ///
  /// O(length of the longer). Between bounds that are equal or in the wrong order, as data may have them, there is none: then
  /// the rank is after the lower one only.
  public init(after lower: Rank?, before upper: Rank?) {
    if let lower, let upper, lower >= upper {
      self = lower.next
      return
    }
    switch (lower, upper) {
    case (let lower?, nil): self = lower.next
    case (nil, let upper?): self = upper.previous
    default: self.init(Self.digits(between: lower?.digits ?? [], and: upper?.digits))
    }
  }

  /// The digits as text.
  public var description: String {
    String(decoding: digits.map { $0 + Self.zero }, as: UTF8.self)
  }

  /// In the order of the digits.
  public static func < (a: Rank, b: Rank) -> Bool {
    a.digits.lexicographicallyPrecedes(b.digits)
  }

  /// Ranks in their order, all of them after `lower` and before `upper`, as short as these allow.
  ///
  /// O(count). Between two bounds they are longer than those by a digit for each factor of 64.
  static func ranks(_ count: Int, after lower: Rank?, before upper: Rank?) -> [Rank] {
    guard count > 0 else { return [] }
    if let lower, let upper {
      // Halves, since one after the other they would grow towards the upper bound.
      let middle = Rank(after: lower, before: upper)
      return ranks(count / 2, after: lower, before: middle) + [middle]
        + ranks(count - count / 2 - 1, after: middle, before: upper)
    }
    var ranks = [Rank(after: lower, before: upper)]
    while ranks.count < count {
      let last = ranks[ranks.count - 1]
      ranks.append(upper == nil ? last.next : last.previous)
    }
    return upper == nil ? ranks : ranks.reversed()
  }

  /// How many digits it has.
  var length: Int { digits.count }

  /// A rank after this one: the next value of a counter that never overflows.
  ///
  /// A counter after k of the highest digits has 2^k digits, the first of which is not the highest.
  private var next: Rank {
    var (lead, counter) = counter(after: Self.base - 1)
    var place = counter.count - 1
    while place > 0, counter[place] == Self.base - 1 {
      counter[place] = 0
      place -= 1
    }
    if place == 0, counter[0] >= Self.base - 2 {
      lead += 1
      counter = [UInt8](repeating: 0, count: 1 << min(lead, 5))
      place = counter.count - 1
    }
    counter[place] += 1
    return Rank([UInt8](repeating: Self.base - 1, count: lead) + counter).trimmed
  }

  /// A rank before this one: the same downwards, after lowest digits.
  private var previous: Rank {
    var (lead, counter) = counter(after: 0)
    var place = counter.count - 1
    while place > 0, counter[place] == 0 {
      counter[place] = Self.base - 1
      place -= 1
    }
    if place == 0, counter[0] <= 1 {
      lead += 1
      counter = [UInt8](repeating: Self.base - 1, count: 1 << min(lead, 5))
    } else {
      counter[place] -= 1
    }
    return Rank([UInt8](repeating: 0, count: lead) + counter).trimmed
  }

  /// How many times the rank starts with a digit, and the digits of the counter after them.
  private func counter(after digit: UInt8) -> (lead: Int, counter: [UInt8]) {
    let lead = digits.prefix { $0 == digit }.count
    // Ranks made between others may start with more of them than counting would reach.
    let width = 1 << min(lead, 5)
    let counter = digits.dropFirst(lead).prefix(width)
    return (lead, counter + [UInt8](repeating: 0, count: width - counter.count))
  }

  private var trimmed: Rank {
    var digits = digits
    while digits.count > 1, digits.last == 0 { digits.removeLast() }
    return Rank(digits)
  }

  private static func digits(between lower: [UInt8], and upper: [UInt8]?) -> [UInt8] {
    var digits: [UInt8] = []
    var upper = upper
    var place = 0
    while true {
      let low = place < lower.count ? lower[place] : 0
      let high = upper.map { place < $0.count ? $0[place] : 0 } ?? base
      if high - low > 1 { return digits + [low + (high - low) / 2] }
      digits.append(low)
      // Below the upper bound already: from here on only the lower one matters.
      if high > low { upper = nil }
      place += 1
    }
  }
}

extension Rank {
  /// Reads a rank from its text.
  ///
  /// Throws `DecodingError` if the text is not a rank.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    let digits = text.utf8.map { $0 &- Self.zero }
    guard let last = digits.last, last != 0, digits.allSatisfy({ $0 < Self.base }) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription:
          "\"\(text)\" is not a rank: a rank has digits from 0 to o and does not end with 0."
      )
    }
    self.digits = digits
  }

  /// Writes the digits as one text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
