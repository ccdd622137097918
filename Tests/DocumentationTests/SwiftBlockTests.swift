import Foundation
import Testing

/// The Swift code of README.md and of the articles is code that is compiled: each block stands in a source of the tests
/// or of the examples, or in a manifest that `.ci/run` reads.
///
/// Spaces, comments, trailing commas and the word `private` do not count. Parts of a block that an empty line separates
/// may stand apart, if the second one is not indented.
struct SwiftBlockTests {
  /// Pages with a block that is not compiled, as the paragraph before it says.
  static let notCompiled = ["ObservingInViews.md", "ObservingInViews.md", "StorageOptions.md"]

  @Test func `every Swift block of the pages is compiled`() throws {
    let sources = try CompiledSources()
    var count = 0
    var notCompiled: [String] = []
    for page in try Page.all() {
      for block in page.blocks where block.language == "swift" {
        count += 1
        if block.introduction.contains("not compiled") {
          notCompiled.append(page.name)
          continue
        }
        for part in Self.parts(of: block.lines) where !sources.contain(part) {
          Issue.record("\(page.name): not compiled: \(part.first ?? "")")
        }
      }
    }
    #expect(notCompiled == Self.notCompiled)
    #expect(count >= 70)
  }

  @Test func `Swift code of the pages is marked as such`() throws {
    let starts = [
      "let ", "var ", "struct ", "func ", "import ", "try ", "await ", "for ", ".package",
    ]
    for page in try Page.all() {
      for block in page.blocks where block.language.isEmpty {
        let found = block.lines.first { line in starts.contains { line.hasPrefix($0) } }
        #expect(found == nil, "\(page.name): a block without its language")
      }
    }
  }

  /// Splits a block before the lines without indentation that follow an empty one.
  private static func parts(of lines: [Substring]) -> [[Substring]] {
    var parts: [[Substring]] = []
    var followsEmptyLine = true
    for line in lines {
      if line.allSatisfy(\.isWhitespace) {
        followsEmptyLine = true
      } else if followsEmptyLine, line.first != " " {
        parts.append([line])
        followsEmptyLine = false
      } else {
        parts[parts.count - 1].append(line)
        followsEmptyLine = false
      }
    }
    return parts
  }
}

/// The Swift sources of the tests and of the examples.
private struct CompiledSources {
  private var sources: [[UInt8]] = []
  /// The places at which a line starts, by its first bytes.
  private var lines: [[UInt8]: [(source: Int, start: Int)]] = [:]

  init() throws {
    for file in try Page.files(in: "Tests", ending: "swift")
      + Page.files(in: "Examples", ending: "swift")
    {
      let text = try String(contentsOf: file, encoding: .utf8)
      var source: [UInt8] = []
      var starts: [Int] = []
      for line in text.split(separator: "\n") {
        let code = Self.code(of: line)
        if code.isEmpty { continue }
        starts.append(source.count)
        source += code
      }
      for start in starts {
        lines[Self.key(source[start...]), default: []].append((sources.count, start))
      }
      sources.append(source)
    }
  }

  func contain(_ part: [Substring]) -> Bool {
    // Lines may be broken elsewhere in the source, so only the start has to be the start of a line.
    let code = Self.withoutTrailingCommas(part.flatMap(Self.code))
    if code.isEmpty { return true }
    return lines[Self.key(code), default: []].contains { place in
      let end = place.start + code.count + 200
      let source = sources[place.source][place.start...].prefix(end - place.start)
      return Self.withoutTrailingCommas(source).starts(with: code)
    }
  }

  private static func key(_ code: some Sequence<UInt8>) -> [UInt8] { Array(code.prefix(6)) }

  /// A line without spaces, its comment, and `private` at its start.
  private static func code(of line: Substring) -> [UInt8] {
    var text = line.drop { $0 == " " }
    if text.hasPrefix("private ") { text = text.dropFirst("private ".count) }
    if text.hasPrefix("//") { return [] }
    if let comment = text.range(of: " //") { text = text[..<comment.lowerBound] }
    return text.utf8.filter { $0 != UInt8(ascii: " ") }
  }

  private static func withoutTrailingCommas(_ code: some Sequence<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    for byte in code {
      if byte == UInt8(ascii: "]") || byte == UInt8(ascii: ")"), result.last == UInt8(ascii: ",") {
        result.removeLast()
      }
      result.append(byte)
    }
    return result
  }
}
