import StrataSQL
import Testing

@Suite struct CSVReaderTests {
  private func records(_ text: String) throws -> [CSVReader.Record] {
    var reader = CSVReader(Array(text.utf8))
    var records: [CSVReader.Record] = []
    while let record = try reader.next() { records.append(record) }
    return records
  }

  @Test func `quotes, commas and line breaks are part of a quoted cell`() throws {
    #expect(
      try records("a,b\r\n\"1,\"\"x\"\"\",\"two\nlines\"\r\n\r\n,\n") == [
        .init(line: 1, cells: ["a", "b"]), .init(line: 2, cells: ["1,\"x\"", "two\nlines"]),
        .init(line: 5, cells: [nil, nil]),
      ]
    )
  }

  @Test func `a quoted empty cell is an empty text, and one without quotes is nothing`() throws {
    #expect(
      try records("a,\"\"\n,\"\"\n") == [
        .init(line: 1, cells: ["a", ""]), .init(line: 2, cells: [nil, ""]),
      ]
    )
  }

  @Test func `the last line needs no line break, and a mark of UTF-8 is no text`() throws {
    #expect(try records("\u{FEFF}a") == [.init(line: 1, cells: ["a"])])
    #expect(try records("") == [])
  }

  @Test(
    arguments: [
      ("a\n\"b", 2, "a quoted cell does not end"),
      ("a\nb\"c", 2, "a cell with a quote is not quoted"),
      ("\"a\"b", 1, "there is text after a quoted cell"),
    ]
  )
  func `what is no CSV is refused with its line`(text: String, line: Int, detail: String) {
    #expect(throws: CSVReader.Malformed(line: line, detail: detail)) { _ = try records(text) }
  }
}
