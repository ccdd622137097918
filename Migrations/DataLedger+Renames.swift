import StrataBase
package import StrataSQLite

extension DataLedger {
  /// A table, or a field of one, that a migration gave another name, or a field from which it has made the values of
  /// another one.
  ///
  /// The ledger has it, because its delta may be trimmed: a table and a field are the same thing under every name that they
  /// have had.
  package struct Rename: Hashable, Sendable {
    /// The name of a table, or those of a table and of a field of its records, with dots before those of its parts.
    package struct Name: Hashable, Sendable {
      package let table: String
      package let field: String?

      package init(table: String, field: String? = nil) {
        (self.table, self.field) = (table, field)
      }
    }

    package let before: Name
    package let after: Name

    package init(_ before: Name, to after: Name) { (self.before, self.after) = (before, after) }
  }

  /// The tables that had other names before a revision.
  package struct TableRenames: Equatable, Sendable {
    package let revision: Int64
    /// The names from the revision on, by those before it.
    package var names: [String: String]

    package init(revision: Int64, names: [String: String]) {
      (self.revision, self.names) = (revision, names)
    }
  }

  /// The names that tables have got, the first first, also where a migration was taken back; O(migrations).
  package static func tableRenames(
    on connection: Connection
  ) throws(SQLiteError) -> [TableRenames] {
    let rows = try history(on: connection).filter {
      $0.entry.renames.contains { $0.after.field == nil }
    }
    let ends = rows.reversed().compactMap { entry, until in
      until.map { (revision: $0, renames: entry.renames.map { Rename($0.after, to: $0.before) }) }
    }
    let starts = rows.map { (revision: $0.entry.revision, renames: $0.entry.renames) }
    // A revert takes back what ran after a revision, and brings back what had run by then.
    let all = (ends + starts).enumerated().inOrder {
      ($0.element.revision, $0.offset) < ($1.element.revision, $1.offset)
    }
    var found: [TableRenames] = []
    for (_, step) in all {
      var names: [String: String] = [:]
      for rename in step.renames where rename.after.field == nil {
        names[rename.before.table] = rename.after.table
      }
      if found.last?.revision == step.revision {
        found[found.count - 1].append(names)
      } else {
        found.append(TableRenames(revision: step.revision, names: names))
      }
    }
    return found
  }
}

extension DataLedger.TableRenames {
  /// Adds names that tables got after these.
  fileprivate mutating func append(_ next: [String: String]) {
    var all = names.mapValues { next[$0] ?? $0 }
    for (former, name) in next where !names.values.contains(former) && all[former] == nil {
      all[former] = name
    }
    names = all.filter { $0.key != $0.value }
  }
}

/// The column `renames`: a line for each, with two names of tables, or twice a table and a field, and tabs between them.
extension [DataLedger.Rename] {
  /// - Throws: `.mismatch` for a line with another number of names.
  init(in text: String, at path: String) throws(SQLiteError) {
    self = []
    for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
      let names = line.split(separator: "\t", omittingEmptySubsequences: false).map(Self.name)
      switch names.count {
      case 2: append(.init(.init(table: names[0]), to: .init(table: names[1])))
      case 4:
        append(
          .init(
            .init(table: names[0], field: names[1]),
            to: .init(table: names[2], field: names[3])
          )
        )
      default:
        throw SQLiteError(
          code: .mismatch,
          operation: .read,
          message: "a rename in the ledger has \(names.count) names, not 2 or 4",
          path: path
        )
      }
    }
  }

  /// The text in the file.
  var text: String {
    map { rename in
      [rename.before, rename.after].flatMap { [$0.table, $0.field].compactMap { $0 } }
        .map(Self.escaped).joined(separator: "\t")
    }.joined(separator: "\n")
  }

  private static func escaped(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\t": text += "\\t"
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func name(_ text: Substring.UnicodeScalarView) -> String {
    var name = ""
    var scalars = text.makeIterator()
    while let scalar = scalars.next() {
      let next = scalar == "\\" ? scalars.next() ?? scalar : nil
      switch next {
      case nil: name.unicodeScalars.append(scalar)
      case "t": name += "\t"
      case "n": name += "\n"
      case let other?: name.unicodeScalars.append(other)
      }
    }
    return name
  }
}
