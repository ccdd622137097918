#if Macros
  import SwiftSyntax

  /// Which types of properties are not `Codable`, as far as the source shows it: those of the language and
  /// the standard library, and those that the type itself declares.
  struct NestedTypes {
    /// Types that are not `Codable`, with what is stored in their place.
    private static let known: [String: String] = [
      "Any": "", "AnyObject": "", "AnyHashable": "", "AnyClass": "", "Character": "String",
      "Substring": "String", "StaticString": "String", "Error": "String", "Selector": "String",
      "Void": "", "Task": "", "KeyPath": "", "WritableKeyPath": "", "Regex": "String",
      "UnsafePointer": "", "UnsafeRawPointer": "", "UnsafeMutablePointer": "",
      "UnsafeMutableRawPointer": "", "OpaquePointer": "", "NSObject": "", "NSString": "String",
      "NSNumber": "Double", "NSDate": "Date", "NSData": "Data", "DispatchQueue": "",
    ]
    /// Protocols and raw types that do not bring `Codable`.
    private static let others: Set<String> = [
      "Equatable", "Hashable", "Comparable", "Sendable", "Identifiable", "CaseIterable",
      "CustomStringConvertible", "Error", "String", "Int",
    ]

    private var uncodable: [String: any DeclGroupSyntax & NamedDeclSyntax] = [:]

    init(in members: MemberBlockSyntax) {
      for member in members.members {
        let type: (any DeclGroupSyntax & NamedDeclSyntax)? =
          member.decl.as(StructDeclSyntax.self) ?? member.decl.as(EnumDeclSyntax.self)
          ?? member.decl.as(ClassDeclSyntax.self)
        guard let type, !type.attributes.contains(where: \.isRecordMacro) else { continue }
        let inherited = type.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
        if Self.others.isSuperset(of: inherited) { uncodable[type.name.text] = type }
      }
    }

    /// Says what cannot be stored in a property of this type.
    func problem(of type: TypeSyntax, property: String) -> Problem? {
      if let type = type.as(OptionalTypeSyntax.self) {
        return problem(of: type.wrappedType, property: property)
      }
      if let type = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
        return problem(of: type.wrappedType, property: property)
      }
      if let type = type.as(ArrayTypeSyntax.self) {
        return problem(of: type.element, property: property)
      }
      if let type = type.as(DictionaryTypeSyntax.self) {
        return problem(of: type.key, property: property)
          ?? problem(of: type.value, property: property)
      }
      if let type = type.as(AttributedTypeSyntax.self) {
        return problem(of: type.baseType, property: property)
      }
      if let type = type.as(IdentifierTypeSyntax.self) {
        return problem(of: type, property: property)
      }
      if let type = type.as(TupleTypeSyntax.self) {
        if type.elements.count == 1, let element = type.elements.first {
          return problem(of: element.type, property: property)
        }
        return Problem(
          type,
          "\(property) is a tuple, which is not Codable: declare a struct for it."
        )
      }
      if type.is(FunctionTypeSyntax.self) {
        return Problem(type, "\(property) is a function, which is not Codable: make it a method.")
      }
      if type.is(SomeOrAnyTypeSyntax.self) || type.is(MetatypeTypeSyntax.self)
        || type.is(CompositionTypeSyntax.self)
      {
        return Problem(
          type,
          "\(property) has the type \(type.trimmedDescription), which is not Codable: name one struct or enum."
        )
      }
      return nil
    }

    private func problem(of type: IdentifierTypeSyntax, property: String) -> Problem? {
      if let declaration = uncodable[type.name.text] {
        let keyword = declaration.introducer
        return Problem(
          type,
          "\(property) has the type \(type.name.text), which is not Codable: write @Record before its declaration.",
          declaration.is(ClassDeclSyntax.self)
            ? nil
            : .init(
              "Write @Record",
              [(declaration.modifiers.first?.start ?? keyword.start, "@Record ")]
            )
        )
      }
      if let other = Self.known[type.name.text] {
        return Problem(
          type,
          "\(property) has the type \(type.trimmedDescription), which is not Codable: store "
            + "\(other.isEmpty ? "a struct or an enum" : "a \(other)") in its place.",
          other.isEmpty || type.genericArgumentClause != nil
            ? nil : .init("Write \(other)", replacing: type, with: other)
        )
      }
      for argument in type.genericArgumentClause?.arguments ?? [] {
        if case .type(let argument) = argument.argument,
          ["Array", "Set", "Optional", "Dictionary"].contains(type.name.text),
          let problem = problem(of: argument, property: property)
        {
          return problem
        }
      }
      return nil
    }
  }
#endif
