import Foundation
import Testing

/// What a person meets first: README.md is short, and a long page says at its top what is on it.
struct PageTests {
  @Test func `README has at most 180 lines`() throws {
    let page = try Page(Page.root.appending(path: "README.md"))
    #expect(page.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 181)
  }

  @Test func `a page of more than 250 lines links to each of its headings`() throws {
    var long = 0
    for page in try Page.all() {
      guard page.text.split(separator: "\n", omittingEmptySubsequences: false).count > 251 else {
        continue
      }
      long += 1
      let top = page.text.prefix(4000)
      for heading in Self.headings(of: page) where !top.contains("](#\(Self.anchor(of: heading)))")
      {
        Issue.record("\(page.name): its top does not link to “\(heading)”")
      }
    }
    #expect(long >= 5)
  }

  /// The headings of the second level, without those that DocC knows.
  private static func headings(of page: Page) -> [String] {
    var isCode = false
    var headings: [String] = []
    for line in page.text.split(separator: "\n") {
      if line.hasPrefix("```") { isCode.toggle() }
      if !isCode, line.hasPrefix("## ") { headings.append(String(line.dropFirst(3))) }
    }
    return headings.filter { !["Overview", "Topics"].contains($0) }
  }

  /// The anchor of a heading where the code is hosted.
  private static func anchor(of heading: String) -> String {
    heading.lowercased().replacing(" ", with: "-")
      .filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }
}
