import StrataJournal
package import StrataRecords
import StrataStorage

/// A column of a table in SQL.
package struct Column: Equatable, Sendable {
  /// Its name, unique in its table without regard to case.
  package let name: String
  package let kind: ColumnKind
  /// How its texts are compared: those of IDs and of references are one identity, however they are composed.
  package let spelling: Spelling
  /// Whether `*` leaves it out.
  package let isHidden: Bool

  package init(
    _ name: String,
    _ kind: ColumnKind,
    _ spelling: Spelling = .asGiven,
    isHidden: Bool = false
  ) {
    self.name = name
    self.kind = kind
    self.spelling = spelling
    self.isHidden = isHidden
  }

  /// The type, and collation, to declare the column with in a private database: see
  /// ``ColumnKind/addCollations(to:)``.
  package var type: String {
    collation == ColumnKind.composed
      ? "\(kind.declaration) COLLATE \(collation)" : kind.declaration
  }

  /// The collation of comparisons.
  package var collation: String {
    let mayHoldTexts = kind.affinity == .text || kind.affinity == .none
    return spelling == .composed && mayHoldTexts && kind.collation == "BINARY"
      ? ColumnKind.composed : kind.collation
  }

  /// Its declaration in a file that other programs read.
  package var declarationInFiles: String { "\(SQLName.quoted(name)) \(kind.declarationInFiles)" }

  package var declaration: String {
    "\(SQLName.quoted(name)) \(type)\(isHidden ? " HIDDEN" : "")"
  }
}

/// The columns of an entity table: its ID, then a column for each field that any of its layouts has.
///
/// The fields of the newest layout come first. A field that has had several kinds has the narrowest kind
/// that holds them all. A hidden column, `"record:json"`, is the whole record, with members that no layout
/// has.
package struct EntityColumns {
  /// The fields, in the order of their columns after the ID.
  package let fields: [String]
  /// The ID, then the fields.
  package let columns: [Column]
  /// The fields beyond those that a table of SQL has room for.
  package let omitted: [String]
  /// What the fields refer to, in the same order.
  package let references: [ReferencedTables?]
  /// The field that stands for the value of records without fields, if there are any.
  package let lone: Int?

  /// The name of the hidden column.
  package static let record = "record:json"
  /// The column of the value of records that have no fields.
  private static let value = "value"

  /// How many fields a table of a query has: one column is for the ID, one for the whole record, and others for
  /// the tables made from it.
  package static let mostOfQueries = 1_900
  /// How many columns a table of an SQLite file has.
  package static let mostOfFiles = 2_000

  /// - Parameters:
  ///   - hidden: Fields of older layouts that no record has any more.
  ///   - first: Fields that get their names before the others.
  ///   - most: Fields beyond this number are left out.
  package init(
    _ layouts: [Layout],
    names: inout UniqueNames,
    hiding hidden: Set<String> = [],
    first: Set<String> = [],
    most: Int = mostOfQueries
  ) {
    var fields: [String] = []
    var kinds: [String: ColumnKind?] = [:]
    var references: [String: ReferencedTables] = [:]
    for layout in layouts.reversed() {
      for field in layout.fields where !hidden.contains(field.name) {
        let kind = ColumnKind(field.kind)
        references[field.name] = references[field.name] ?? field.references
        if let known = kinds[field.name] {
          kinds[field.name] = .some(
            known.flatMap { known in kind.map(known.union) } ?? known ?? kind
          )
        } else {
          fields.append(field.name)
          kinds[field.name] = .some(kind)
        }
      }
    }
    // The field `id` is the ID itself.
    let idKind = (kinds["id"] ?? nil) ?? .any
    fields.removeAll { $0 == "id" }
    let hasLone = layouts.isEmpty || layouts.contains { $0.fields.isEmpty }
    lone = hasLone && kinds[Self.value] == nil ? fields.count : nil
    if lone != nil { fields.append(Self.value) }
    self.fields = Array(fields.prefix(most))
    omitted = Array(fields.dropFirst(most))
    self.references = self.fields.map { references[$0] }
    let id = names.add("id")
    let named = self.fields.filter(first.contains) + self.fields.filter { !first.contains($0) }
    let columnNames = Dictionary(uniqueKeysWithValues: named.map { ($0, names.add($0)) })
    columns =
      [Column(id, idKind, .composed)]
      + self.fields.map { name in
        let spelling: Spelling = if case .table = references[name] { .composed } else { .asGiven }
        return Column(columnNames[name] ?? name, (kinds[name] ?? nil) ?? .any, spelling)
      }
  }
}

/// Names that SQL distinguishes: it compares them without case.
///
/// A name that is taken gets `:2`, `:3` … behind it, which has to be quoted and so is no name of a Swift
/// property.
package struct UniqueNames {
  private var taken: Set<String> = []

  package init(taken: Set<String> = []) { self.taken = Set(taken.map(Self.folded)) }

  /// Takes a name, or the next one that is free.
  package mutating func add(_ name: String) -> String {
    var candidate = name.isEmpty ? ":1" : String(name.map { $0 == "\0" ? "\u{FFFD}" : $0 })
    let stem = name.isEmpty ? "" : candidate
    var number = 2
    while !taken.insert(Self.folded(candidate)).inserted {
      candidate = "\(stem):\(number)"
      number += 1
    }
    return candidate
  }

  /// The same for a table.
  ///
  /// A colon comes before a name that SQLite gives a meaning of its own: `:sqlite_x`.
  package mutating func add(table name: String) -> String {
    let folded = Self.folded(name)
    return add(folded.hasPrefix("sqlite_") || folded.hasPrefix("pragma_") ? ":\(name)" : name)
  }

  /// SQLite folds the letters A to Z only.
  private static func folded(_ name: String) -> String {
    String(
      decoding: name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 },
      as: UTF8.self
    )
  }
}

/// Names in SQL text.
package enum SQLName {
  /// A name in quotes, whatever it contains.
  package static func quoted(_ name: String) -> String {
    "\"" + name.replacing(scalar: "\"", with: "\"\"") + "\""
  }
}
