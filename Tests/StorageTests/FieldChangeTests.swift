import StrataInspection
import StrataRecords
import Testing

@Suite struct FieldChangeTests {
  private func int(_ value: Int64) -> RecordValue { .int(value, .bits64) }

  @Test func `only fields that differ are listed, in the order of the newer record`() {
    let from: [RecordValue.Member] = [
      .init("id", int(1)), .init("name", .string("Ada")), .init("age", int(30)),
      .init("old", .bool(true)),
    ]
    let to: [RecordValue.Member] = [
      .init("id", int(1)), .init("age", int(31)), .init("name", .string("Ada")),
      .init("new", .null),
    ]
    #expect(
      FieldChange.changes(from: from, to: to) == [
        FieldChange(field: "age", from: int(30), to: int(31)),
        FieldChange(field: "new", from: nil, to: .null),
        FieldChange(field: "old", from: .bool(true), to: nil),
      ]
    )
    #expect(FieldChange.changes(from: from, to: from.reversed()).isEmpty)
  }

  @Test func `members of nested objects are told apart, elements of arrays are not`() {
    func record(_ city: String, _ tags: [String]) -> [RecordValue.Member] {
      let place: RecordValue = .object([.init("city", .string(city)), .init("floor", int(3))])
      return [
        .init("home", .object([.init("place", place)])),
        .init("tags", .array(.init(tags.map { .string($0) }))),
      ]
    }
    let changes = FieldChange.changes(from: record("Rome", ["a"]), to: record("Oslo", ["a", "b"]))
    #expect(
      changes == [
        FieldChange(field: "home.place.city", from: .string("Rome"), to: .string("Oslo")),
        FieldChange(
          field: "tags",
          from: .array([.string("a")]),
          to: .array([.string("a"), .string("b")])
        ),
      ]
    )
  }

  @Test func `an object in place of another kind is one change`() {
    let object: RecordValue = .object([.init("city", .string("Rome"))])
    #expect(
      FieldChange.changes(from: [.init("home", .string("Rome"))], to: [.init("home", object)])
        == [FieldChange(field: "home", from: .string("Rome"), to: object)]
    )
    // Null and absent are not the same.
    #expect(
      FieldChange.changes(from: [.init("home", .null)], to: [])
        == [FieldChange(field: "home", from: .null, to: nil)]
    )
  }
}
