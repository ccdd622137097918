import StrataJournal

/// Why nothing was imported.
package enum ImportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Where an entity is in a file.
  package struct Place: Sendable, Equatable, CustomStringConvertible {
    package let line: Int
    /// The number of the object in an array; nil where each line is an entity.
    package let object: Int?

    package init(line: Int, object: Int? = nil) {
      self.line = line
      self.object = object
    }

    /// `line 4`, or `object 7 (line 4)`.
    package var description: String {
      object.map { "object \($0) (line \(line))" } ?? "line \(line)"
    }

    /// Whether it comes before another place of the same file.
    static func precedes(_ place: Place, _ other: Place) -> Bool {
      (place.line, place.object ?? 0) < (other.line, other.object ?? 0)
    }
  }

  /// A line, or an object of an array, and what is wrong with it.
  package struct Line: Error, Sendable, Equatable {
    package let place: Place
    package let detail: String

    package init(place: Place, detail: String) {
      self.place = place
      self.detail = detail
    }
  }

  /// The file cannot be read.
  case unreadable(String, String)
  /// The file has none of the known endings.
  case unknownForm(String)
  /// The name of the table is empty.
  case noTableName
  /// The table is that of a persisted value.
  case persistedValue(String)
  /// The records of the table are sealed, so they cannot be written without the key.
  case sealed(String)
  /// There is no such table; the others are listed.
  case noTable(String, known: [String])
  /// The file has no entity for a table that would be created; how many of its lines are of other tables.
  case noEntities(String, String, skipped: Int)
  /// The first lines that are wrong, and how many there are.
  case lines([Line], count: Int)

  package var description: String {
    switch self {
    case .unreadable(let path, let detail):
      return "\(path == "-" ? "Standard input" : path) cannot be read: \(detail)."
    case .unknownForm(let path):
      let name = path == "-" ? "Standard input" : path
      return
        "\(name) has none of the endings .csv, .tsv, .ndjson and .json. Say what it is: --form csv, tsv or json."
    case .noTableName: return "The name of the table is empty. Give the table one, such as people."
    case .persistedValue(let table):
      return "\(table) is a persisted value, and only tables of entities are imported into."
    case .sealed(let table):
      return "The records of \(table) are sealed. Import them in the program, which has the key."
    case .noTable(let table, let known):
      let list = known.isEmpty ? "no tables" : known.joined(separator: ", ")
      return
        """
        \("There is no table \(table)\(table.question(among: known))".withFullStop) The store has \(list). --create adds it, \
        with the fields of the file.
        """
    case .noEntities(let path, let table, let skipped):
      let others =
        switch skipped {
        case 0: ""
        case 1: " Its line is of another table."
        default: " Its \(skipped) lines are of other tables."
        }
      return "\(path) has no entity of \(table), so nothing was created.\(others)"
    case .lines(let lines, let count):
      let rest = count - lines.count
      let more = rest > 0 ? ["and \(Measures.count(rest, "line", "lines")) more"] : []
      let text = lines.map { "\($0.place): \($0.detail)" } + more
      return "Nothing was imported.\n" + text.joined(separator: "\n")
    }
  }
}
