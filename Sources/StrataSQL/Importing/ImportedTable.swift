import Foundation
import StrataRecords
import StrataStorage

/// What a table says of the entities that are imported into it.
struct ImportedTable {
  let name: String
  /// Its fields; nil for a table that never had a record, whose fields are those of the file.
  let fields: [Layout.Field]?
  /// The fields that every record has.
  let required: Set<String>
  /// Where the newest layout says that IDs of other entities are.
  let references: [Layout.Reference]

  /// The kind of a field; nil if it is not known.
  func kind(of field: String) -> Layout.Kind? { fields?.first { $0.name == field }?.kind }

  /// A text of CSV as a value of a kind; nil if it is none.
  ///
  /// An empty cell is no value, except of a text that every record has.
  func value(_ text: String, of field: String, _ kind: Layout.Kind?) -> RecordValue? {
    if text.isEmpty {
      if case .scalar(.string)? = kind, required.contains(field) { return .string("") }
      return .null
    }
    switch kind {
    case .scalar(let scalar)?: return Self.scalar(text, scalar)
    case .array?, .record?: return JSONReader.value(text).flatMap { Self.value($0, kind) }
    case .tagged?: return JSONReader.value(text) ?? .string(text)
    case .unknown?, nil: return .string(text)
    }
  }

  private static func scalar(_ text: String, _ scalar: Scalar) -> RecordValue? {
    switch scalar {
    case .bool:
      switch text.lowercased() {
      case "true", "1": return .bool(true)
      case "false", "0": return .bool(false)
      default: return nil
      }
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64:
      if let number = Int64(text) { return scalar.stored(.int(number, .bits64)) }
      return UInt64(text).flatMap { scalar.stored(.uint($0, .bits64)) }
    case .float, .double: return Double(text).flatMap { scalar.stored(.double($0)) }
    case .string, .data, .date, .uuid, .url, .decimal: return scalar.stored(.string(text))
    }
  }

  /// A value of JSON as one of a kind; nil if it is none.
  static func value(_ value: RecordValue, _ kind: Layout.Kind?) -> RecordValue? {
    switch (kind, value) {
    case (_, .null): return .null
    case (.scalar(let scalar)?, _): return scalar.stored(value)
    case (.array(of: let element)?, .array(let elements)):
      var stored: [RecordValue] = []
      for part in elements {
        guard let part = Self.value(part, element) else { return nil }
        stored.append(part)
      }
      return .array(.init(stored))
    case (.record(let fields)?, .object(let members)):
      var stored: [RecordValue.Member] = []
      for member in members {
        let field = fields.first { $0.name == member.name }
        guard let value = Self.value(member.value, field?.kind) else { return nil }
        stored.append(.init(member.name, value))
      }
      return .object(.init(stored))
    case (.array?, _), (.record?, _): return nil
    case (.tagged?, _), (.unknown?, _), (nil, _): return value
    }
  }

  /// The word for a kind in an error.
  static func word(_ kind: Layout.Kind?) -> String {
    kind.flatMap { ColumnKind($0) }.map { $0.rawValue.lowercased() } ?? "value"
  }
}

extension ImportedTable {
  /// The kinds of the columns of CSV for a table that has none: what all texts of a column are.
  static func kinds(of columns: [[String]]) -> [Layout.Kind] {
    columns.map { texts in
      let texts = texts.filter { !$0.isEmpty }
      for scalar in [Scalar.int64, .double] where !texts.isEmpty {
        if texts.allSatisfy({ Self.scalar($0, scalar) != nil }) { return .scalar(scalar) }
      }
      if !texts.isEmpty, texts.allSatisfy({ ["true", "false"].contains($0) }) {
        return .scalar(.bool)
      }
      return .scalar(.string)
    }
  }
}
