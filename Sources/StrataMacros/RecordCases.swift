#if Macros
  import SwiftSyntax
  import SwiftSyntaxBuilder

  /// The cases of an enum, as synthesized `Codable` writes them: a field for each case, with the associated
  /// values as fields in it.
  struct RecordCases {
    fileprivate struct Case {
      /// As the source spells it, perhaps in backticks.
      let name: String
      /// The name in the record; nil if `CodingKeys` leaves the case out, which is then not coded.
      let key: String?
      let values: [Value]
    }

    fileprivate struct Value {
      /// The label with a colon; empty without one.
      let label: String
      let key: String
      let isOptional: Bool
    }

    private static let raws: Set<String> = [
      "String", "Character", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16",
      "UInt32", "UInt64", "Float", "Double",
    ]

    private var cases: [Case] = []
    private(set) var problems: [Problem] = []
    private let hasKeys: Bool

    init(of list: EnumDeclSyntax, attribute: AttributeSyntax) {
      let keys = CodingKeyList(in: list.memberBlock)
      hasKeys = keys != nil
      problems = keys?.problems ?? []
      let inherited = list.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
      if let raw = inherited.first, Self.raws.contains(raw) {
        var edits = [(range: attribute.rangeWithSpace, text: "")]
        if let last = list.inheritanceClause?.inheritedTypes.last, !inherited.contains("Codable") {
          edits.append((last.type.end, ", Codable"))
        }
        problems.append(
          Problem(
            attribute,
            "Codable writes the raw value of this enum, which is no record: it needs no @Record.",
            .init("Remove @Record", edits)
          )
        )
      }
      let nested = NestedTypes(in: list.memberBlock)
      for member in list.memberBlock.members {
        if let block = member.decl.as(IfConfigDeclSyntax.self), block.hasStoredProperty {
          problems.append(
            Problem(
              block,
              "The macro does not know whether this case is there: declare it outside of #if."
            )
          )
        } else if let declaration = member.decl.as(EnumCaseDeclSyntax.self) {
          for element in declaration.elements { read(element, keys, in: list, nested) }
        } else if member.decl.isHandwrittenCoding {
          problems.append(
            Problem(
              member.decl,
              "@Record writes what synthesized Codable writes, and this code may write something else: "
                + "remove it, or conform to RecordCodable by hand."
            )
          )
        }
      }
      if cases.isEmpty {
        problems.append(Problem(list.name, "An enum without cases has no value to store."))
      }
    }

    private mutating func read(
      _ element: EnumCaseElementSyntax,
      _ keys: CodingKeyList?,
      in list: EnumDeclSyntax,
      _ nested: NestedTypes
    ) {
      let name = element.name.identifier?.name ?? element.name.text
      let valueKeys = CodingKeyList(
        named: name.prefix(1).uppercased() + name.dropFirst() + "CodingKeys",
        in: list.memberBlock
      )
      problems += valueKeys?.problems ?? []
      let parameters = element.parameterClause?.parameters ?? []
      let values = parameters.enumerated().map { index, parameter in
        let label = parameter.firstName.flatMap { $0.text == "_" ? nil : $0.text }
        let key = label.map { $0.trimmingBackticks } ?? "_\(index)"
        return Value(
          label: label.map { $0 + ": " } ?? "",
          key: valueKeys?.keys.first { $0.property == key }?.name ?? key,
          isOptional: parameter.type.isOptional
        )
      }
      for parameter in parameters {
        if let problem = nested.problem(of: parameter.type, property: name) {
          problems.append(problem)
        }
      }
      cases.append(
        Case(
          name: element.name.text,
          key: keys.map { $0.keys.first { $0.property == name }?.name } ?? name,
          values: values
        )
      )
    }

    /// The keys that synthesized `Codable` uses.
    ///
    /// They are declared here, so that a `CodingKeys` that the macro does not see is an error of the compiler.
    var codingKeys: [DeclSyntax] {
      guard !hasKeys, problems.isEmpty else { return [] }
      let names = cases.map(\.name).joined(separator: ", ")
      return [
        "private nonisolated enum CodingKeys: Swift.String, Swift.CodingKey {\n  case \(raw: names)\n}"
      ]
    }

    func methods(access: String) -> [String] {
      RecordFields.methods(
        access: access,
        reading: cases.compactMap(\.reading) + [
          "throw Swift.DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: \"No case\"))"
        ],
        writing: ["switch self {"] + cases.map(\.writing) + ["}"]
      )
    }
  }

  extension RecordCases.Case {
    fileprivate var reading: String? {
      guard let key else { return nil }
      if values.isEmpty {
        return "if try record.decodeCase(\(key.literal)) { self = .\(name); return }"
      }
      let values = values.map {
        "\($0.label)fields.\($0.isOptional ? "decodeIfPresent" : "decode")(\($0.key.literal))"
      }
      return "if let value = try record.decodeCase(\(key.literal), { fields in try Self.\(name)("
        + values.joined(separator: ", ") + ") }) { self = value; return }"
    }

    fileprivate var writing: String {
      guard let key else {
        return "case .\(name): throw Swift.EncodingError.invalidValue(self, .init(codingPath: [], "
          + "debugDescription: \"CodingKeys has no case \(name)\"))"
      }
      if values.isEmpty { return "case .\(name): record.encodeCase(\(key.literal))" }
      let names = values.indices.map { "let value\($0)" }.joined(separator: ", ")
      let writing = values.enumerated().map {
        "fields.\($1.isOptional ? "encodeIfPresent" : "encode")(\($1.key.literal), value\($0))"
      }
      return "case .\(name)(\(names)): record.encodeCase(\(key.literal)) { fields in "
        + writing.joined(separator: "; ") + " }"
    }
  }

  extension String {
    fileprivate var trimmingBackticks: String {
      hasPrefix("`") ? String(dropFirst().dropLast()) : self
    }
  }
#endif
