import Foundation
import StrataColumns
import StrataRecords
import StrataStorage

/// What a table requires of the entities that are imported into it.
struct ImportedTable {
  let name: String
  /// Its fields; nil for a table that never had a record, whose fields are those of the file.
  let fields: [Layout.Field]?
  /// The fields that every record has.
  let required: Set<String>
  /// Whether a line may lack them.
  let missingValues: EntityImport.MissingValues
  /// The places of other entities' IDs in the newest layout.
  let references: [Layout.Reference]
  /// The kinds of its fields, which may be a hundred thousand.
  private let kinds: [String: Layout.Kind]

  init(
    name: String,
    fields: [Layout.Field]?,
    required: Set<String>,
    missingValues: EntityImport.MissingValues,
    references: [Layout.Reference]
  ) {
    self.name = name
    self.fields = fields
    self.required = required
    self.missingValues = missingValues
    self.references = references
    kinds = Self.kinds(of: fields ?? [])
  }

  private static func kinds(of fields: [Layout.Field]) -> [String: Layout.Kind] {
    Dictionary(fields.lazy.map { ($0.name, $0.kind) }) { first, _ in first }
  }

  /// The kind of a field; nil if it is not known.
  func kind(of field: String) -> Layout.Kind? { kinds[field] }

  /// A text of CSV as a value of a kind; nil if it does not fit.
  ///
  /// An empty cell means no value, except for a text that every record has.
  func value(_ text: String, of field: String, _ kind: Layout.Kind?) -> RecordValue? {
    if text.isEmpty {
      if case .scalar(.string)? = kind, required.contains(field) { return .string("") }
      return .null
    }
    switch kind {
    case .scalar(let scalar)?: return Self.scalar(text, scalar)
    case .array?, .record?, .tagged?:
      guard let value = JSONReader.value(text) else {
        return kind == .tagged ? .string(text) : nil
      }
      return value.repeatedName == nil ? Self.value(value, kind) : nil
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
    case .float, .double:
      // NaN and the infinities are texts, as in JSON.
      guard isDecimal(text) else { return scalar.stored(.string(text)) }
      guard let number = Double(text), number.isFinite else { return nil }
      return scalar.stored(.double(number))
    case .string, .data, .date, .uuid, .url, .decimal: return scalar.stored(.string(text))
    }
  }

  /// Whether a text has only what decimal numbers are written with.
  fileprivate static func isDecimal(_ text: String) -> Bool {
    text.utf8.allSatisfy { "+-.0123456789Ee".utf8.contains($0) }
  }

  /// A value of JSON as one of a kind; nil if it does not fit.
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
      let kinds = kinds(of: fields)
      for member in members {
        guard let value = Self.value(member.value, kinds[member.name]) else { return nil }
        stored.append(.init(member.name, value))
      }
      return .object(.init(stored))
    case (.array?, _), (.record?, _): return nil
    case (.tagged?, _), (.unknown?, _), (nil, _): return value
    }
  }

  /// What is wrong with a value of JSON that does not fit the kind of a field: `lines[0].cents is "x", which is no integer`.
  static func problem(_ value: RecordValue, of field: String, _ kind: Layout.Kind?) -> String {
    let found = misfit(value, kind) ?? (path: "", value: value, kind: kind)
    return
      "\(field)\(found.path) is \(found.value.json().prefix(60)), which is no \(word(found.kind))"
  }

  /// The innermost part of a value that does not fit its kind; nil if all fits.
  private static func misfit(
    _ value: RecordValue,
    _ kind: Layout.Kind?
  ) -> (path: String, value: RecordValue, kind: Layout.Kind?)? {
    switch (kind, value) {
    case (.array(of: let element)?, .array(let elements)):
      for (index, part) in elements.enumerated() {
        guard let found = misfit(part, element) else { continue }
        return ("[\(index)]\(found.path)", found.value, found.kind)
      }
      return nil
    case (.record(let fields)?, .object(let members)):
      let kinds = kinds(of: fields)
      for member in members {
        guard let found = misfit(member.value, kinds[member.name]) else { continue }
        return (".\(member.name)\(found.path)", found.value, found.kind)
      }
      return nil
    default: return Self.value(value, kind) == nil ? ("", value, kind) : nil
    }
  }

  /// The word for a kind in an error.
  static func word(_ kind: Layout.Kind?) -> String {
    switch kind {
    case .array?: return "array"
    case .record?: return "object"
    default: break
    }
    return kind.flatMap { ColumnKind($0) }.map { $0.rawValue.lowercased() } ?? "value"
  }
}

/// A column of CSV of a table that has no fields: its kind is the one that fits all its texts.
///
/// A text is a number only if the number is written like that: `007`, `+49` and `1.50` are texts, and so are
/// digits that no integer holds.
struct ImportedColumn {
  private var isEmpty = true
  private var fitting: Set<Scalar> = [.int64, .double, .bool]

  /// Notes a text; an empty one is no value.
  mutating func note(_ text: String) {
    if text.isEmpty { return }
    isEmpty = false
    for scalar in fitting where !Self.isCanonical(text, scalar) { fitting.remove(scalar) }
  }

  /// The kind.
  var kind: Layout.Kind {
    let scalar = [Scalar.int64, .double, .bool].first { !isEmpty && fitting.contains($0) }
    return .scalar(scalar ?? .string)
  }

  /// Whether a text is how a value of a kind is written.
  private static func isCanonical(_ text: String, _ scalar: Scalar) -> Bool {
    switch scalar {
    case .int64: Int64(text)?.description == text
    case .double: ImportedTable.isDecimal(text) && Double(text)?.description == text
    case .bool: text == "true" || text == "false"
    default: false
    }
  }
}

extension RecordValue {
  /// A name that an object in the value has twice.
  var repeatedName: String? {
    switch self {
    case .array(let elements):
      for element in elements {
        if let name = element.repeatedName { return name }
      }
    case .object(let members):
      var names: Set<String> = []
      for member in members {
        if !names.insert(member.name).inserted { return member.name }
        if let name = member.value.repeatedName { return name }
      }
    default: break
    }
    return nil
  }
}
