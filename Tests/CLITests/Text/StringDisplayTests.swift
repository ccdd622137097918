import StrataJournal
import StrataStorage
import Testing

@Suite struct StringDisplayTests {
  @Test(arguments: [
    ("abc", 3), ("", 0), ("Zürich", 6), ("Zu\u{308}rich", 6), ("林 Mei", 6), ("한글", 4), ("👩‍👧‍👦!", 3),
    ("❤️", 2), ("é", 1), ("ｆ", 2),
  ])
  func `columns are those of a terminal`(text: String, columns: Int) {
    #expect(text.columnCount == columns)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""),
    ("林林林", 6, "林林林"), ("林林林", 5, "林林…"), ("林林林", 4, "林…"), ("", 0, ""),
  ])
  func `a text too long ends in an ellipsis`(text: String, columns: Int, short: String) {
    #expect(text.shortened(to: columns) == short)
  }

  @Test func `what a store holds cannot steer a terminal`() {
    #expect(
      "a\u{1B}[2Jb\r\n\tc\u{9B}d\u{202E}e\u{7F}".printable
        == #"a\u001b[2Jb\r\n\tc\u009bd\u202ee\u007f"#
    )
  }

  @Test(arguments: [
    ("\u{200E}\u{200F}\u{61C}", #"\u200e\u200f\u061c"#), ("\u{80}\u{9F}", #"\u0080\u009f"#),
    ("\u{2066}\u{2069}\u{FEFF}\u{AD}", #"\u2066\u2069\ufeff\u00ad"#),
    ("\u{E0041}", #"\udb40\udc41"#), ("\u{2028}\u{2029}", #"\u2028\u2029"#),
  ])
  func `characters that are not seen are shown`(text: String, shown: String) {
    #expect(text.printable == shown)
    #expect(text.printableLines == shown)
  }

  @Test func `the lines of a text stay lines only where this command made them`() {
    #expect("a\nb\u{7}".printable == #"a\nb\u0007"#)
    #expect("a\nb\u{7}".printableLines == "a\nb\\u0007")
  }

  @Test func `a text without anything to hide stays as it is`() {
    #expect("Grüße, 林 👋 👩‍👧".printable == "Grüße, 林 👋 👩‍👧")
  }
}
