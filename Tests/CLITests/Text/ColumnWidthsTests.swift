import StrataCLI
import Testing

@Suite struct ColumnWidthsTests {
  private func lines(_ columns: [TextTable<[[String]]>.Column], _ row: [String], _ limit: Int)
    -> [String]
  {
    let table = TextTable(columns, [row], within: limit)
    return [table.header(.off), table.line(row)]
  }

  @Test func `titles, numbers and times are whole, and long texts give way`() {
    let columns: [TextTable<[[String]]>.Column] = [
      .init("revision", .right, .whole), .init("time", .left, .whole), .init("value"),
      .init("assignment"),
    ]
    #expect(
      lines(
        columns,
        ["12", "2026-02-02 02:40:00.000Z", "a long text that goes on and on", "of another text"],
        66
      )
        == [
          "revision  time                      value           assignment",
          "      12  2026-02-02 02:40:00.000Z  a long text t…  of another te…",
        ]
    )
  }

  @Test func `a line is longer than the terminal before a number is cut`() {
    let columns: [TextTable<[[String]]>.Column] = [
      .init("bytes", .right, .whole), .init("text"), .init("id", .left, .whole),
    ]
    let line = lines(columns, ["123456789012", "some words", "8B7C1A52"], 20)[1]
    #expect(line == "123456789012  some …  8B7C1A52")
  }

  @Test func `columns that cannot be read side by side are left out from the right`() {
    let columns: [TextTable<[[String]]>.Column] = [
      .init("id", .right, .whole), .init("name"), .init("created", .left, .whole), .init("text"),
    ]
    func count(_ limit: Int) -> Int {
      TextTable<[[String]]>.readable(columns, widths: [4, 30, 24, 8], within: limit)
    }
    #expect(count(4 + 2 + 10 + 2 + 24 + 2 + 8) == 4)
    #expect(count(4 + 2 + 10 + 2 + 24 + 2 + 7) == 3)
    #expect(count(4 + 2 + 10) == 2)
    #expect(count(1) == 1)
  }

  @Test func `no column is wider than it needs to be`() {
    #expect(ColumnWidths.fitting([3, 40, 8], least: [6, 6, 8], within: 40) == [3, 25, 8])
    #expect(ColumnWidths.fitting([3, 4, 8], least: [6, 6, 8], within: 40) == [3, 4, 8])
  }
}
