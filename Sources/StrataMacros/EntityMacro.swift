#if Macros
  import SwiftCompilerPlugin
  import SwiftParser
  package import SwiftSyntax
  import SwiftSyntaxBuilder
  package import SwiftSyntaxMacros

  @main
  struct StrataMacros: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [EntityMacro.self, RecordMacro.self]
  }

  /// `@Entity("users")`: the conformance, the name of the table, and `RecordCodable`.
  package enum EntityMacro: ExtensionMacro, MemberMacro {
    package static func expansion(
      of node: AttributeSyntax,
      attachedTo declaration: some DeclGroupSyntax,
      providingExtensionsOf type: some TypeSyntaxProtocol,
      conformingTo protocols: [TypeSyntax],
      in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
      let access = declaration.access(in: context.lexicalContext)
      guard let entity = declaration.as(StructDeclSyntax.self) else {
        _ = context.report([problem(ofKind: declaration, macro: "Entity")])
        return []
      }
      let (table, problemOfTable) = tableName(node)
      let fields = RecordFields(of: entity, macro: "Entity")
      let problems =
        [problemOfTable, declaration.problemOfAccess(in: context.lexicalContext)].compactMap { $0 }
        + problems(of: entity, access) + fields.problems
        + IndexList(of: entity, access: access).problems
      if context.report(problems) { return [] }
      return try [
        ExtensionDeclSyntax(
          conforming: type,
          to: protocols,
          declaration.availability,
          ["\(access)static let tableName: Strata.TableName = \(table)"]
            + fields.methods(access: access)
        )
      ]
    }

    package static func expansion(
      of node: AttributeSyntax,
      providingMembersOf declaration: some DeclGroupSyntax,
      conformingTo protocols: [TypeSyntax],
      in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      guard let entity = declaration.as(StructDeclSyntax.self) else { return [] }
      let access = declaration.access(in: context.lexicalContext)
      let keys = RecordFields(of: entity, macro: "Entity").codingKeys
      return problems(of: entity, access).isEmpty ? keys + entity.typeOfID(access: access) : keys
    }

    /// The literal of the table's name.
    private static func tableName(_ node: AttributeSyntax) -> (String, Problem?) {
      guard case .argumentList(let arguments) = node.arguments,
        let name = arguments.first?.expression
      else {
        return (
          "",
          Problem(
            node,
            "Name the table of the entity: @Entity(\"users\"). The name stays when the type is renamed."
          )
        )
      }
      let text = name.as(StringLiteralExprSyntax.self)?.representedLiteralValue
      if let text, !text.isEmpty { return (name.trimmedDescription, nil) }
      return (
        "", Problem(name, "The name of a table is a text that is not empty, without interpolation.")
      )
    }

    private static func problems(of entity: StructDeclSyntax, _ access: String) -> [Problem] {
      var problems: [Problem] = []
      if let parameters = entity.genericParameterClause {
        problems.append(
          Problem(
            parameters,
            "An entity is not generic, as its table has one type: give the fields that differ a generic @Record."
          )
        )
      }
      let members = entity.memberBlock
      let property = "\(access)let id: EntityID<\(entity.name.text)>"
      if let id = members.property(named: "id") {
        if let problem = problem(ofID: id, entity, property) { problems.append(problem) }
      } else {
        problems.append(
          Problem(
            entity.name,
            "\(entity.name.text) has no id: declare let id: EntityID<\(entity.name.text)>.",
            .init("Declare the id", [members.inserting(property)])
          )
        )
      }
      if let name = members.staticProperties.first(where: { $0.name == "tableName" }) {
        let declaration = name.parent?.parent?.as(VariableDeclSyntax.self)
        problems.append(
          Problem(
            name,
            "@Entity declares tableName: remove this one.",
            declaration.map { .init("Remove tableName", replacing: $0, with: "") }
          )
        )
      }
      return problems
    }

    /// What is wrong with the property `id`.
    private static func problem(
      ofID id: PatternBindingSyntax,
      _ entity: StructDeclSyntax,
      _ property: String
    ) -> Problem? {
      if id.isComputed, let declaration = id.parent?.parent?.as(VariableDeclSyntax.self) {
        return Problem(
          id.pattern,
          "The id of an entity is stored, not computed.",
          .init("Store the id", replacing: declaration, with: property)
        )
      }
      guard let type = id.typeAnnotation?.type else { return nil }
      let raw = type.trimmedDescription
      guard ["String", "Int", "Int64", "Int32", "UInt64", "UUID"].contains(raw) else { return nil }
      var edits = [(range: type.trimmedRange, text: "EntityID<\(entity.name.text)>")]
      let hasRawID = entity.memberBlock.members.contains {
        $0.decl.as(TypeAliasDeclSyntax.self)?.name.text == "RawID"
      }
      if raw != "String", !hasRawID {
        edits.append(entity.memberBlock.inserting("typealias RawID = \(raw)"))
      }
      return Problem(
        type,
        "The id of an entity is an EntityID<\(entity.name.text)>, which has a raw value of the type RawID.",
        .init("Write EntityID<\(entity.name.text)>", edits)
      )
    }

    /// What is said of a declaration that is no struct.
    static func problem(ofKind declaration: some DeclGroupSyntax, macro: String) -> Problem {
      let keyword = declaration.introducer
      let text = "@\(macro) is for \(macro == "Entity" ? "structs" : "structs and enums"): "
      guard ["class", "actor"].contains(keyword.text) else {
        return Problem(
          keyword,
          text + "this is \(keyword.text == "enum" ? "an" : "a") \(keyword.text)."
        )
      }
      let final = declaration.modifiers.first { $0.name.text == "final" }
      return Problem(
        keyword,
        text
          + "a change of \(keyword.text == "class" ? "a class" : "an actor") would reach neither subscribers nor "
          + "the file.",
        .init(
          "Write struct",
          [(keyword.trimmedRange, "struct")] + (final.map { [($0.rangeWithSpace, "")] } ?? [])
        )
      )
    }
  }

  extension StructDeclSyntax {
    /// The type `ID`; empty if the entity declares it.
    ///
    /// `Identifiable` would infer it in the file of the entity, but other files may be compiled before that.
    fileprivate func typeOfID(access: String) -> [DeclSyntax] {
      memberBlock.declaresType(named: "ID")
        ? [] : ["\(raw: access)typealias ID = Strata.EntityID<\(name.trimmed)>"]
    }
  }
#else
  @main
  enum StrataMacros {
    static func main() {}
  }
#endif
