import Foundation
import StrataBase
import StrataInspection
import StrataJournal
package import StrataMaintaining
import StrataRecords
import StrataStorage

/// Adds the entities of a file to a table: CSV with a line of titles, the same with tabs, or JSON.
///
/// Values take the kinds that the newest layout of the table has. A line, or an object of an array, is a whole
/// entity, and replaces one with its ID. If anything is wrong, nothing is written, and every wrong line is listed.
///
/// The records of all entities are in memory, and a file of CSV; of JSON it is one object.
package struct EntityImport {
  /// What the file is.
  package enum Form: String, CaseIterable, Sendable {
    case csv
    /// CSV with tabs in place of commas.
    case tsv
    /// An object on each line, or an array of objects.
    case json

    fileprivate init?(ending: String) {
      switch ending.lowercased() {
      case "csv": self = .csv
      case "tsv": self = .tsv
      case "ndjson", "jsonl", "json": self = .json
      default: return nil
      }
    }
  }

  /// What to do if there is no table, or no store.
  package enum Missing: Sendable {
    case refuse
    case create
  }

  /// What to do about a line without a value that every entity of the table has.
  package enum MissingValues: Sendable {
    case refuse
    case accept
  }

  /// Whether anything is written.
  package enum Effect: Sendable {
    case plan
    case write
  }

  /// What was read and written.
  package struct Result: Sendable, Equatable {
    package var counts: EntityAddition.Counts
    /// Lines of other tables, in what `strata export` wrote.
    package var skipped: Int
    /// Whether the store was created.
    package var isNewStore: Bool
    /// The fields of a table that had none, with the kinds that the file shows.
    package var newFields: [String]
  }

  private let store: String
  private let table: String
  private let file: String
  private let form: Form
  private let missing: Missing
  private let missingValues: MissingValues
  private let references: ReferencePolicy
  private let progress: (Int) -> Void

  /// - Parameters:
  ///   - file: A file, a link to one, or what is read once, such as a pipe; `-` is standard input.
  ///   - form: Nil to go by the ending of the file's name.
  ///   - progress: Called with the number of lines, or objects of an array, that were read.
  package init(
    of file: String,
    into table: String,
    of store: String,
    as form: Form? = nil,
    ifMissing missing: Missing = .refuse,
    missingValues: MissingValues = .refuse,
    references: ReferencePolicy = .refuse,
    progress: @escaping (Int) -> Void = { _ in }
  ) throws(ImportError) {
    guard let form = form ?? Form(ending: PathParts(file).ending) else {
      throw .unknownForm(file)
    }
    if table.isEmpty { throw .noTableName }
    if StoredValues.name(ofTable: table) != nil { throw .persistedValue(table) }
    self.store = store
    self.table = table
    self.file = file
    self.form = form
    self.missing = missing
    self.missingValues = missingValues
    self.references = references
    self.progress = progress
  }

  /// How many wrong lines are listed.
  private static var listedLines: Int { 20 }

  /// Reads the file and adds its entities.
  ///
  /// - Throws: `ImportError`, and `PersistenceError` of the store.
  package func run(_ effect: Effect) throws -> Result {
    let contents = try openFile()
    let isNewStore = missing == .create && !FileManager.default.fileExists(atPath: store)
    let target = isNewStore ? nil : try readTable()
    let name = "import \(PathParts(file).name)"
    var lines = ImportedLines(target?.table ?? newTable, named: name)
    try read(contents, &lines)
    if references == .refuse, !isNewStore { try checkReferences(&lines) }
    guard lines.problems.isEmpty else {
      let sorted = lines.problems.sorted { ImportError.Place.precedes($0.place, $1.place) }
      throw ImportError.lines(Array(sorted.prefix(Self.listedLines)), count: sorted.count)
    }
    let addition = lines.addition
    if addition.entities.isEmpty, target?.isThere != true {
      throw ImportError.noEntities(file, table, skipped: lines.skipped)
    }
    let counts =
      switch effect {
      case .plan: isNewStore ? try addition.planCreation(store) : try addition.plan(store)
      case .write: isNewStore ? try addition.create(store) : try addition.write(to: store)
      }
    return Result(
      counts: counts,
      skipped: lines.skipped,
      isNewStore: isNewStore,
      newFields: lines.table.fields == nil
        ? addition.fields.map { "\($0.name) \($0.kind)" } : []
    )
  }

  private func openFile() throws(ImportError) -> FileHandle {
    if file == "-" { return .standardInput }
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory),
      isDirectory.boolValue
    {
      throw .unreadable(file, "it is a directory")
    }
    do {
      return try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
    } catch {
      throw unreadable(error)
    }
  }

  private func unreadable(_ error: any Error) -> ImportError {
    let isThere = FileManager.default.fileExists(atPath: file)
    return .unreadable(file, isThere ? error.localizedDescription : "there is no file")
  }

  private func read(_ contents: FileHandle, _ lines: inout ImportedLines) throws(ImportError) {
    do {
      switch form {
      case .csv, .tsv:
        let separator = UInt8(ascii: form == .csv ? "," : "\t")
        lines.readCSV(Array(try contents.readToEnd() ?? Data()), separator, progress)
      case .json:
        var objects = try ImportedObjects(reading: contents)
        try lines.readJSON(&objects, progress)
      }
      try contents.close()
    } catch {
      throw unreadable(error)
    }
  }

  /// A new table: its fields are those of the file.
  private var newTable: ImportedTable {
    ImportedTable(name: table, missingValues: missingValues)
  }

  private func readTable() throws -> (table: ImportedTable, isThere: Bool) {
    let inspector = try Inspector(path: store)
    let (tables, isSealed) = try inspector.query { view in
      (
        view.tables,
        view.catalog.layouts(of: table).contains { $0.isOfSealedRecords }
      )
    }
    guard tables.contains(table) || missing == .create else {
      let known = tables.sorted().filter { StoredValues.name(ofTable: $0) == nil }
      throw ImportError.noTable(table, known: known)
    }
    if isSealed { throw ImportError.sealed(table) }
    let found = try inspector.query { view in
      ImportedTable(
        name: table,
        used: try FieldsInUse(of: table, in: view),
        missingValues: missingValues,
        references: view.catalog.lastLayout(of: table)?.references ?? []
      )
    }
    return (found, tables.contains(table))
  }

  /// Notes the lines that refer to entities that are neither in the store nor in the file.
  private func checkReferences(_ lines: inout ImportedLines) throws {
    let places = lines.table.references
    let entities = lines.addition.entities
    if places.isEmpty || entities.isEmpty { return }
    var wanted: [String: Set<[UInt8]>] = [:]
    for entity in entities {
      let value = try entity.value()
      for place in places {
        wanted[place.table, default: []].formUnion(place.encodedIDs(in: value))
      }
    }
    var present = try Inspector(path: store).query { view in
      var present: [String: Set<[UInt8]>] = [:]
      for (table, ids) in wanted { present[table] = try view.present(ids, in: table) }
      return present
    }
    present[table, default: []].formUnion(entities.map(\.id))
    for (index, entity) in entities.enumerated() {
      let value = try entity.value()
      for place in places {
        let known = present[place.table] ?? []
        // The key of a dictionary may mean several IDs.
        let ids = place.encodedIDs(in: value)
        let isMissing =
          place.path.last == .key
          ? !ids.isEmpty && known.isDisjoint(with: ids) : !known.isSuperset(of: ids)
        guard isMissing, let id = ids.first(where: { !known.contains($0) }) else { continue }
        lines.problems.append(
          .init(
            place: lines.places[index],
            detail: """
              it refers to \(EncodedID.text(of: id[...])) of \(place.table), which is not there \
              (--leave-references accepts that)
              """
          )
        )
        break
      }
    }
  }
}
