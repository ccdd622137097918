#if Macros
  import SwiftDiagnostics
  import SwiftSyntax
  import SwiftSyntaxMacros

  /// What is wrong with a declaration, and how it is repaired.
  struct Problem {
    /// A change of the source that removes the problem.
    struct Repair {
      let name: String
      let edits: [(range: Range<AbsolutePosition>, text: String)]

      init(_ name: String, _ edits: [(range: Range<AbsolutePosition>, text: String)]) {
        self.name = name
        self.edits = edits
      }

      /// Puts another text in the place of a node.
      init(_ name: String, replacing node: some SyntaxProtocol, with text: String) {
        self.init(name, [(node.trimmedRange, text)])
      }
    }

    let node: Syntax
    let text: String
    var isWarning = false
    var repair: Repair?

    init(_ node: some SyntaxProtocol, _ text: String, _ repair: Repair? = nil) {
      self.node = Syntax(node)
      self.text = text
      self.repair = repair
    }

    fileprivate struct Message: DiagnosticMessage, FixItMessage {
      let message: String
      let severity: DiagnosticSeverity

      var diagnosticID: MessageID { MessageID(domain: "Strata", id: message) }
      var fixItID: MessageID { diagnosticID }
    }

    var diagnostic: Diagnostic {
      let severity = isWarning ? DiagnosticSeverity.warning : .error
      return Diagnostic(
        node: node,
        message: Message(message: text, severity: severity),
        fixIts: repair.map { repair in
          [
            FixIt(
              message: Message(message: repair.name, severity: severity),
              changes: repair.edits.map { .replaceText(range: $0.range, with: $0.text, in: node) }
            )
          ]
        } ?? []
      )
    }
  }

  extension MacroExpansionContext {
    /// Reports problems; true if one of them is an error.
    func report(_ problems: [Problem]) -> Bool {
      for problem in problems { diagnose(problem.diagnostic) }
      return !problems.allSatisfy(\.isWarning)
    }
  }

  extension SyntaxProtocol {
    /// The place before a node, behind what stands before it.
    var start: Range<AbsolutePosition> {
      positionAfterSkippingLeadingTrivia..<positionAfterSkippingLeadingTrivia
    }

    /// The place behind a node.
    var end: Range<AbsolutePosition> {
      endPositionBeforeTrailingTrivia..<endPositionBeforeTrailingTrivia
    }

    /// The range of a node with the space behind it.
    var rangeWithSpace: Range<AbsolutePosition> { positionAfterSkippingLeadingTrivia..<endPosition }
  }
#endif
