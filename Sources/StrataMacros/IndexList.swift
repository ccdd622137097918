#if Macros
  import SwiftSyntax

  /// The indexes that an entity declares in its struct, and the list of those that its tables maintain.
  ///
  /// An index that is declared and not listed compiles, and traps where it is used.
  struct IndexList {
    private static let types = ["GroupIndex", "UniqueIndex", "OrderedIndex", "ManualOrder"]

    private(set) var problems: [Problem] = []

    init(of type: StructDeclSyntax, access: String) {
      let properties = type.memberBlock.staticProperties
      let declared = properties.filter { property in
        let spelled =
          property.typeAnnotation?.type.trimmedDescription
          ?? property.initializer?.value.trimmedDescription ?? ""
        return Self.types.contains { spelled.hasPrefix($0) }
      }
      let wanted = "EntityIndexes<\(type.name.text)>"
      guard let list = properties.first(where: { $0.name == "indexes" }) else {
        if let last = declared.last {
          report(
            declared,
            .init(
              "Declare the list",
              [
                (
                  last.end,
                  "\n\(last.indentation)\(access)static let indexes: \(wanted) = "
                    + "[\(declared.compactMap(\.name).joined(separator: ", "))]"
                )
              ]
            )
          )
        }
        return
      }
      if let annotation = list.typeAnnotation {
        if !annotation.type.trimmedDescription.contains("EntityIndexes") {
          reject(list, .init("Write \(wanted)", replacing: annotation.type, with: wanted))
        }
      } else if list.initializer?.value.trimmedDescription.hasPrefix("EntityIndexes") != true {
        reject(list, .init("Write \(wanted)", [(list.pattern.end, ": \(wanted)")]))
      }
      guard let array = list.array else { return }
      let listed = array.elements.compactMap {
        $0.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
          ?? $0.expression.as(DeclReferenceExprSyntax.self)?.baseName.text
      }
      for index in declared {
        guard let name = index.name, !listed.contains(name) else { continue }
        let (place, before) =
          array.elements.last.map { ($0.expression.end, ", ") } ?? (array.leftSquare.end, "")
        report([index], .init("Add it to the list", [(place, before + name)]))
      }
    }

    private mutating func report(_ indexes: [PatternBindingSyntax], _ repair: Problem.Repair) {
      for index in indexes {
        problems.append(
          Problem(
            index.pattern,
            "\(index.name ?? "") is not in the list `indexes`, so no table maintains it: add it to the list.",
            repair
          )
        )
      }
    }

    private mutating func reject(_ list: PatternBindingSyntax, _ repair: Problem.Repair) {
      problems.append(
        Problem(
          list.pattern,
          "The list `indexes` has another type than EntityType asks for, so tables maintain none of them: write "
            + "its type.",
          repair
        )
      )
    }
  }

  extension PatternBindingSyntax {
    /// The array that the property returns.
    fileprivate var array: ArrayExprSyntax? {
      if let value = initializer?.value { return value.as(ArrayExprSyntax.self) }
      guard case .getter(let statements) = accessorBlock?.accessors else { return nil }
      let item = statements.last?.item
      return item?.as(ArrayExprSyntax.self)
        ?? item?.as(ReturnStmtSyntax.self)?.expression?.as(ArrayExprSyntax.self)
    }

    /// The space before the line of the property.
    fileprivate var indentation: String {
      let space = parent?.parent?.leadingTrivia.description ?? ""
      return String(space.suffix(while: { $0 == " " || $0 == "\t" }))
    }
  }

  extension String {
    fileprivate func suffix(while isWanted: (Character) -> Bool) -> Substring {
      self[(lastIndex { !isWanted($0) }.map(index(after:)) ?? startIndex)...]
    }
  }
#endif
