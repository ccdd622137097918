import StrataColumns
import StrataMaintaining
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
  /// Whether records have their ID as the field `id`.
  let storesID: Bool
  /// Whether a record has something else in the field `id`.
  let hasOtherIDs: Bool
  /// The kind of IDs; nil if it is not known.
  let idKind: Layout.Kind?
  private let kinds: [String: Layout.Kind]
  /// A value of the dictionaries in a field, whose values have its kind.
  private let inDictionaries: [String: RecordValue]
  /// The fields by their columns in SQL, for those that have other names there.
  private let fieldsOfColumns: [String: String]

  init(
    name: String,
    used: FieldsInUse? = nil,
    missingValues: EntityImport.MissingValues,
    references: [Layout.Reference] = []
  ) {
    let fields = used.flatMap { $0.fields.isEmpty ? nil : $0.fields }
    self.name = name
    self.fields = fields
    required = used?.required ?? []
    self.missingValues = missingValues
    self.references = references
    kinds = Dictionary((fields ?? []).map { ($0.name, $0.kind) }) { first, _ in first }
    inDictionaries = used?.inDictionaries ?? [:]
    hasOtherIDs = used?.hasOtherIDs ?? false
    storesID = fields == nil || kinds["id"] != nil && !hasOtherIDs
    idKind = storesID ? kinds["id"] : used?.idKind
    var columns = UniqueNames()
    _ = columns.add("id")
    let others = (fields ?? []).map(\.name).filter { $0 != "id" }
    fieldsOfColumns = Dictionary(others.map { (columns.add($0), $0) }) { first, _ in first }
  }

  /// The kind of a field; nil if it is not known.
  func kind(of field: String) -> Layout.Kind? { kinds[field] }

  /// What a new value of a field is like, as far as its kind does not say it: a dictionary has the kind of the others.
  func example(of field: String) -> RecordValue? {
    inDictionaries[field].map { .object(.init([.init("", $0)])) }
  }

  /// What a column of CSV holds.
  enum Title: Hashable {
    case id
    case field(String)
  }

  /// What a title of CSV names: the ID, or a field by its name or its column in SQL; nil if it names none.
  func meaning(ofTitle title: String) -> Title? {
    if title == "id" { return .id }
    if fields == nil || kinds[title] != nil { return .field(title) }
    if title == Self.otherID, hasOtherIDs { return .field("id") }
    return fieldsOfColumns[title].map { .field($0) }
  }

  /// The title of a field `id` that is not the ID.
  static let otherID = "id:2"

  /// What numbers in a line of JSON are read as: in its members, and in those of an export's `value`.
  var kindOfLines: Layout.Kind {
    let own = fields ?? []
    if own.contains(where: { $0.name == "value" }) { return .record(own) }
    return .record(own + [Layout.Field("value", .record(own))])
  }

  /// A cell of CSV as a value of a kind.
  static func value(
    _ cell: String?,
    _ kind: Layout.Kind?,
    like example: RecordValue? = nil
  ) throws(RecordValue.Misfit) -> RecordValue {
    guard let cell else { return .null }
    switch kind {
    case .scalar(let scalar)?:
      guard let value = ScalarText.value(cell, as: scalar) else {
        throw RecordValue.Misfit(JSONReader.value(cell).nested ?? .string(cell), kind)
      }
      return value
    case .array?, .record?, .tagged?:
      guard let value = JSONReader.value(cell, as: kind) else {
        // In a column of any kind, a text that is no JSON is a text.
        if kind == .tagged { return .string(cell) }
        throw RecordValue.Misfit(.string(cell), kind)
      }
      if value.repeatedName != nil { throw RecordValue.Misfit(value, kind) }
      return try value.stored(as: kind, like: example)
    // An empty dictionary does not say what it may hold.
    case .unknown? where cell == "{}": return .object(.init([]))
    case .unknown?, nil: return .string(cell)
    }
  }

  /// What is wrong with a value that does not fit the kind of a field: `lines[0].cents is "x", which is no integer`.
  static func problem(_ misfit: RecordValue.Misfit, of field: String) -> String {
    let found = misfit.value.json().prefix(60)
    return "\(field)\(misfit.path) is \(found), which is no \(word(misfit.kind))\(form(misfit))"
  }

  /// The word for a kind in an error.
  private static func word(_ kind: Layout.Kind?) -> String {
    switch kind {
    case .array?: return "array"
    case .record?: return "object"
    default: break
    }
    return kind.flatMap { ColumnKind($0) }.map { $0.rawValue.lowercased() } ?? "value"
  }

  /// How a value of the kind is written, where that is not plain.
  private static func form(_ misfit: RecordValue.Misfit) -> String {
    switch (misfit.kind, misfit.value) {
    case (.scalar(.date)?, _): " such as 2026-02-03T04:05:06.789Z"
    case (.scalar(.decimal)?, _): " such as -1234.5, of at most 38 digits"
    case (.scalar(.string)?, _), (.scalar(.data)?, _): ""
    case (.scalar?, .string("")): " (an empty cell without quotes is no value)"
    default: ""
    }
  }
}

/// A column of CSV of a table that has no fields: its kind is the one that fits all its texts.
///
/// A text is a number only if the number is written like that: `007`, `+49` and `1.50` are texts, and so are
/// digits that no integer holds. Integers among doubles are doubles.
struct ImportedColumn {
  private var isEmpty = true
  private var fitting: [Scalar] = [.int64, .double, .bool]

  /// Notes a cell; nil is no value.
  mutating func note(_ cell: String?) {
    guard let cell else { return }
    isEmpty = false
    fitting.removeAll { !Self.isCanonical(cell, $0) }
  }

  /// The kind.
  var kind: Layout.Kind { .scalar(isEmpty ? .string : fitting.first ?? .string) }

  /// Whether a text is how a value of a kind is written.
  private static func isCanonical(_ text: String, _ scalar: Scalar) -> Bool {
    if let value = ScalarText.value(text, as: scalar), ScalarText.text(of: value) == text {
      return true
    }
    guard scalar == .double, isCanonical(text, .int64) else { return false }
    return Int64(text).flatMap { Double(exactly: $0) } != nil
  }
}

/// The numbers of a field of JSON of a table that has no fields.
struct ImportedNumbers {
  private var hasDoubles = false
  private var hasIntegers = false
  private var hasOthers = false

  /// Notes a value.
  mutating func note(_ value: RecordValue) {
    switch value {
    case .null: break
    case .double: hasDoubles = true
    case .int(let number, _) where Double(exactly: number) != nil: hasIntegers = true
    default: hasOthers = true
    }
  }

  /// Whether its integers are doubles, as there are no other values.
  var areDoubles: Bool { hasDoubles && hasIntegers && !hasOthers }
}

extension RecordValue? {
  /// The value if it has parts.
  fileprivate var nested: RecordValue? { flatMap { $0.isNested ? $0 : nil } }
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
