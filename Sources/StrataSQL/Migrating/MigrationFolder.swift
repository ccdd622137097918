import Foundation

/// The files of a folder of migrations, in the order of their numbers.
///
/// `0003_split_name.sql` is a migration in SQL, and `0003_split_name.down.sql` takes it back. A file
/// `0003_split_name.swift` says that the migration is written in Swift; its contents are not read. `V0003_…` is
/// read as `0003_…`, for folders that a package embeds. Files that end otherwise are ignored.
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
  package init(_ path: String) throws(SQLMigrationError) {
    self.path = path
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw .unreadable(
        path: path,
        detail: "the folder of migrations cannot be read; `strata migrate history` needs none"
      )
    }
    var files: [Int: [FileName]] = [:]
    for name in names where !name.hasPrefix(".") {
      if let file = try FileName(name, in: path) { files[file.number, default: []].append(file) }
    }
    var steps: [Step] = []
    for (number, files) in files.sorted(by: { $0.key < $1.key }) {
      steps.append(try Self.step(number, files, in: path))
    }
    self.steps = steps
  }

  private static func step(
    _ number: Int,
    _ files: [FileName],
    in path: String
  ) throws(SQLMigrationError) -> Step {
    let ups = files.filter { $0.kind != .down }
    guard let up = ups.first else { throw .onlyDown(file: files[0].file) }
    if let other = ups.dropFirst().first {
      throw .duplicate(number: number, files: [up.file, other.file])
    }
    let downs = files.filter { $0.kind == .down }
    if let other = downs.first(where: { $0.name != up.name }) ?? downs.dropFirst().first {
      throw .duplicate(number: number, files: [up.file, other.file])
    }
    if up.kind == .swift, let down = downs.first {
      throw .duplicate(number: number, files: [up.file, down.file])
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

  private static func text(of path: String) throws(SQLMigrationError) -> String {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw .unreadable(path: path, detail: "the file cannot be read")
    }
    guard let text = String(data: data, encoding: .utf8), !text.utf8.contains(0) else {
      throw .unreadable(path: path, detail: "the file is not text in UTF-8")
    }
    return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
  }
}

/// The name of a file of a migration: `0003_split_name.sql`.
private struct FileName {
  enum Kind {
    case up, down, swift
  }

  let file: String
  let number: Int
  /// `0003_split_name`.
  let name: String
  let kind: Kind

  /// Nil for a file that is none of a migration.
  init?(_ file: String, in path: String) throws(SQLMigrationError) {
    self.file = file
    let stem: Substring
    if file.hasSuffix(".down.sql") {
      (kind, stem) = (.down, file.dropLast(".down.sql".count))
    } else if file.hasSuffix(".sql") {
      (kind, stem) = (.up, file.dropLast(".sql".count))
    } else if file.hasSuffix(".swift") {
      (kind, stem) = (.swift, file.dropLast(".swift".count))
    } else {
      return nil
    }
    name = SQLMigrationName.withoutPrefix(stem)
    guard let number = SQLMigrationName.number(of: name) else {
      // Other Swift files may be beside those of migrations.
      if kind == .swift { return nil }
      throw .badName(file: "\(path)/\(file)")
    }
    self.number = number
  }
}

/// The names of migrations: a number, an underscore, and what it does.
enum SQLMigrationName {
  /// `0003_split_name` for `V0003_split_name`.
  static func withoutPrefix(_ name: some StringProtocol) -> String {
    let first = name.first.map(String.init)
    let isPrefixed = first == "V" && (name.dropFirst().first?.isNumber ?? false)
    return String(isPrefixed ? name.dropFirst() : name[...])
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
