import Foundation
import StrataRecords
import TestSupport
import Testing

/// The one text of each kind of value.
@Suite struct ScalarTextTests {
  private func read(_ text: String, as scalar: Scalar) -> RecordValue? {
    ScalarText.value(text, as: scalar)
  }

  @Test(arguments: [
    ("1.234.567", Scalar.decimal), ("-", .decimal), ("", .decimal), ("03.02.2026", .decimal),
    ("192.168.0.1", .decimal), ("1,5", .decimal), (" 1", .decimal), ("1e", .decimal),
    ("123456789012345678901234567890123456789.5", .decimal), ("1e200", .decimal), (".5", .decimal),
    ("01", .int64), ("+1", .int64), ("-", .int64), ("1.5", .int64), ("0x10", .int64),
    ("9223372036854775808", .int64), ("300", .uint8), ("-1", .uint8), (".5", .double),
    ("1.", .double),
    ("+1", .double), ("01", .double), ("1e999", .double), ("inf", .double), ("nan", .double),
    ("0x1p3", .double), ("NaN(0x1)", .double), ("1e300", .float), ("yes", .bool), ("2", .bool),
    (" 2026-02-03", .date), ("2026-02-03T", .date), ("2026-02-03 ", .date), ("2026-02-30", .date),
    ("2026-2-3", .date), ("2026-02-03T04", .date), ("2026-02-03T04:05:06.Z", .date),
    ("2026-02-03T04:05+2", .date), ("2026-02-03T04:05+24:00", .date), ("10000-01-01", .date),
    ("@", .date), ("@x", .date), ("AP8", .data), ("no UUID", .uuid),
  ])
  func `what is no text of a kind is refused`(text: String, kind: Scalar) {
    #expect(read(text, as: kind) == nil)
  }

  @Test(arguments: [
    ("12345678901234567.5", "12345678901234567.5"), ("1e+20", "100000000000000000000"),
    ("1.50", "1.5"), ("-0.10", "-0.1"), ("12e-2", "0.12"), ("0", "0"), ("-0", "0"), ("NaN", "NaN"),
    ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
    ("0.00000000000000000000000000000000000001", "0.00000000000000000000000000000000000001"),
  ])
  func `a decimal keeps its digits`(text: String, printed: String) throws {
    let value = try #require(read(text, as: .decimal))
    #expect(ScalarText.text(of: value) == printed)
    #expect(read(printed, as: .decimal) == value)
  }

  @Test(
    arguments: [
      ("2026-02-03T04:05:06Z", 791_784_306), ("2026-02-03 04:05:06", 791_784_306),
      ("2026-02-03T04:05:06+02:00", 791_777_106), ("2026-02-03T04:05:06+00", 791_784_306),
      ("2026-02-03T04:05:06+00:00", 791_784_306), ("2026-02-03T04:05:06-0130", 791_789_706),
      ("2026-02-03T04:05Z", 791_784_300), ("2026-02-03", 791_769_600), ("2026-02-03Z", 791_769_600),
      ("2026-02-03T04:05:06.789Z", 791_784_306.789),
      ("2001-01-01T00:00:00.123456789Z", 0.123456789),
      ("2000-12-31T23:59:59.999999999Z", -1e-9), ("2000-12-31T23:59:59.900Z", -0.1),
      ("9999-12-31 23:59:59.999999", 252_423_993_599.999_999),
      ("+010000-01-01T00:00:00Z", 252_423_993_600),
      ("-000001-12-31T00:00:00Z", -63_145_612_800), ("@-1e-20", -1e-20), ("@Infinity", .infinity),
    ] as [(String, Double)]
  )
  func `a time is the nearest one to its text`(text: String, seconds: Double) {
    #expect(read(text, as: .date) == .date(Date(timeIntervalSinceReferenceDate: seconds)))
  }

  @Test(arguments: [
    (1.1, "2001-01-01T00:00:01.1Z"), (-0.1, "2000-12-31T23:59:59.9Z"),
    (1e-9, "2001-01-01T00:00:00.000000001Z"),
    (0.1 + 0.2, "2001-01-01T00:00:00.30000000000000004Z"), (.leastNonzeroMagnitude, "@5e-324"),
    (252_423_993_600, "+010000-01-01T00:00:00Z"),
    (791_784_306.123_456, "2026-02-03T04:05:06.123456Z"),
  ])
  func `a time is written with the digits that it takes`(seconds: Double, text: String) {
    #expect(Date(timeIntervalSinceReferenceDate: seconds).iso8601Text == text)
  }

  @Test func `every value is read back bit for bit`() {
    var generator = RecordGenerator.printed("scalar texts")
    for _ in 0..<loopCount("STRATA_VALUES", 1_000) {
      for scalar in Scalar.allCases {
        let value = RecordValue.random(scalar, using: &generator)
        let text = ScalarText.text(of: value) ?? "none"
        // Foundation cannot describe some of the dates.
        let isSame = read(text, as: scalar) == value
        #expect(isSame, "\(scalar) \(text)")
        // As JSON, read as its kind.
        let node = JSONReader.value(value.json(), as: .scalar(scalar))
        let isSameInJSON = node.flatMap { scalar.stored($0) } == value
        #expect(isSameInJSON, "\(scalar) \(value.json())")
      }
    }
  }

  @Test(arguments: ["01", "+1", ".5", "1.", "-", "1e", "0x1", "- 1", "1e+", "--1", "1.5.2", "[01]"])
  func `a number that is not one of RFC 8259 is no JSON`(text: String) {
    #expect(JSONReader.value(text) == nil)
  }

  @Test func `a long number does not go through a double`() throws {
    let digits = "12345678901234567.5"
    let decimal = RecordValue.decimal(try #require(Decimal(string: digits)))
    #expect(JSONReader.value(digits) == decimal)
    #expect(JSONReader.value("12345678901234567.50", as: .scalar(.decimal)) == decimal)
    // Of a double nobody expects more digits than it has.
    let long = "0.1000000000000000055511151231257827021181583404541015625"
    #expect(JSONReader.value(long, as: .scalar(.double)) == .double(0.1))
    var reader = JSONReader(long)
    #expect(reader.whole() == nil)
    #expect(reader.problem == .tooManyDigits)
    var large = JSONReader("[1e999]")
    #expect(large.whole() == nil)
    #expect(large.problem == .outOfRange)
  }

  @Test(arguments: [#""\ud800""#, #""\ud83d\u0041""#, #"["\udc00"]"#])
  func `half of a surrogate pair is named`(text: String) {
    var reader = JSONReader(text)
    #expect(reader.whole() == nil)
    #expect(reader.problem == .halfCharacter)
    #expect(JSONReader.value(#""\ud83d\ude00""#) == .string("😀"))
  }
}
