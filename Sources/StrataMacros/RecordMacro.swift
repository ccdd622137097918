#if Macros
  package import SwiftSyntax
  import SwiftSyntaxBuilder
  package import SwiftSyntaxMacros

  /// `@Record`: `RecordCodable` for a struct, or an enum whose cases have no raw values.
  package enum RecordMacro: ExtensionMacro, MemberMacro {
    package static func expansion(
      of node: AttributeSyntax,
      attachedTo declaration: some DeclGroupSyntax,
      providingExtensionsOf type: some TypeSyntaxProtocol,
      conformingTo protocols: [TypeSyntax],
      in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
      let access = declaration.access(in: context.lexicalContext)
      var problems = [declaration.problemOfAccess(in: context.lexicalContext)].compactMap { $0 }
      let methods: [String]
      if let record = declaration.as(StructDeclSyntax.self) {
        let fields = RecordFields(of: record, macro: "Record")
        problems +=
          fields.problems
          + Self.problems(ofParameters: record.genericParameterClause, record.genericWhereClause)
        methods = fields.methods(access: access)
      } else if let list = declaration.as(EnumDeclSyntax.self) {
        let cases = RecordCases(of: list, attribute: node)
        problems +=
          cases.problems
          + Self.problems(ofParameters: list.genericParameterClause, list.genericWhereClause)
        methods = cases.methods(access: access)
      } else {
        problems.append(EntityMacro.problem(ofKind: declaration, macro: "Record"))
        methods = []
      }
      if context.report(problems) { return [] }
      return try [
        ExtensionDeclSyntax(
          conforming: type,
          to: protocols,
          declaration.availability,
          methods
        )
      ]
    }

    package static func expansion(
      of node: AttributeSyntax,
      providingMembersOf declaration: some DeclGroupSyntax,
      conformingTo protocols: [TypeSyntax],
      in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      if let record = declaration.as(StructDeclSyntax.self) {
        return RecordFields(of: record, macro: "Record").codingKeys
      }
      return declaration.as(EnumDeclSyntax.self).map {
        RecordCases(of: $0, attribute: node).codingKeys
      } ?? []
    }

    private static func problems(
      ofParameters parameters: GenericParameterClauseSyntax?,
      _ requirements: GenericWhereClauseSyntax?
    ) -> [Problem] {
      (parameters?.parameters ?? []).compactMap { parameter in
        let name = parameter.name.text
        if parameter.inheritedType != nil || requirements?.trimmedDescription.contains(name) == true
        {
          return nil
        }
        return Problem(
          parameter,
          "The fields of a record are Codable, and \(name) may be anything: write \(name): Codable.",
          .init("Write \(name): Codable", [(parameter.name.end, ": Codable")])
        )
      }
    }
  }

  extension ExtensionDeclSyntax {
    /// An extension with these members; `protocols` are those that the type does not state itself.
    ///
    /// The protocols that `EntityType` and `RecordCodable` refine are among them, by name. A conformance that only
    /// follows from another one is not found in other files that are compiled before that of the type.
    init(
      conforming type: some TypeSyntaxProtocol,
      to protocols: [TypeSyntax],
      _ attributes: String,
      _ members: [String]
    ) throws {
      let names = protocols.map { protocolType in
        let name = protocolType.trimmedDescription.split(separator: ".").last ?? ""
        return (["EntityType", "RecordCodable"].contains(name) ? "Strata." : "Swift.") + name
      }
      let clause = names.isEmpty ? "" : ": " + names.joined(separator: ", ")
      try self.init(
        "\(raw: attributes)nonisolated extension \(type.trimmed)\(raw: clause) {\n\(raw: members.joined(separator: "\n\n"))\n}"
      )
    }
  }

  extension RecordFields {
    /// The keys that synthesized `Codable` uses.
    ///
    /// They are declared here, so that a `CodingKeys` that the macro does not see, as in an extension, is
    /// an error of the compiler.
    var codingKeys: [DeclSyntax] {
      guard !hasKeys, !fields.isEmpty, problems.allSatisfy(\.isWarning) else {
        return []
      }
      let names = fields.map(\.property).joined(separator: ", ")
      return [
        "private nonisolated enum CodingKeys: Swift.String, Swift.CodingKey {\n  case \(raw: names)\n}"
      ]
    }

    func methods(access: String) -> [String] {
      let reading = fields.filter(\.isRead).map {
        "self.\($0.property) = try record.\($0.isOptional ? "decodeIfPresent" : "decode")(\($0.key.literal))"
      }
      let writing = fields.map {
        "record.\($0.isOptional ? "encodeIfPresent" : "encode")(\($0.key.literal), self.\($0.property))"
      }
      return Self.methods(access: access, reading: reading, writing: writing)
    }

    static func methods(access: String, reading: [String], writing: [String]) -> [String] {
      [
        """
        \(access)init(record: inout Strata.RecordFieldReader) throws {
        \(reading.map { "  " + $0 }.joined(separator: "\n"))
        }
        """,
        """
        \(access)func encode(record: inout Strata.RecordFieldWriter) throws {
        \(writing.map { "  " + $0 }.joined(separator: "\n"))
        }
        """,
      ]
    }
  }

  extension String {
    /// A literal of the text.
    var literal: String { StringLiteralExprSyntax(content: self).description }
  }
#endif
