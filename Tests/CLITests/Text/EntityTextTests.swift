import Strata
import StrataCLI
import StrataInspection
import StrataRecords
import Testing

@Suite struct EntityTextTests {
  private func entity(_ id: Int64, _ members: [RecordValue.Member]) -> UntypedEntity {
    UntypedEntity(table: "things", id: .int(id, .bits64), value: .object(.init(members)))
  }

  @Test func `entities with other fields share one table`() {
    let table = EntityText.table(
      [
        entity(1, [.init("id", .int(1, .bits64)), .init("a", .string(""))]),
        entity(22, [.init("id", .int(22, .bits64)), .init("b", .null)]),
      ],
      within: 80
    )
    #expect(
      [table.header(.off)] + table.rows.map(table.line)
        == ["id  a      b", #" 1  """#, "22      null"]
    )
  }

  @Test func `an entity that does not hold its ID is shown with it`() {
    let entity = UntypedEntity(table: "things", id: .string("x"), value: .array([.bool(true)]))
    let table = EntityText.table([entity], within: 80)
    #expect([table.header(.off)] + table.rows.map(table.line) == ["id  value", "x   [true]"])
    #expect(EntityText.lines(entity, within: 80) == ["id:    x", "value: [true]"])
  }

  @Test func `a nested value too long for its line is laid out below`() {
    let entity = entity(
      1,
      [.init("id", .int(1, .bits64)), .init("tags", .array([.string("one"), .string("two")]))]
    )
    #expect(
      EntityText.lines(entity, within: 12)
        == ["id:   1", "tags:", "  [", #"    "one","#, #"    "two""#, "  ]"]
    )
  }
}
