import StrataJournal
import StrataRecords

/// A finding that a migration says is intended.
///
/// ```swift
/// DataMigration("0004_no_bio", table: "users") { $0.remove("bio") }
///   .allowing(.destructive("users.bio"))
/// ```
///
/// As a text, names are written as they are, `destructive(users.bio)`, or in double quotes with the escapes of JSON:
/// `destructive("crm.people"."amount (EUR)")`. A name of anything but letters, digits, `_`, `$`, `-` and `:` is printed in
/// quotes.
public struct MigrationAllowance: Sendable, Hashable, Codable {
  /// What it is about.
  fileprivate enum Place: Hashable, Codable {
    case all
    case table(String)
    case field(String, of: String)
    /// What was written without quotes: the name of a table, or a table, a dot and a field.
    case either(String)
  }

  /// The kind of finding.
  public var kind: MigrationFinding.Kind

  private var place: Place

  private init(_ kind: MigrationFinding.Kind, _ place: Place) {
    self.kind = kind
    self.place = place
  }

  /// Allows a kind of finding: in a field, in a table and its fields, or anywhere.
  public init(_ kind: MigrationFinding.Kind, _ table: String? = nil, _ field: String? = nil) {
    switch (table, field) {
    case (nil, _): self.init(kind, Place.all)
    case (let table?, nil): self.init(kind, Place.table(table))
    case (let table?, let field?): self.init(kind, Place.field(field, of: table))
    }
  }

  /// Allows a kind of finding in `table` or `table.field`.
  ///
  /// It is compared with the names that the store has, so these may have dots, too. Where one table is named `crm` and
  /// another one `crm.people`, `crm.people` is the field `people` of the first; `init(_:_:_:)` names the other.
  public init(_ kind: MigrationFinding.Kind, in place: String) {
    self.init(kind, Place.either(place))
  }

  /// Reads `destructive(users.bio)`, `lossy("crm.people")` or `no-effect`; nil for any other text.
  public init?(parsing text: some StringProtocol) {
    guard let list = Self.list(String(text)), list.count == 1 else { return nil }
    self = list[0]
  }

  /// Allows that a table, or a field as `table.field`, loses everything.
  public static func destructive(_ place: String) -> MigrationAllowance {
    MigrationAllowance(.destructive, in: place)
  }

  /// Allows that a field, as `table.field`, loses values.
  public static func lossy(_ place: String) -> MigrationAllowance {
    MigrationAllowance(.lossy, in: place)
  }

  /// Allows that records of a table are gone.
  public static func deletes(_ table: String) -> MigrationAllowance {
    MigrationAllowance(.deletes, table)
  }

  /// Allows that references in a table, or in `table.field`, lead to no entity.
  public static func dangling(_ place: String) -> MigrationAllowance {
    MigrationAllowance(.dangling, in: place)
  }

  /// Whether it covers a finding in a store with some tables: permission to lose everything includes losing a part.
  package func covers(_ finding: MigrationFinding, among tables: Set<String>) -> Bool {
    guard
      kind == finding.kind || kind == .destructive && Self.partOfDestructive.contains(finding.kind)
        || kind == .lossy && finding.kind == .rounds
    else { return false }
    switch place {
    case .all: return true
    case .table(let table): return finding.table == table
    case .field(let field, let table): return finding.table == table && finding.field == field
    case .either(let place):
      guard let table = finding.table else { return false }
      if let field = finding.field, place == "\(table).\(field)" { return true }
      return place == table && !tables.contains { table.hasPrefix("\($0).") }
    }
  }

  private static let partOfDestructive: Set<MigrationFinding.Kind> = [
    .lossy, .deletes, .rounds,
  ]
}

extension MigrationAllowance: CustomStringConvertible {
  /// `destructive(users.bio)`, on one line whatever the names are.
  public var description: String {
    switch place {
    case .all: kind.rawValue
    case .table(let table): "\(kind.rawValue)(\(table.written))"
    case .field(let field, let table): "\(kind.rawValue)(\(table.written).\(field.written))"
    case .either(let place): "\(kind.rawValue)(\(place))"
    }
  }

  /// How a closure or a declaration of Swift says it: `.allowing(.destructive("users.bio"))`.
  package var swift: String {
    let names: [String]
    switch place {
    case .all: names = []
    case .table(let table): names = [table]
    case .field(let field, let table): names = [table, field]
    case .either(let place):
      return ".allowing(MigrationAllowance(.\(kind), in: \(place.swiftLiteral)))"
    }
    let literals = names.map(\.swiftLiteral)
    switch kind {
    case .deletes where names.count == 1: return ".allowing(.deletes(\(literals[0])))"
    case .destructive, .lossy, .dangling:
      guard !names.isEmpty, names.allSatisfy(\.isPlainName) else { break }
      return ".allowing(.\(kind)(\(names.joined(separator: ".").swiftLiteral)))"
    default: break
    }
    return ".allowing(MigrationAllowance(\(([".\(kind)"] + literals).joined(separator: ", "))))"
  }

  /// Reads a list as it is written in a script, with commas or blanks between its parts; nil if it cannot be read, or is
  /// empty.
  package static func list(_ text: String) -> [MigrationAllowance]? {
    var reader = AllowanceReader(text)
    var list: [MigrationAllowance] = []
    while !reader.isAtEnd {
      guard let kind = MigrationFinding.Kind(rawValue: reader.readWord()),
        let place = reader.readPlace()
      else { return nil }
      list.append(MigrationAllowance(kind, place))
    }
    return list.isEmpty ? nil : list
  }
}

/// Reads a list of permissions.
///
/// It goes by Unicode scalars: a mark after a quote in a name makes one character of both.
private struct AllowanceReader {
  private var rest: Substring.UnicodeScalarView

  init(_ text: String) { rest = text[...].unicodeScalars }

  var isAtEnd: Bool {
    mutating get {
      rest = rest.drop { $0 == "," || $0.properties.isWhitespace }
      return rest.isEmpty
    }
  }

  mutating func readWord() -> String {
    let word = rest.prefix { $0 != "," && $0 != "(" && !$0.properties.isWhitespace }
    rest = rest[word.endIndex...]
    return String(word)
  }

  /// What is in parentheses; nil if they have no end.
  mutating func readPlace() -> MigrationAllowance.Place? {
    guard rest.first == "(" else { return .all }
    rest.removeFirst()
    let start = rest
    if let names = readNames() { return names }
    rest = start
    var depth = 1
    let text = rest.prefix { scalar in
      depth += scalar == "(" ? 1 : scalar == ")" ? -1 : 0
      return depth > 0
    }
    guard text.endIndex < rest.endIndex else { return nil }
    rest = rest[text.endIndex...].dropFirst()
    var place = String(text).drop { $0.isWhitespace }
    while let last = place.last, last.isWhitespace { place.removeLast() }
    return place.isEmpty ? nil : .either(String(place))
  }

  /// One or two names of which one is in quotes; nil for anything else.
  private mutating func readNames() -> MigrationAllowance.Place? {
    skipBlanks()
    guard let table = readName() else { return nil }
    var field: (name: String, isQuoted: Bool)?
    if rest.first == "." {
      rest.removeFirst()
      field = readName()
      if field == nil { return nil }
    }
    skipBlanks()
    guard rest.first == ")", table.isQuoted || field?.isQuoted == true else { return nil }
    rest.removeFirst()
    return field.map { .field($0.name, of: table.name) } ?? .table(table.name)
  }

  private mutating func skipBlanks() { rest = rest.drop { $0.properties.isWhitespace } }

  private mutating func readName() -> (name: String, isQuoted: Bool)? {
    guard rest.first == "\"" else {
      let name = rest.prefix {
        !$0.properties.isWhitespace && !".,()\"".unicodeScalars.contains($0)
      }
      rest = rest[name.endIndex...]
      return name.isEmpty ? nil : (String(name), false)
    }
    // As a string of JSON has it.
    var isEscaped = true
    let quoted = rest.prefix { scalar in
      defer { isEscaped = scalar == "\\" && !isEscaped }
      return isEscaped || scalar != "\""
    }
    guard quoted.endIndex < rest.endIndex,
      case .string(let name)? = JSONReader.value(String(quoted) + "\"")
    else { return nil }
    rest = rest[quoted.endIndex...].dropFirst()
    return (name, true)
  }
}

extension String {
  /// Whether it can stand in a permission, and in a literal of Swift, as it is.
  fileprivate var isPlainName: Bool {
    !isEmpty
      && unicodeScalars.allSatisfy { scalar in
        let properties = scalar.properties
        return properties.isAlphabetic || properties.numericType != nil
          || "_$-:".unicodeScalars.contains(scalar)
      }
  }

  /// The name as a permission has it.
  fileprivate var written: String {
    if isPlainName { return self }
    let escaped = unicodeScalars.map { scalar in
      scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : String(scalar).printable
    }
    return "\"\(escaped.joined())\""
  }

  fileprivate var swiftLiteral: String {
    let escaped = unicodeScalars.map { scalar in
      let text = String(scalar)
      if scalar == "\"" || scalar == "\\" { return "\\\(text)" }
      return text.printable == text ? text : "\\u{\(String(scalar.value, radix: 16))}"
    }
    return "\"\(escaped.joined())\""
  }
}
