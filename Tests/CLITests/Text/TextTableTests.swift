import StrataCLI
import StrataJournal
import StrataStorage
import Testing

@Suite struct TextTableTests {
  private func lines(_ rows: [[String]], within limit: Int) -> [String] {
    let table = TextTable([.init("id", .right), .init("name"), .init("note")], rows, within: limit)
    return [table.header(.off)] + table.rows.map(table.line)
  }

  @Test func `columns are as wide as their widest cell`() {
    #expect(
      lines([["7", "林", "x"], ["1042", "Ada", ""]], within: 80)
        == ["  id  name  note", "   7  林    x", "1042  Ada"]
    )
  }

  @Test func `the widest cells give way first`() {
    #expect(
      lines([["1", "Ada", "a very long note indeed"]], within: 20)
        == ["id  name  note", " 1  Ada   a very lo…"]
    )
  }

  @Test func `no line is longer than asked for while there is room for every column`() {
    for limit in 22...60 {
      let long = String(repeating: "word ", count: 30)
      for line in lines([[long, long, long]], within: limit) { #expect(line.columnCount <= limit) }
    }
  }

  @Test func `columns never become too narrow to say anything`() {
    #expect(ColumnWidths.fitting([50, 50, 3], within: 5) == [6, 6, 3])
  }

  @Test func `a row may lack its last cells`() {
    #expect(lines([["1"]], within: 80) == ["id  name  note", " 1"])
  }
}
