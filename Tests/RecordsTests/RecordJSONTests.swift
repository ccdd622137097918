import Foundation
import StrataRecords
import TestSupport
import Testing

@Suite struct RecordJSONTests {
  private func object(_ json: String) throws -> NSObject {
    let read = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    return try #require(read as? NSObject)
  }

  @Test func `printed values are the JSON that Foundation prints`() throws {
    var generator = RecordGenerator.printed("printer")
    for _ in 0..<500 {
      let value = JSONLike.random(depth: 4, using: &generator)
      let (bytes, layout) = try record(value)
      let stored = try RecordValue(record: bytes, layout: layout)
      let oracle = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
      #expect(try object(stored.json()) == object(oracle))
      #expect(try object(stored.json(.indented)) == object(oracle))
      let read = try JSONDecoder().decode(JSONLike.self, from: Data(stored.json().utf8))
      #expect(read == value)
    }
  }

  @Test func `typed records print as Foundation prints their values`() throws {
    let pair = CodableFixtures.Pair(left: "l", right: 1)
    let value = CodableFixtures.Enums(
      shape: .group([.point, .labeled("x", at: pair)], main: .circle(radius: 1.5)),
      shapes: [.point],
      grade: .high,
      level: .two,
      byGrade: [.low: 1]
    )
    let (bytes, layout) = try record(value)
    let json = try RecordValue(record: bytes, layout: layout).json()
    let oracle = String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    #expect(try object(json) == object(oracle))
  }

  @Test func `every kind has its text`() throws {
    let value = RecordValue.object([
      .init("u64", .uint(.max, .bits64)), .init("i64", .int(.min, .bits64)),
      .init("nan", .double(.nan)), .init("inf", .float(-.infinity)), .init("d", .double(1e300)),
      .init("f", .float(0.1)), .init("data", .data(Data([0, 255]))),
      .init("date", .date(Date(timeIntervalSinceReferenceDate: 0.5))),
      .init("decimal", .decimal(try #require(Decimal(string: "12345678901234567890.5")))),
      .init("url", .url(try #require(URL(string: "https://a.b/c")))),
      .init("text", .string("\"\\\n\u{1}/é")), .init("none", .null), .init("yes", .bool(true)),
      .init("list", .array([])),
    ])
    let expected = #"""
      {"u64":18446744073709551615,"i64":-9223372036854775808,"nan":"NaN","inf":"-Infinity",\#
      "d":1e+300,"f":0.1,"data":"AP8=","date":"2001-01-01T00:00:00.5Z",\#
      "decimal":12345678901234567890.5,"url":"https://a.b/c","text":"\"\\\n\u0001/é","none":null,\#
      "yes":true,"list":[]}
      """#
    #expect(value.json() == expected)
    _ = try object(value.json())
  }

  @Test func `indented JSON has a member a line`() {
    let value = RecordValue.object([
      .init("a", .array([.int(1, .bits64), .object([])])), .init("b", .null),
    ])
    #expect(
      value.json(.indented) == """
        {
          "a": [
            1,
            {}
          ],
          "b": null
        }
        """
    )
  }

  @Test(
    arguments: [
      (0, "2001-01-01T00:00:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
      (-0.25, "2000-12-31T23:59:59.75Z"), (793_756_799.001, "2026-02-25T23:59:59.001Z"),
      (86_400 * 1_154, "2004-02-29T00:00:00Z"), (-1e-20, "@-1e-20"), (-0.0, "@-0.0"),
      (63_113_904_000, "4001-01-01T00:00:00Z"), (1e13, "+318888-05-20T17:46:40Z"),
      (-63_145_612_800, "-000001-12-31T00:00:00Z"), (.infinity, "@Infinity"), (.nan, "@NaN"),
    ] as [(Double, String)]
  )
  func `dates print as ISO 8601`(seconds: Double, text: String) {
    #expect(Date(timeIntervalSinceReferenceDate: seconds).iso8601Text == text)
  }

  @Test func `a value that Foundation cannot describe is described`() {
    let date = RecordValue.date(Date(timeIntervalSinceReferenceDate: .nan))
    #expect("\(date)" == "\"@NaN\"")
    #expect(String(describing: RecordValue.object([.init("at", date)])) == #"{"at":"@NaN"}"#)
    #expect(String(reflecting: RecordValue.array([date, .int(1, .bits64)])) == #"["@NaN",1]"#)
  }

  @Test func `printed dates since the Gregorian reform are those that Foundation prints`() throws {
    var generator = RecordGenerator.printed("iso")
    let style = Date.ISO8601FormatStyle()
    for _ in 0..<1_000 {
      let seconds = Int.random(in: -13_000_000_000...200_000_000_000, using: &generator)
      let date = Date(timeIntervalSinceReferenceDate: Double(seconds))
      #expect(date.iso8601Text == date.formatted(style))
    }
  }
}
