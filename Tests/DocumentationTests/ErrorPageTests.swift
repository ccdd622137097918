import Foundation
import Testing

/// The page "Errors" has a row for each case of each public error, and for nothing else.
struct ErrorPageTests {
  @Test func `each case of each error has a row with its cause and a remedy`() throws {
    let sections = try Self.sections()
    let enumerations = try Self.enumerations()
    #expect(enumerations.count >= 12)
    for error in enumerations {
      let rows = try #require(sections[error.name], "the page has no section \(error.name)")
      #expect(
        rows.map { $0[0] }.sorted() == error.cases.map { "`.\($0)`" }.sorted(),
        "\(error.name)"
      )
      for row in rows { #expect(row.count == 3 && row.allSatisfy { !$0.isEmpty }, "\(row)") }
    }
  }

  @Test func `the page has no error that the sources do not have`() throws {
    let names = try Set(Self.enumerations().map(\.name))
    let sections = Set(try Self.sections().keys)
    #expect(sections.subtracting(names) == ["Errors without cases", "What the message says"])
  }

  @Test func `each error without cases has a row`() throws {
    let rows = try #require(try Self.sections()["Errors without cases"])
    // Their cases are those of a type inside them.
    let withReasons = ["PersistenceError", "ArchiveError", "DurabilityError"]
    #expect(
      Set(rows.map { $0[0] })
        == Set(try Self.structures().filter { !withReasons.contains($0) }.map { "`\($0)`" })
    )
  }

  /// The rows of the tables below each heading that has tables.
  private static func sections() throws -> [String: [[String]]] {
    let page = try Page(Page.root.appending(path: "Sources/Strata/Strata.docc/Errors.md"))
    var sections: [String: [[String]]] = [:]
    var heading = ""
    for line in page.text.split(separator: "\n") {
      if line.hasPrefix("## ") { heading = String(line.dropFirst(3)) }
      if !line.hasPrefix("| ") || line.hasPrefix("| ---") { continue }
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      if cells.dropFirst().first == "cause" { continue }
      sections[heading, default: []].append(cells)
    }
    return sections
  }

  private struct Enumeration {
    let name: String
    let cases: [String]
  }

  /// The public enumerations that are errors, the outcome of `DurabilityError`, and the kind and remedy of `PersistenceError`.
  private static func enumerations() throws -> [Enumeration] {
    var found: [Enumeration] = []
    for file in try Page.files(in: "Sources", ending: "swift") {
      let text = "\n" + (try String(contentsOf: file, encoding: .utf8))
      for declaration in text.matches(of: /\n( *)public enum (\w+): ([^{]*)\{\n/) {
        let indentation = String(declaration.1)
        let body = text[declaration.range.upperBound...]
        let end = body.range(of: "\n\(indentation)}\n")?.lowerBound ?? body.endIndex
        // The type around it, or the type that is extended.
        let outer = text[..<declaration.range.lowerBound]
          .matches(of: /\n(?:public struct|extension) (\w+)[^\n]*\{/).last
        let name = (indentation.isEmpty ? "" : "\(outer?.1 ?? "").") + declaration.2
        guard
          declaration.3.contains(/\bError\b/)
            || ["DurabilityError.Outcome", "PersistenceError.Kind", "PersistenceError.Remedy"]
              .contains(name)
        else { continue }
        let cases = body[..<end].matches(of: /(?m)^ *case (\w+)/).map { String($0.1) }
        found.append(Enumeration(name: name, cases: cases))
      }
    }
    return found
  }

  /// The public structures that are errors.
  private static func structures() throws -> [String] {
    try Page.files(in: "Sources", ending: "swift").flatMap { file in
      try String(contentsOf: file, encoding: .utf8)
        .matches(of: /\npublic struct (\w+): [^{]*\bError\b[^{]*\{/).map { String($0.1) }
    }
  }
}
