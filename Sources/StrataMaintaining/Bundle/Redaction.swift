import Foundation
import StrataBase
package import StrataRecords

/// Replaces values by random ones of the same kind: equal values by equal ones, different values by different
/// ones.
///
/// The original cannot be computed from a replacement: only this object knows both. O(different values)
/// memory.
package struct Redaction {
  /// A generator of any type as one type.
  private struct AnyGenerator: RandomNumberGenerator {
    var base: any RandomNumberGenerator

    mutating func next() -> UInt64 { base.next() }
  }

  private var random: AnyGenerator
  /// By the original value with its tag.
  private var replacements: [[UInt8]: RecordValue] = [:]
  /// The replacements in use, each with its tag.
  private var taken: Set<[UInt8]> = []
  /// How many values were replaced.
  package private(set) var count = 0

  package init(_ random: any RandomNumberGenerator) {
    self.random = AnyGenerator(base: random)
  }

  /// The replacement of a value.
  ///
  /// - Parameters:
  ///   - kind: Its kind in the layout. The fields of a record keep their names; the keys of a dictionary are values like
  ///     any other.
  ///   - references: What it refers to: IDs stay.
  package mutating func replacement(
    for value: RecordValue,
    _ kind: Layout.Kind?,
    _ references: ReferencedTables? = nil
  ) -> RecordValue {
    if case .table? = references { return value }
    switch value {
    case .null: return .null
    case .array(let elements):
      let element: Layout.Kind? = if case .array(of: let known)? = kind { known } else { nil }
      var replaced: [RecordValue] = []
      for (index, value) in elements.enumerated() {
        replaced.append(replacement(for: value, element, references?.ofElement(index)))
      }
      return .array(.init(replaced))
    case .object(let members):
      var replaced: [RecordValue.Member] = []
      for member in members {
        if case .record(let fields)? = kind {
          let field = fields.first { $0.name == member.name }
          let value = replacement(for: member.value, field?.kind, field?.references)
          replaced.append(.init(member.name, value))
        } else {
          let name =
            references?.ofKeys == nil
            ? leaf(.string(member.name)).text ?? member.name : member.name
          let value = replacement(for: member.value, nil, references?.ofValues)
          replaced.append(.init(name, value))
        }
      }
      return .object(.init(replaced))
    default:
      count += 1
      return leaf(value)
    }
  }

  private mutating func leaf(_ value: RecordValue) -> RecordValue {
    let key = value.taggedBytes
    if let known = replacements[key] { return known }
    var length = 0
    var candidate = noise(like: value, longerBy: length)
    for attempt in 1...Self.attempts {
      let bytes = candidate.taggedBytes
      if !taken.contains(bytes), bytes != key || !hasChoice(value) { break }
      // If all values of a length are in use, a longer one is tried. Integers keep their length: there are as
      // many replacements as there are values.
      if attempt % Self.attemptsOfLength == 0 { length += 1 }
      candidate =
        (attempt > Self.attemptsOfLength ? Self.next(after: candidate, like: value) : nil)
        ?? noise(like: value, longerBy: length)
    }
    taken.insert(candidate.taggedBytes)
    replacements[key] = candidate
    return candidate
  }

  private static let attemptsOfLength = 256
  private static let attempts = 100_000

  /// Whether a value must not be replaced by itself.
  private func hasChoice(_ value: RecordValue) -> Bool {
    switch value {
    case .bool, .int, .uint: false
    case .string(let text): !text.isEmpty
    case .data(let data): !data.isEmpty
    case .double(let number): number.isFinite
    case .float(let number): number.isFinite
    default: true
    }
  }

  private mutating func noise(like value: RecordValue, longerBy length: Int) -> RecordValue {
    switch value {
    case .null, .array, .object: return value
    case .bool: return .bool(Bool.random(using: &random))
    case .int(let number, let width):
      return .int(Int64.random(in: Self.range(like: number, width), using: &random), width)
    case .uint(let number, let width):
      return .uint(UInt64.random(in: Self.range(like: number, width), using: &random), width)
    case .double(let number):
      guard number.isFinite else { return value }
      let digits = random.next() & 0xF_FFFF_FFFF_FFFF
      return .double(Double(bitPattern: number.bitPattern & ~0xF_FFFF_FFFF_FFFF | digits))
    case .float(let number):
      guard number.isFinite else { return value }
      let digits = UInt32(truncatingIfNeeded: random.next()) & 0x7F_FFFF
      return .float(Float(bitPattern: number.bitPattern & ~0x7F_FFFF | digits))
    case .string(let text):
      return text.isEmpty ? value : .string(letters(text.count + length))
    case .data(let data):
      if data.isEmpty { return value }
      return .data(
        Data((0..<data.count + length).map { _ in UInt8.random(in: .min ... .max, using: &random) })
      )
    case .date:
      // A moment between 2000 and 2030, in whole milliseconds.
      let milliseconds = Int64.random(in: -31_622_400_000...915_148_800_000, using: &random)
      return .date(Date(timeIntervalSinceReferenceDate: Double(milliseconds) / 1_000))
    case .uuid:
      let (high, low) = (random.next(), random.next())
      return .uuid(
        withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      )
    case .url:
      return URL(string: "https://example.com/\(letters(16))").map { .url($0) } ?? value
    case .decimal(let number):
      let digits = min(max(number.description.count { $0.isNumber }, 1) + length, 18)
      let limit = Self.power(digits)
      return .decimal(Decimal(Int64.random(in: limit / 10...limit - 1, using: &random)))
    }
  }

  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789")

  private mutating func letters(_ count: Int) -> String {
    String(
      (0..<count).map { _ in
        Self.alphabet[Int.random(in: Self.alphabet.indices, using: &random)]
      }
    )
  }

  /// 10 to a power of at most 18.
  private static func power(_ exponent: Int) -> Int64 {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  /// The integers with the sign of a number and as many digits.
  private static func range(like number: Int64, _ width: IntegerWidth) -> ClosedRange<Int64> {
    let digits = "\(number.magnitude)".count
    let least: Int64 = digits == 1 ? (number < 0 ? 1 : 0) : power(digits - 1)
    let most: Int64 = digits > 18 ? .max : power(digits) - 1
    let limits: ClosedRange<Int64> =
      switch width {
      case .bits8: Int64(Int8.min)...Int64(Int8.max)
      case .bits16: Int64(Int16.min)...Int64(Int16.max)
      case .bits32: Int64(Int32.min)...Int64(Int32.max)
      case .bits64: Int64.min...Int64.max
      }
    if number < 0 {
      let lowest = digits > 18 ? limits.lowerBound : max(limits.lowerBound, -most)
      return lowest ... -least
    }
    return least...min(most, limits.upperBound)
  }

  private static func range(like number: UInt64, _ width: IntegerWidth) -> ClosedRange<UInt64> {
    let digits = "\(number)".count
    let least: UInt64 = digits == 1 ? 0 : (1..<digits).reduce(1) { power, _ in power * 10 }
    let (next, overflows) = least.multipliedReportingOverflow(by: 10)
    let most: UInt64 = digits == 1 ? 9 : overflows ? .max : next - 1
    let limit: UInt64 =
      switch width {
      case .bits8: UInt64(UInt8.max)
      case .bits16: UInt64(UInt16.max)
      case .bits32: UInt64(UInt32.max)
      case .bits64: .max
      }
    return least...min(most, limit)
  }

  /// The integer after another, among those like a value; nil for other kinds.
  private static func next(after candidate: RecordValue, like value: RecordValue) -> RecordValue? {
    switch (candidate, value) {
    case (.int(let last, _), .int(let number, let width)):
      let range = range(like: number, width)
      return .int(last < range.upperBound ? last + 1 : range.lowerBound, width)
    case (.uint(let last, _), .uint(let number, let width)):
      let range = range(like: number, width)
      return .uint(last < range.upperBound ? last + 1 : range.lowerBound, width)
    default: return nil
    }
  }
}
