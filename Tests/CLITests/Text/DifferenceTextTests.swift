import StrataCLI
import StrataInspection
import StrataJournal
import StrataRecords
import Testing

@Suite struct DifferenceTextTests {
  @Test func `a change that does not fit on a line has two, from where it starts to differ`() {
    let start = String(repeating: "the same words ", count: 20)
    let lines = DifferenceText.fields(
      [
        FieldChange(field: "id", from: .int(1, .bits64), to: .int(2, .bits64)),
        FieldChange(
          field: "text",
          from: .string(start + "end of the first"),
          to: .string(start + "end of the second")
        ),
        FieldChange(field: "gone", from: .null, to: nil),
        FieldChange(field: "new", from: nil, to: .string("x\u{1B}\ny")),
      ],
      of: .changed,
      .off,
      within: 60
    )
    #expect(
      lines == [
        "    id    1 → 2", "    text  - …nd of the first\"",
        "          + …nd of the second\"", "    gone  - null",
        #"    new   + "x\u001b\ny""#,
      ]
    )
  }

  @Test func `two long values show where they differ, however late that is`() {
    let start = (0..<4_000).map { "word \($0)" }
    let change = FieldChange(
      field: "list",
      from: .array(.init(start.map(RecordValue.string) + [.string("one")])),
      to: .array(.init(start.map(RecordValue.string) + [.string("other")]))
    )
    let lines = DifferenceText.fields([change], of: .changed, .off, within: 60)
    #expect(lines.count == 2)
    #expect(lines.first?.hasSuffix("\"one\"]") == true, "\(lines)")
    #expect(lines.last?.hasSuffix("\"other\"]") == true, "\(lines)")
  }

  @Test func `the fields of an entity that is new or gone need no sign`() {
    let new = FieldChange(field: "a", from: nil, to: .bool(true))
    let gone = FieldChange(field: "a", from: .bool(true), to: nil)
    #expect(DifferenceText.fields([new], of: .added, .off, within: 80) == ["    a  true"])
    #expect(DifferenceText.fields([gone], of: .removed, .off, within: 80) == ["    a  true"])
  }

  @Test func `colors say what was and what is`() {
    let change = FieldChange(field: "a", from: .bool(false), to: .bool(true))
    #expect(
      DifferenceText.fields([change], of: .changed, .on, within: 80)
        == ["    a  \u{1B}[31mfalse\u{1B}[0m → \u{1B}[32mtrue\u{1B}[0m"]
    )
  }

  @Test func `the words of a long text that differ are marked`() {
    let start = String(repeating: "same ", count: 20)
    let change = FieldChange(
      field: "a",
      from: .string("\(start)one two three"),
      to: .string("\(start)one 2 three")
    )
    let lines = DifferenceText.fields([change], of: .changed, .on, within: 60)
    let (red, green, end) = ("\u{1B}[31m", "\u{1B}[32m", "\u{1B}[0m")
    #expect(
      lines == [
        "    a  \(red)- \(end)\(red)… same one \(end)\u{1B}[1;4;31mtwo\(end)\(red) three\"\(end)",
        "       \(green)+ \(end)\(green)… same one \(end)\u{1B}[1;4;32m2\(end)\(green) three\"\(end)",
      ]
    )
    #expect(
      DifferenceText.fields([change], of: .changed, .off, within: 60) == [
        "    a  - … same one two three\"", "       + … same one 2 three\"",
      ]
    )
  }

  @Test func `no line is longer than the terminal`() {
    let long = String(repeating: "林 words ", count: 60)
    for limit in 40...90 {
      let lines = DifferenceText.fields(
        [FieldChange(field: "field", from: .string(long), to: .string(long + "x"))],
        of: .changed,
        .off,
        within: limit
      )
      #expect(lines.count == 2)
      for line in lines { #expect(line.columnCount <= limit, "\(line)") }
    }
  }
}
