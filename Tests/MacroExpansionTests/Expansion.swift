#if Macros
  import StrataMacros
  import SwiftDiagnostics
  import SwiftParser
  import SwiftSyntax
  import SwiftSyntaxBuilder
  import SwiftSyntaxMacroExpansion
  import SwiftSyntaxMacros

  /// A source, as the macros in it expand it.
  struct Expansion {
    /// The source with what the macros add.
    let source: String
    /// What they say, each with its line: `3: …`, and a warning as `3: warning: …`.
    let problems: [String]
    /// The source after the first repair of each problem; nil if one has none.
    let repaired: String?

    init(_ source: String) {
      let file = Parser.parse(source: source)
      let context = BasicMacroExpansionContext(
        sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Test.swift")]
      )
      let specs = [
        "Entity": MacroSpec(
          type: EntityMacro.self,
          conformances: [
            "Encodable", "Decodable", "Equatable", "Identifiable", "Sendable", "EntityType",
            "RecordCodable",
          ]
        ),
        "Record": MacroSpec(
          type: RecordMacro.self,
          conformances: ["Encodable", "Decodable", "RecordCodable"]
        ),
      ]
      self.source =
        file.expand(
          macroSpecs: specs,
          contextGenerator: {
            BasicMacroExpansionContext(
              sharingWith: context,
              lexicalContext: $0.allMacroLexicalContexts()
            )
          },
          indentationWidth: .spaces(2)
        ).description
      func offset(_ position: AbsolutePosition, _ node: Syntax) -> Int {
        context.location(for: position, anchoredAt: node, fileName: "").offset
      }
      problems = context.diagnostics.map { diagnostic in
        let line = context.location(
          for: diagnostic.position,
          anchoredAt: diagnostic.node,
          fileName: ""
        ).line
        let kind = diagnostic.diagMessage.severity == .warning ? "warning: " : ""
        return "\(line): \(kind)\(diagnostic.message)"
      }
      var edits: [(Range<Int>, String)] = []
      for diagnostic in context.diagnostics {
        for case .replaceText(let range, let text, let node) in diagnostic.fixIts.first?.changes
          ?? []
        where !edits.contains(where: {
          $0.1 == text && $0.0.lowerBound == offset(range.lowerBound, node)
        }) {
          edits.append((offset(range.lowerBound, node)..<offset(range.upperBound, node), text))
        }
      }
      var bytes = Array(source.utf8)
      for (range, text) in edits.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
        bytes.replaceSubrange(range, with: text.utf8)
      }
      repaired =
        context.diagnostics.allSatisfy { !$0.fixIts.isEmpty } && !edits.isEmpty
        ? String(decoding: bytes, as: UTF8.self) : nil
    }
  }
#endif
