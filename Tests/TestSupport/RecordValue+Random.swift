import Foundation
package import StrataRecords

extension RecordValue {
  /// A value of a kind: an extreme one, or one of random bits.
  package static func random(
    _ scalar: Scalar,
    using generator: inout some RandomNumberGenerator
  ) -> RecordValue {
    let bits = generator.next()
    let isExtreme = generator.next() % 3 == 0
    switch scalar {
    case .bool: return .bool(bits % 2 == 0)
    case .int8: return .int(Int64(Int8(truncatingIfNeeded: bits)), .bits8)
    case .int16: return .int(Int64(Int16(truncatingIfNeeded: bits)), .bits16)
    case .int32: return .int(Int64(Int32(truncatingIfNeeded: bits)), .bits32)
    case .int64:
      return .int(
        isExtreme ? [.min, .max, 0, -1][Int(bits % 4)] : Int64(bitPattern: bits),
        .bits64
      )
    case .uint8: return .uint(UInt64(UInt8(truncatingIfNeeded: bits)), .bits8)
    case .uint16: return .uint(UInt64(UInt16(truncatingIfNeeded: bits)), .bits16)
    case .uint32: return .uint(UInt64(UInt32(truncatingIfNeeded: bits)), .bits32)
    case .uint64: return .uint(isExtreme ? [.max, 0, 1 << 63][Int(bits % 3)] : bits, .bits64)
    case .float:
      let extremes: [Float] = [
        -0.0, .nan, Float(bitPattern: 0xFFC0_0001), .infinity, -.infinity, 16_777_216,
        .leastNonzeroMagnitude,
      ]
      return .float(
        isExtreme
          ? extremes[Int(bits % UInt64(extremes.count))]
          : Float(bitPattern: UInt32(truncatingIfNeeded: bits))
      )
    case .double: return .double(double(bits, isExtreme))
    case .date: return .date(date(bits, isExtreme, using: &generator))
    case .string: return .string(text(using: &generator))
    case .url:
      let urls = ["https://a.b/%C3%A4?x=1#f", "mailto:a@b.c", "/relative/\(bits)", "x:"]
      return .url(URL(string: urls[Int(bits % 4)]) ?? URL(fileURLWithPath: "/"))
    case .data:
      return .data(Data((0..<Int(bits % 9)).map { UInt8(truncatingIfNeeded: bits >> ($0 * 7)) }))
    case .uuid:
      let other = generator.next()
      return .uuid(
        withUnsafeBytes(of: (bits, other)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      )
    case .decimal: return .decimal(decimal(bits, isExtreme, using: &generator))
    }
  }

  private static func double(_ bits: UInt64, _ isExtreme: Bool) -> Double {
    let extremes: [Double] = [
      -0.0, .nan, Double(bitPattern: 0x7FF8_0000_0000_0001), .infinity, -.infinity, 1e20,
      .leastNonzeroMagnitude, .greatestFiniteMagnitude,
      0x1p53, 0.1 + 0.2,
    ]
    return isExtreme ? extremes[Int(bits % UInt64(extremes.count))] : Double(bitPattern: bits)
  }

  private static func date(
    _ bits: UInt64,
    _ isExtreme: Bool,
    using generator: inout some RandomNumberGenerator
  ) -> Date {
    let seconds =
      switch bits % 4 {
      case 0 where isExtreme: double(generator.next(), true)
      case 1 where isExtreme: 252_423_993_599.999_999
      case 0: Double(Int64(bitPattern: bits) % 1_000_000_000) / 1_000
      case 1: Double(Int64(bitPattern: bits) % 1_000_000_000_000) / 1_000_000
      case 2: Double(Int64(bitPattern: bits) % 1_000_000_000) / 1e9
      default: Double(bitPattern: bits)
      }
    return Date(timeIntervalSinceReferenceDate: seconds)
  }

  private static func decimal(
    _ bits: UInt64,
    _ isExtreme: Bool,
    using generator: inout some RandomNumberGenerator
  ) -> Decimal {
    if isExtreme, bits % 4 == 0 { return .nan }
    let digits = "\(bits)\(generator.next())".prefix(isExtreme ? 38 : Int(bits % 20) + 1)
    let exponent = isExtreme ? -Int(bits % 100) : -Int(bits % 12)
    return Decimal(string: "\(bits % 2 == 0 ? "-" : "")\(digits)e\(exponent)") ?? 0
  }

  private static func text(using generator: inout some RandomNumberGenerator) -> String {
    let parts = [
      "", "null", "NaN", "12", "007", "true", "\"", ",", "\r\n", "\n", "\t", "\u{AD}", "\u{2028}",
      "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🇨🇭", "é", "e\u{301}", "{\"a\":1}", "[", " ", "\u{0}", "\u{1B}", "\u{FEFF}",
      "2026-02-03", "'", "\\", "日本", "\"\u{301}", "'\u{200D}", ",\u{301}",
    ]
    return (0..<Int(generator.next() % 4)).map { _ in parts.randomElement(using: &generator) ?? "" }
      .joined()
  }
}
