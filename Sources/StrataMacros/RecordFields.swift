#if Macros
  import SwiftSyntax

  /// The stored properties of a struct, as synthesized `Codable` writes them.
  struct RecordFields {
    /// A stored property.
    struct Field {
      /// As the source spells it, perhaps in backticks.
      let property: String
      /// The name in the record.
      var key: String
      /// Whether it is left out where it has no value.
      let isOptional: Bool
      /// False for a `let` with a value: it is written, and cannot be read.
      let isRead: Bool
    }

    private(set) var fields: [Field] = []
    private(set) var problems: [Problem] = []
    /// Whether the type declares `CodingKeys` itself.
    let hasKeys: Bool
    private let macro: String
    private let nested: NestedTypes

    init(of type: StructDeclSyntax, macro: String) {
      self.macro = macro
      nested = NestedTypes(in: type.memberBlock)
      let keys = CodingKeyList(in: type.memberBlock)
      hasKeys = keys != nil
      for member in type.memberBlock.members { read(member.decl) }
      if let keys { choose(keys, in: type) }
    }

    private mutating func read(_ member: DeclSyntax) {
      if let block = member.as(IfConfigDeclSyntax.self) {
        if block.hasStoredProperty {
          problems.append(
            Problem(
              block,
              "The macro does not know whether this property is there: declare it outside of #if."
            )
          )
        }
      } else if let variable = member.as(VariableDeclSyntax.self), variable.isOfInstance {
        read(variable)
      } else if member.isHandwrittenCoding {
        problems.append(
          Problem(
            member,
            "@\(macro) writes what synthesized Codable writes, and this code may write something else: "
              + "remove it, or conform to RecordCodable by hand."
          )
        )
      }
    }

    private mutating func read(_ variable: VariableDeclSyntax) {
      if let wrapper = variable.wrapper {
        problems.append(
          Problem(
            wrapper,
            "@\(wrapper.attributeName.trimmedDescription) is a property wrapper or a macro, and @\(macro) "
              + "does not see what it stores: remove it, or conform to RecordCodable by hand.",
            .init("Remove the attribute", [(wrapper.rangeWithSpace, "")])
          )
        )
        return
      }
      let bindings = Array(variable.bindings)
      for (index, binding) in bindings.enumerated() {
        if let lazy = variable.lazyModifier {
          problems.append(problem(ofLazy: binding, lazy))
        } else if !binding.isComputed {
          // `var a, b: Int`: the type stands behind the last name.
          let later = bindings[index...].lazy.compactMap(\.typeAnnotation?.type).first
          let isTyped = binding.typeAnnotation != nil || binding.initializer == nil
          read(binding, of: isTyped ? later : nil, in: variable)
        }
      }
    }

    private mutating func read(
      _ binding: PatternBindingSyntax,
      of type: TypeSyntax?,
      in variable: VariableDeclSyntax
    ) {
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
        problems.append(Problem(binding.pattern, "Declare each property on its own."))
        return
      }
      if let type, let problem = nested.problem(of: type, property: pattern.identifier.text) {
        problems.append(problem)
      }
      let isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
      fields.append(
        Field(
          property: pattern.identifier.text,
          key: pattern.identifier.identifier?.name ?? pattern.identifier.text,
          isOptional: type.map(\.isOptional) ?? binding.initializer?.value.isOptional ?? false,
          isRead: !isConstant || binding.initializer == nil
        )
      )
      if isConstant, binding.initializer != nil {
        var problem = Problem(
          variable.bindingSpecifier,
          "A let with a value is written to records and never read from them: write var, or make it static.",
          .init("Write var", replacing: variable.bindingSpecifier, with: "var")
        )
        problem.isWarning = true
        problems.append(problem)
      }
    }

    private func problem(
      ofLazy binding: PatternBindingSyntax,
      _ lazy: DeclModifierSyntax
    ) -> Problem {
      var edits = [(range: lazy.rangeWithSpace, text: "")]
      var repair = "Remove lazy"
      if binding.typeAnnotation != nil, let initializer = binding.initializer {
        repair = "Compute it each time"
        edits.append((initializer.trimmedRange, "{ \(initializer.value.trimmedDescription) }"))
      }
      return Problem(
        lazy,
        "A lazy property changes the value that it is read from, and is in no record: compute it each time, or "
          + "store it.",
        .init(repair, edits)
      )
    }

    /// Takes the fields that `CodingKeys` lists, in its order.
    private mutating func choose(_ keys: CodingKeyList, in type: StructDeclSyntax) {
      problems += keys.problems
      let all = fields
      fields = []
      for key in keys.keys {
        if var field = all.first(where: { $0.key == key.property }) {
          field.key = key.name
          fields.append(field)
        } else if type.memberBlock.hasComputedProperty(named: key.property) {
          problems.append(
            Problem(
              key.node,
              "CodingKeys lists \(key.property), which is computed and has nothing to store: remove the case.",
              key.node.declaration.map {
                .init("Remove the case", replacing: $0, with: "")
              }
            )
          )
        }
      }
    }
  }

  extension EnumCaseElementSyntax {
    /// The `case` that declares only this element.
    fileprivate var declaration: EnumCaseDeclSyntax? {
      let declaration = parent?.parent?.as(EnumCaseDeclSyntax.self)
      return declaration?.elements.count == 1 ? declaration : nil
    }
  }
#endif
