import Foundation
import StrataColumns
import StrataRecords
import Testing

/// JSON as the kinds of what is stored.
@Suite struct StoredFormTests {
  private let day = RecordValue.date(Date(timeIntervalSinceReferenceDate: 1.5))

  private func reread(_ value: RecordValue, as kind: Layout.Kind? = .tagged) throws -> RecordValue {
    let node = try #require(JSONReader.value(value.json()))
    return try node.stored(as: kind, like: value)
  }

  @Test func `a dictionary whose texts are the same keeps its kinds`() throws {
    let dates = RecordValue.object([.init("a", day), .init("b", day)])
    let data = RecordValue.object([.init("a", .data(Data([1, 2])))])
    // [Date: Int] is stored as keys and values in turn.
    let keys = RecordValue.array([day, .int(1, .bits64), day, .int(2, .bits64)])
    let odd = RecordValue.array([
      .float(1.677_721_6e7), .int(7, .bits8), .decimal(1.5), .double(.nan), .uint(1, .bits64),
    ])
    for value in [dates, data, keys, odd] { #expect(try reread(value) == value) }
  }

  @Test func `a new member of a dictionary has the kind of the others`() throws {
    let before = RecordValue.object([.init("a", day)])
    let node = try #require(
      JSONReader.value(#"{"b":"2026-02-03T00:00:00Z","a":"2001-01-01T00:00:01.5Z"}"#)
    )
    let read = try #require(Date(timeText: "2026-02-03"))
    #expect(
      try node.stored(as: .tagged, like: before)
        == .object([.init("a", day), .init("b", .date(read))])
    )
  }

  @Test func `a part that does not fit is named by its path`() throws {
    let kind = Layout.Kind.record([.init("lines", .array(of: .scalar(.int8)))])
    let node = try #require(JSONReader.value(#"{"lines":[1,300]}"#))
    #expect {
      try node.stored(as: kind)
    } throws: { error in
      (error as? RecordValue.Misfit)?.path == ".lines[1]"
    }
  }

  @Test func `JSON tells truth values, texts, integers and doubles, and a kind the others`() {
    #expect(
      RecordValue.object([.init("a", .int(1, .bits64)), .init("b", .double(1))]).isTold(by: nil)
    )
    for value in [day, .int(1, .bits8), .float(1), .double(.nan), .data(Data()), .uint(1, .bits64)]
    {
      #expect(!value.isTold(by: nil), "\(value)")
      #expect(!RecordValue.array([value]).isTold(by: .tagged), "\(value)")
    }
    #expect(day.isTold(by: .scalar(.date)))
    #expect(RecordValue.array([day]).isTold(by: .array(of: .scalar(.date))))
  }
}
