#if Macros
  import SwiftParser
  import SwiftSyntax

  /// The cases of a `CodingKeys` that a type declares: which properties are stored, in which order, and
  /// under which names.
  struct CodingKeyList {
    struct Key {
      /// The name of the property, without backticks.
      let property: String
      /// The name in the record.
      let name: String
      let node: EnumCaseElementSyntax
    }

    private(set) var keys: [Key] = []
    private(set) var problems: [Problem] = []

    /// Nil if the members declare no such type.
    init?(named name: String = "CodingKeys", in members: MemberBlockSyntax) {
      for member in members.members {
        if let alias = member.decl.as(TypeAliasDeclSyntax.self), alias.name.text == name {
          problems.append(
            Problem(
              alias,
              "The macro does not see the cases of this \(name): declare the enum here."
            )
          )
          return
        }
        if let keys = member.decl.as(EnumDeclSyntax.self), keys.name.text == name {
          read(keys)
          return
        }
      }
      return nil
    }

    private mutating func read(_ list: EnumDeclSyntax) {
      let hasTexts =
        list.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription == "String"
      for member in list.memberBlock.members {
        guard let cases = member.decl.as(EnumCaseDeclSyntax.self) else {
          problems.append(
            Problem(
              member.decl,
              "The macro reads the cases of \(list.name.text) and not its code: rename a field by the "
                + "raw value of its case, or write RecordCodable by hand."
            )
          )
          continue
        }
        for element in cases.elements { add(element, hasTexts) }
      }
    }

    private mutating func add(_ element: EnumCaseElementSyntax, _ hasTexts: Bool) {
      let property = element.name.identifier?.name ?? element.name.text
      guard hasTexts, let value = element.rawValue?.value else {
        keys.append(Key(property: property, name: property, node: element))
        return
      }
      guard let name = value.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
        problems.append(Problem(value, "The name of a field is a text without interpolation."))
        return
      }
      keys.append(Key(property: property, name: name, node: element))
    }
  }
#endif
