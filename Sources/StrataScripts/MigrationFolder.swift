import Foundation
import StrataJournal

/// The files of a folder of migrations, in the order of their numbers.
///
/// `0003_split_name.sql` is a migration in SQL, and `0003_split_name.down.sql` takes it back; `0003_split_name.up.sql` is
/// the same as the first. A file `0003_split_name.swift` says that the migration is written in Swift; its contents are not
/// read. `V0003_…` is read as `0003_…`, for folders that a package embeds. What starts with a number and has another
/// ending is an error if it may be meant as a script, as `0003_b.SQL` or `0003_b`. Other files are ignored, and so are
/// folders.
package struct MigrationFolder {
  /// The files of one number.
  package struct Step: Equatable {
    package let number: Int
    /// `0003_split_name`.
    package let name: String
    /// The names of its files.
    let files: [String]
    /// The text of the script; nil for a step in Swift.
    package let up: String?
    package let down: String?
  }

  package let path: String
  package let steps: [Step]

  /// Reads all files; O(bytes).
  ///
  /// - Parameter applied: The names of migrations that ran on the store at hand: where two have one number, these keep
  ///   it.
  package init(_ path: String, applied: [String] = []) throws(SQLMigrationError) {
    self.path = path
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw .unreadable(
        path: path,
        detail:
          "the folder of migrations cannot be read: check the path; `strata migrate history` needs none"
      )
    }
    var files: [Int: [FileName]] = [:]
    for name in names where !name.hasPrefix(".") {
      if let file = try FileName(name, in: path) { files[file.number, default: []].append(file) }
    }
    var steps: [Step] = []
    let free = (files.keys.max() ?? 0) + 1
    for (number, files) in files.sorted(by: { $0.key < $1.key }) {
      try Self.checkNumber(number, files, in: path, free: free, applied: applied)
      steps.append(try Self.step(number, files, in: path))
    }
    self.steps = steps
  }

  private static func step(
    _ number: Int,
    _ files: [FileName],
    in path: String
  ) throws(SQLMigrationError) -> Step {
    let downs = files.filter { $0.kind == .down }
    guard let up = files.first(where: { $0.kind != .down }) else {
      throw .onlyDown(file: downs[0].file)
    }
    for down in downs where down.name != up.name {
      let name = "\(SQLMigrationName.prefix(of: down.file))\(up.name).down.sql"
      throw .badName(
        file: "\(path)/\(down.file)",
        detail: "the migration \(number) is \(up.file), and its way back is named \(name)"
      )
    }
    if downs.count > 1 { throw twice(downs, in: path) }
    if up.kind == .swift, let down = downs.first {
      throw .badName(
        file: "\(path)/\(down.file)",
        detail: "the program has the way back of a migration in Swift, as .reversed { … }"
      )
    }
    var down: String?
    if let file = downs.first { down = try text(of: "\(path)/\(file.file)") }
    return Step(
      number: number,
      name: up.name,
      files: files.map(\.file),
      up: up.kind == .swift ? nil : try text(of: "\(path)/\(up.file)"),
      down: down
    )
  }

  private static func twice(_ files: [FileName], in path: String) -> SQLMigrationError {
    .badName(
      file: "\(path)/\(files[1].file)",
      detail: "\(files[0].file) is the same migration, so keep one of them"
    )
  }

  /// Refuses two migrations of one number.
  ///
  /// Which of them ran somewhere, a folder does not say: the one that ran on the store at hand keeps its number.
  private static func checkNumber(
    _ number: Int,
    _ files: [FileName],
    in path: String,
    free: Int,
    applied: [String]
  ) throws(SQLMigrationError) {
    let ups = files.filter { $0.kind != .down }
    guard ups.count > 1 else { return }
    let names = Set(ups.map(\.name))
    if names.count == 1 { throw twice(ups, in: path) }
    let digits = String(free)
    let prefix = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    let movable = names.subtracting(applied).sorted()
    let commands = (movable.isEmpty ? names.sorted() : movable).map { name in
      files.filter { $0.name == name }.sorted { $0.kind < $1.kind }.map { file in
        let letter = SQLMigrationName.prefix(of: file.file)
        let name = "\(letter)\(prefix)_\(file.file.drop { $0 != "_" }.dropFirst())"
        return "mv \("\(path)/\(file.file)".shellWord) \("\(path)/\(name)".shellWord)"
      }.joined(separator: " && ")
    }
    throw .duplicate(number: number, files: ups.map(\.file).sorted(), renames: commands)
  }

  private static func text(of path: String) throws(SQLMigrationError) -> String {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw .unreadable(path: path, detail: "the file cannot be read: check who may read it")
    }
    guard let text = String(data: data, encoding: .utf8), !text.utf8.contains(0) else {
      throw .notText(path: path)
    }
    return text
  }
}

/// The name of a file of a migration: `0003_split_name.sql`.
private struct FileName {
  enum Kind: Int, Comparable {
    case up, down, swift

    static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
  }

  let file: String
  let number: Int
  /// `0003_split_name`.
  let name: String
  let kind: Kind

  private static let endings: [(text: String, kind: Kind)] = [
    (".down.sql", .down), (".up.sql", .up), (".sql", .up), (".swift", .swift),
  ]

  /// What other tools write in place of `down`.
  private static let waysBack = [".undo.sql", ".rollback.sql", ".revert.sql"]

  /// Nil for a file that does not belong to a migration.
  init?(_ file: String, in path: String) throws(SQLMigrationError) {
    self.file = file
    let detail = Self.mistake(in: file, path)
    if let detail { throw .badName(file: "\(path)/\(file)", detail: detail) }
    guard let ending = Self.endings.first(where: { file.hasSuffix($0.text) }) else { return nil }
    kind = ending.kind
    name = SQLMigrationName.withoutPrefix(file.dropLast(ending.text.count))
    guard let number = SQLMigrationName.number(of: name) else { return nil }
    self.number = number
  }

  /// How a file is to be named that is meant as one of a migration, and is not named so; nil for any other.
  private static func mistake(in file: String, _ path: String) -> String? {
    let lower = file.lowercased()
    let stem = file.prefix { $0 != "." }
    if let ending = waysBack.first(where: lower.hasSuffix) {
      return "a script for the way back is named \(file.dropLast(ending.count)).down.sql"
    }
    for ending in [".down.sql", ".up.sql"] where lower.hasSuffix(ending) && !file.hasSuffix(ending)
    {
      return "a script is named \(file.dropLast(ending.count))\(ending)"
    }
    if lower.hasSuffix(".sql"), lower.hasPrefix("r__") {
      return "a migration runs once, so it has a number, as in 0003_split_name.sql"
    }
    let rest = file.dropFirst()
    if lower.hasSuffix(".sql"), lower.hasPrefix("u"), rest.first?.isNumber ?? false {
      return "a script for the way back is named \(rest.prefix { $0 != "." }).down.sql"
    }
    let name = SQLMigrationName.withoutPrefix(file)
    let isNumbered = name.first?.isNumber ?? false
    guard endings.contains(where: { file.hasSuffix($0.text) }) else {
      let isMeant = isNumbered && (lower.contains("sql") || !file.contains("."))
      guard isMeant, !isFolder("\(path)/\(file)") else { return nil }
      return "a script is named \(stem)\(lower.contains(".down.") ? ".down" : "").sql"
    }
    if SQLMigrationName.number(of: name) != nil { return nil }
    // Other Swift files may be beside those of migrations.
    if file.hasSuffix(".swift") { return nil }
    if name.prefix(while: \.isNumber).count > 9 {
      return "migrations have the numbers 1, 2, 3 … in their order, as in 0003_split_name.sql"
    }
    return "a migration is named as 0003_split_name.sql, with a number from 1 on"
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      && isFolder.boolValue
  }
}

/// The names of migrations: a number, an underscore, and what it does.
enum SQLMigrationName {
  /// `0003_split_name` for `V0003_split_name`.
  static func withoutPrefix(_ name: some StringProtocol) -> String {
    String(name.dropFirst(prefix(of: name).count))
  }

  /// `V` for `V0003_split_name`, else nothing.
  static func prefix(of name: some StringProtocol) -> String {
    let isPrefixed = name.hasPrefix("V") && (name.dropFirst().first?.isNumber ?? false)
    return isPrefixed ? "V" : ""
  }

  /// The number in front of the first underscore; nil if there is none, or nothing behind it.
  static func number(of name: String) -> Int? {
    let digits = name.prefix { $0.isASCII && $0.isNumber }
    let rest = name.dropFirst(digits.count)
    guard digits.count <= 9, rest.first == "_", rest.count > 1, let number = Int(digits),
      number > 0
    else { return nil }
    return number
  }
}
