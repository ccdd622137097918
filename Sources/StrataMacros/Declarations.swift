#if Macros
  import SwiftSyntax

  extension DeclGroupSyntax {
    /// The word of an access level that the members of an extension of the type need, with a space; empty
    /// if they need none.
    ///
    /// - Parameter context: what the declaration stands in, from the inside.
    func access(in context: [Syntax]) -> String {
      func level(_ modifiers: DeclModifierListSyntax) -> String? {
        modifiers.lazy.map(\.name.text).first {
          ["public", "package", "internal", "fileprivate", "private"].contains($0)
        }
      }
      let outer = context.first?.as(ExtensionDeclSyntax.self).flatMap { level($0.modifiers) }
      let found = level(modifiers) ?? outer ?? ""
      return ["public", "package"].contains(found) ? found + " " : ""
    }

    /// What is to be said of a nested type that only its outer type sees.
    func problemOfAccess(in context: [Syntax]) -> Problem? {
      guard !context.isEmpty, let modifier = modifiers.first(where: { $0.name.text == "private" })
      else { return nil }
      return Problem(
        modifier,
        "The extension of the macro is outside of the type around this one: write fileprivate.",
        .init("Write fileprivate", replacing: modifier, with: "fileprivate")
      )
    }

    /// The attributes of availability, which the extension needs too.
    var availability: String {
      attributes.compactMap { $0.as(AttributeSyntax.self) }
        .filter { $0.attributeName.trimmedDescription == "available" }
        .map { $0.trimmedDescription + "\n" }.joined()
    }
  }

  extension MemberBlockSyntax {
    /// Whether there is a property of an instance with this name and without a place for a value.
    func hasComputedProperty(named name: String) -> Bool {
      property(named: name)?.isComputed == true
    }

    /// The property of an instance with this name.
    func property(named name: String) -> PatternBindingSyntax? {
      bindings { $0.isOfInstance }.first { $0.name == name }
    }

    /// Whether a member is a type with this name.
    func declaresType(named name: String) -> Bool {
      members.contains { member in
        let type: (any NamedDeclSyntax)? =
          member.decl.as(TypeAliasDeclSyntax.self) ?? member.decl.as(StructDeclSyntax.self)
          ?? member.decl.as(EnumDeclSyntax.self) ?? member.decl.as(ClassDeclSyntax.self)
          ?? member.decl.as(ActorDeclSyntax.self)
        return type?.name.text == name
      }
    }

    /// The properties of the type itself.
    var staticProperties: [PatternBindingSyntax] { bindings { !$0.isOfInstance } }

    private func bindings(where isWanted: (VariableDeclSyntax) -> Bool) -> [PatternBindingSyntax] {
      members.compactMap { $0.decl.as(VariableDeclSyntax.self) }.filter(isWanted)
        .flatMap { Array($0.bindings) }
    }

    /// Inserts a member before all others.
    func inserting(_ member: String) -> (range: Range<AbsolutePosition>, text: String) {
      let first = members.first?.leadingTrivia.description ?? ""
      if let line = first.lastIndex(of: "\n") {
        return (leftBrace.end, "\n" + first[first.index(after: line)...] + member)
      }
      return (leftBrace.end, members.isEmpty ? "\n  \(member)\n" : " \(member);")
    }
  }

  extension PatternBindingSyntax {
    /// The name, without backticks.
    var name: String? {
      pattern.as(IdentifierPatternSyntax.self).map {
        $0.identifier.identifier?.name ?? $0.identifier.text
      }
    }

    /// Whether it has no place for a value.
    var isComputed: Bool {
      switch accessorBlock?.accessors {
      case nil: false
      case .getter: true
      case .accessors(let accessors):
        !accessors.allSatisfy { ["willSet", "didSet"].contains($0.accessorSpecifier.text) }
      }
    }
  }

  extension VariableDeclSyntax {
    var isOfInstance: Bool { !modifiers.contains { ["static", "class"].contains($0.name.text) } }

    var lazyModifier: DeclModifierSyntax? { modifiers.first { $0.name.text == "lazy" } }

    /// An attribute that is a type or a macro; those of the language are in lower case.
    var wrapper: AttributeSyntax? {
      attributes.lazy.compactMap { $0.as(AttributeSyntax.self) }.first {
        let name = $0.attributeName.trimmedDescription
        return name != "MainActor" && name.first?.isUppercase == true
      }
    }
  }

  extension IfConfigDeclSyntax {
    var hasStoredProperty: Bool {
      clauses.contains { clause in
        guard case .decls(let members) = clause.elements else { return false }
        return members.contains { member in
          guard let variable = member.decl.as(VariableDeclSyntax.self) else {
            return member.decl.is(EnumCaseDeclSyntax.self)
          }
          return variable.isOfInstance && variable.bindings.contains { !$0.isComputed }
        }
      }
    }
  }

  extension DeclSyntax {
    /// Whether it is `init(from:)` or `encode(to:)`.
    var isHandwrittenCoding: Bool {
      if let initializer = self.as(InitializerDeclSyntax.self) {
        let parameters = initializer.signature.parameterClause.parameters
        return parameters.count == 1 && parameters.first?.firstName.text == "from"
          && parameters.first?.type.trimmedDescription.hasSuffix("Decoder") == true
      }
      guard let method = self.as(FunctionDeclSyntax.self), method.name.text == "encode" else {
        return false
      }
      let parameters = method.signature.parameterClause.parameters
      return parameters.count == 1 && parameters.first?.firstName.text == "to"
    }
  }

  extension TypeSyntax {
    /// Whether a value may be missing.
    var isOptional: Bool {
      if self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
        return true
      }
      if let attributed = self.as(AttributedTypeSyntax.self) {
        return attributed.baseType.isOptional
      }
      return trimmedDescription.hasPrefix("Optional<")
        || trimmedDescription.hasPrefix("Swift.Optional<")
    }
  }

  extension ExprSyntax {
    /// Whether the source shows that the value of a property without a type is optional.
    var isOptional: Bool {
      if let cast = self.as(AsExprSyntax.self) { return cast.type.isOptional }
      let text = trimmedDescription
      return ["Optional(", "Optional<", "Optional."].contains { text.hasPrefix($0) }
        || text.contains(" as Optional<") || text.hasPrefix("nil as ") && text.hasSuffix("?")
    }
  }

  extension AttributeListSyntax.Element {
    /// Whether it makes a type `Codable`.
    var isRecordMacro: Bool {
      guard let name = self.as(AttributeSyntax.self)?.attributeName.trimmedDescription else {
        return false
      }
      return ["Record", "Entity", "Strata.Record", "Strata.Entity"].contains(name)
    }
  }
#endif
