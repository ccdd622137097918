package import Foundation

/// A number as RFC 8259 writes it, with all of its digits: `-12`, `0.5`, `1e+20`.
///
/// `+1`, `01`, `.5`, `1.` and `0x1p3` are no numbers. Two texts of one number are equal, whatever their zeros and
/// exponents; -0 is 0 here.
package struct NumberText: Equatable {
  /// The digits without zeros at either end, as ASCII; none for 0.
  private let digits: [UInt8]
  /// The power of ten of the last digit.
  private let exponent: Int
  private let isNegative: Bool

  /// No kind holds a number with such an exponent, or with a larger one.
  private static let largestExponent = 999_999

  /// The number of a text; nil for any other text.
  ///
  /// O(text).
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    var offset = 0
    func digits() -> ArraySlice<UInt8> {
      let found = bytes[offset...].prefix { (48...57).contains($0) }
      offset = found.endIndex
      return found
    }
    func takes(_ accepted: UInt8...) -> Bool {
      guard offset < bytes.count, accepted.contains(bytes[offset]) else { return false }
      offset += 1
      return true
    }
    let isNegative = takes(UInt8(ascii: "-"))
    let whole = digits()
    guard !whole.isEmpty, whole.first != 48 || whole.count == 1 else { return nil }
    var fraction: ArraySlice<UInt8> = []
    if takes(UInt8(ascii: ".")) {
      fraction = digits()
      if fraction.isEmpty { return nil }
    }
    var exponent = 0
    if takes(UInt8(ascii: "e"), UInt8(ascii: "E")) {
      let isBelowOne = offset < bytes.count && bytes[offset] == UInt8(ascii: "-")
      _ = takes(UInt8(ascii: "-"), UInt8(ascii: "+"))
      let power = digits()
      let significant = power.drop { $0 == 48 }
      if power.isEmpty { return nil }
      let size =
        significant.count > 6
        ? Self.largestExponent : significant.reduce(0) { $0 * 10 + Int($1 - 48) }
      exponent = isBelowOne ? -size : size
    }
    guard offset == bytes.count else { return nil }
    var all = Array((whole + fraction).drop { $0 == 48 })
    exponent -= fraction.count
    while all.last == 48 {
      all.removeLast()
      exponent += 1
    }
    self.digits = all
    self.exponent = all.isEmpty ? 0 : exponent
    self.isNegative = isNegative && !all.isEmpty
  }

  /// Whether a double, as it is printed, is this number.
  package func isPrinted(of double: Double) -> Bool {
    double.isFinite && NumberText(double.description) == self
  }

  /// The number as an integer; nil if it has a fraction, or is out of range.
  package func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
    let longest = 20
    guard exponent >= 0, digits.count + exponent <= longest else {
      return digits.isEmpty ? 0 : nil
    }
    let zeros = [UInt8](repeating: 48, count: exponent)
    let text = String(decoding: digits + zeros, as: UTF8.self)
    return digits.isEmpty ? 0 : Integer((isNegative ? "-" : "") + text)
  }

  /// The number as a decimal; nil if that holds fewer digits, of which it has 38.
  package var decimal: Decimal? {
    let text = "\(isNegative ? "-" : "")\(String(decoding: digits, as: UTF8.self))e\(exponent)"
    guard !digits.isEmpty else { return 0 }
    // Foundation cuts digits off that it has no room for.
    guard let decimal = Decimal(string: text), !decimal.isNaN,
      NumberText(decimal.description) == self
    else { return nil }
    return decimal
  }

  /// The whole part, rounded down, and the digits behind it, none of them a zero at the end.
  ///
  /// Nil for a number with more digits than 64 bits hold.
  package var floored: (whole: Int64, fraction: String)? {
    let places = max(0, -exponent)
    let longest = 18
    guard places <= longest, digits.count + max(0, exponent) <= longest else { return nil }
    let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 48) }
    func power(_ count: Int) -> Int64 { (0..<count).reduce(1) { power, _ in power * 10 } }
    let signed = (isNegative ? -number : number) * power(max(0, exponent))
    let (whole, rest) = signed.quotientAndRemainder(flooredBy: power(places))
    if places == 0 { return (whole, "") }
    let fraction = String(rest)
    return (whole, String(repeating: "0", count: places - fraction.count) + fraction)
  }
}
