import Foundation
import StrataInspection
import StrataJournal
import Testing

@Suite struct RevisionSpanTests {
  private let now = Date(timeIntervalSince1970: 1_770_000_000)

  private func span(_ text: String) throws -> RevisionSpan { try RevisionSpan(text, now: now) }

  private func expression(_ text: String) throws -> RevisionExpression {
    try RevisionExpression(text, now: now)
  }

  @Test func `two points have two dots between them, and HEAD is the default end`() throws {
    for (text, from, to) in [
      ("1..2", "1", "2"), ("HEAD~3..HEAD", "HEAD~3", "HEAD"), ("@-5m..", "@-5m", "HEAD"),
      ("12", "12", "HEAD"), ("@2026-01-01T12:00:00.5..@now", "@2026-01-01T12:00:00.5", "@now"),
      ("snap:a..b", "snap:a..b", "HEAD"), ("snap:a..b..7", "snap:a..b", "7"),
      ("snap:a..snap:b", "snap:a", "snap:b"),
    ] {
      #expect(
        try span(text) == RevisionSpan(from: expression(from), to: expression(to)),
        "\(text)"
      )
    }
  }

  @Test(arguments: [
    "", "..", "..4", "1..x", "x..1", "1...2", "1..2..3", "yesterday",
    "HEAD~9223372036854775807..", "HEAD~99999999999999999999", "HEAD~-1",
  ])
  func `another text is refused with the forms that can be read`(text: String) throws {
    let error = #expect(throws: RevisionExpression.Unreadable.self) { try span(text) }
    #expect(error?.text == text)
  }
}
