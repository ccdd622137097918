import Foundation

/// A page of the documentation: README.md, or an article of a catalog.
struct Page {
  /// The folder of the package.
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  let name: String
  let text: String

  init(_ url: URL) throws {
    name = url.lastPathComponent
    text = try String(contentsOf: url, encoding: .utf8)
  }

  /// README.md and all articles.
  static func all() throws -> [Page] {
    let articles = try files(in: "Sources", ending: "md").filter {
      $0.deletingLastPathComponent().pathExtension == "docc"
    }
    return try ([root.appending(path: "README.md")] + articles).map { try Page($0) }
  }

  /// The files of a folder of the package, and of those in it.
  static func files(in folder: String, ending: String) throws -> [URL] {
    let all = FileManager.default.enumerator(
      at: root.appending(path: folder),
      includingPropertiesForKeys: nil,
      options: .skipsHiddenFiles
    )
    return (all?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == ending }
      .sorted { $0.path < $1.path }
  }
}

extension Page {
  /// A block of code.
  struct Block {
    let language: String
    let lines: [Substring]
    /// The paragraph before it.
    let introduction: String
  }

  var blocks: [Block] {
    var blocks: [Block] = []
    var paragraph: [Substring] = []
    var open: (language: String, indentation: Int, lines: [Substring])?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let indentation = line.prefix { $0 == " " }.count
      let content = line.dropFirst(indentation)
      if let block = open {
        if content.hasPrefix("```") {
          blocks.append(
            Block(
              language: block.language,
              lines: block.lines,
              introduction: paragraph.joined(separator: " ")
            )
          )
          (open, paragraph) = (nil, [])
        } else {
          open?.lines.append(line.dropFirst(min(indentation, block.indentation)))
        }
      } else if content.hasPrefix("```") {
        open = (String(content.dropFirst(3)), indentation, [])
      } else if content.isEmpty {
        // An empty line ends a paragraph when the next one starts.
        paragraph.append("")
      } else {
        if let last = paragraph.last, last.isEmpty { paragraph = [] }
        paragraph.append(line)
      }
    }
    return blocks
  }
}
