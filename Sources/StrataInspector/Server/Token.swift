import Foundation

/// The secret in the addresses of a page: 128 random bits.
///
/// It stands in the path and not in a cookie: a browser sends cookies of a host to all of its ports, so every
/// other server on this machine would get it.
struct Token: Sendable {
  /// 32 hexadecimal digits.
  let text: String

  init() {
    var generator = SystemRandomNumberGenerator()
    text = (0..<4).map { _ in
      let digits = String(UInt32.random(in: .min ... .max, using: &generator), radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  /// Whether a text is the token, in a time that does not depend on where they differ.
  func matches(_ other: Substring) -> Bool {
    let (own, other) = (Array(text.utf8), Array(other.utf8))
    guard own.count == other.count else { return false }
    return zip(own, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
