import Foundation
import StrataRecords
import TestSupport
import Testing

/// Whatever Foundation's JSON coders bring back, records bring back, and more.
@Suite struct RecordOracleTests {
  /// Writes the values with one writer, twice over, so that each meets the layout that comes of the
  /// others, and reads them back.
  private func expectRoundTrip<Value: Codable & Equatable>(
    _ values: [Value],
    oracle: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var writer = RecordWriter()
    for value in values + values + Array(repeating: values, count: 64 / values.count).joined() {
      var bytes: [UInt8] = []
      let layout = try writer.encode(value, into: &bytes)
      let reader = try RecordReader(layout: Layout(body: layout.body))
      let read = try reader.decode(Value.self, from: bytes)
      if oracle {
        let json = try JSONEncoder().encode(value)
        let expected = try JSONDecoder().decode(Value.self, from: json)
        #expect(read == expected, sourceLocation: sourceLocation)
      } else {
        #expect(read == value, sourceLocation: sourceLocation)
      }
      _ = try RecordValue(record: bytes, layout: layout).json()
    }
  }

  @Test func `every scalar keeps its extremes`() throws {
    try expectRoundTrip([CodableFixtures.Scalars.low, .high])
  }

  @Test func `dates, data, UUIDs, URLs and decimals come back exactly`() throws {
    try expectRoundTrip(
      [try CodableFixtures.Kinds.sample(), try CodableFixtures.Kinds.sample()],
      oracle: false
    )
  }

  @Test func `a date keeps every bit`() throws {
    var generator = RecordGenerator.printed("dates")
    let dates = (0..<500).map { _ in
      Date(timeIntervalSinceReferenceDate: Double(bitPattern: generator.next()))
    }
    for date in dates where date == date {
      let read = try copy(CodableFixtures.Wrapped([date]))
      #expect(read.value == [date])
    }
  }

  @Test func `not-a-number and the infinities are numbers like others`() throws {
    let read = try copy([Double.nan, .infinity, -.infinity, -0.0, .signalingNaN])
    let expected = [Double.nan, .infinity, -.infinity, -0.0, .signalingNaN]
    #expect(read.map(\.bitPattern) == expected.map(\.bitPattern))
    #expect(
      try copy([Float.nan, .infinity]).map(\.bitPattern)
        == [Float.nan, .infinity].map(\.bitPattern)
    )
  }

  @Test(arguments: ["0", "1", "-1", "0.1", "1e127", "1e-127", "123.4500"])
  func `decimals of every size come back`(text: String) throws {
    let decimal = try #require(Decimal(string: text))
    #expect(try copy([decimal]) == [decimal])
    #expect(try copy([Decimal.nan]).map(\.isNaN) == [true])
  }

  @Test func `optionals read as JSON reads them`() throws {
    try expectRoundTrip([
      CodableFixtures.Optionals(list: []),
      CodableFixtures.Optionals(
        text: "a",
        number: 1,
        date: Date(timeIntervalSinceReferenceDate: 0.5),
        nested: CodableFixtures.Pair(left: "l", right: 2),
        doubled: .some(.none),
        list: [1, nil, 3],
        lists: [["a"], nil, []]
      ),
      CodableFixtures.Optionals(doubled: 5, list: [nil], lists: .some([])),
    ])
  }

  @Test func `dictionaries keep keys of every type`() throws {
    let pair = CodableFixtures.Pair(left: "k", right: 1)
    try expectRoundTrip([
      CodableFixtures.Dictionaries(
        byText: [:],
        byNumber: [:],
        byPair: [:],
        byUUID: [:],
        nested: [:]
      ),
      CodableFixtures.Dictionaries(
        byText: ["a": 1, "": 2, "é": 3],
        byNumber: [1: "one", -5: "minus five"],
        byPair: [pair: 0.5],
        byUUID: [UUID(): ["x"], UUID(): []],
        nested: ["a": ["b": pair]]
      ),
    ])
    #expect(try copy([1.5: "a", 2.5: "b"]) == [1.5: "a", 2.5: "b"])
  }

  @Test func `enums keep their cases and payloads`() throws {
    let pair = CodableFixtures.Pair(left: "l", right: 1)
    try expectRoundTrip([
      CodableFixtures.Enums(
        shape: .point,
        shapes: [.circle(radius: 2), .point],
        grade: .low,
        level: nil,
        byGrade: [:]
      ),
      CodableFixtures.Enums(
        shape: .group([.point, .labeled("x", at: pair)], main: .circle(radius: 1)),
        shapes: [],
        grade: .high,
        level: .two,
        byGrade: [.low: 1]
      ),
    ])
  }

  @Test func `empty containers stay apart from absent ones`() throws {
    try expectRoundTrip([CodableFixtures.Empties()])
    try expectRoundTrip([CodableFixtures.Empty()])
  }

  @Test func `a type may nest in itself`() throws {
    let leaf = CodableFixtures.Tree(value: 3, children: [])
    let branch = CodableFixtures.Tree(value: 2, children: [leaf, leaf])
    try expectRoundTrip([
      leaf, branch, CodableFixtures.Tree(value: 1, children: [branch, leaf, branch]),
    ])
  }

  @Test func `superclasses write beside their subclasses`() throws {
    let owner = CodableFixtures.Animal(name: "Ann")
    try expectRoundTrip([CodableFixtures.Dog(name: "Rex", legs: 4, owner: owner)])
  }

  @Test func `containers may be used out of order and asked for again`() throws {
    let pair = CodableFixtures.Pair(left: "l", right: 9)
    try expectRoundTrip([
      CodableFixtures.Unruly(first: 1, second: [], third: pair, more: [:]),
      CodableFixtures.Unruly(first: 2, second: ["a", "b"], third: pair, more: ["x": 1, "y": 2]),
    ])
  }

  @Test func `null is written and read where a type asks for it`() throws {
    try expectRoundTrip([
      CodableFixtures.Nulls(text: nil, grid: [[1, 0], [], [2]]),
      CodableFixtures.Nulls(text: "a", grid: []),
    ])
  }

  @Test func `a value that is no struct is a record too`() throws {
    try expectRoundTrip([1, 2, 3])
    try expectRoundTrip(["a", ""])
    try expectRoundTrip([
      CodableFixtures.Wrapped(CodableFixtures.Wrapped(5)),
      CodableFixtures.Wrapped(CodableFixtures.Wrapped(6)),
    ])
    try expectRoundTrip([[1, nil], [], [nil]])
    try expectRoundTrip([CodableFixtures.Grade.low, .high])
    try expectRoundTrip([Int?.none, 4])
  }

  @Test func `random values of any shape come back`() throws {
    var generator = RecordGenerator.printed("json-like")
    let values = (0..<300).map { _ in JSONLike.random(depth: 4, using: &generator) }
    try expectRoundTrip(values)
    try expectRoundTrip(values.map { ["a": $0, "b": .null] })
  }

  @Test func `a hundred members are found in any order`() throws {
    let names = (0..<100).map { "member \($0)" }
    let values = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    try expectRoundTrip([values])
  }

  @Test func `equal dictionaries have equal bytes`() throws {
    var forward: [String: Int] = [:]
    var backward: [String: Int] = [:]
    for number in 0..<50 { forward["key \(number)"] = number }
    for number in (0..<50).reversed() { backward["key \(number)"] = number }
    #expect(try record(forward).bytes == record(backward).bytes)
  }
}
