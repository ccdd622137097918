import TestSupport
import Testing

/// Reading a record takes memory in proportion to its bytes, whatever values it has.
@Suite(.enabled(if: !LimitedProcess.isSanitized, "a sanitizer has a memory of its own"))
struct AmplificationTests {
  private static let size = 1 << 19

  @Test(
    arguments: [
      "nulls", "bools", "emptyArrays", "emptyMembers", "absentFields", "nullFields", "controls",
    ]
  )
  func `a record of many small values takes at most eight times its bytes`(kind: String) throws {
    let (code, lines) = try ChildProcess("CrashChild", ["-", "0", "amplify", kind]).finish()
    #expect(code == 0)
    let numbers = try #require(lines.first).split(separator: " ").map { Int($0) }
    try #require(numbers.count == 3)
    // Not every system reports the peak.
    if let untyped = numbers[0] { #expect(untyped <= 8 * Self.size) }
    if let typed = numbers[1] { #expect(typed <= 8 * Self.size) }
    #expect(numbers[2] ?? 0 > Self.size / 251)
  }
}
