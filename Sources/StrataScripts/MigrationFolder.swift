import Foundation
import StrataJournal

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
    let free = (files.keys.max() ?? 0) + 1
    for (number, files) in files.sorted(by: { $0.key < $1.key }) {
      try Self.checkIsOne(number, files, in: path, free: free)
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
      throw .onlyDown(file: files[0].file)
    }
    // The program has the way back of a migration in Swift.
    if up.kind == .swift, let down = downs.first { throw .onlyDown(file: down.file) }
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

  /// Refuses two migrations of one number.
  ///
  /// The newer one is the one whose file was changed last; where both times are the same, the one whose name comes
  /// last.
  private static func checkIsOne(
    _ number: Int,
    _ files: [FileName],
    in path: String,
    free: Int
  ) throws(SQLMigrationError) {
    let ups = files.filter { $0.kind != .down }
    var names: Set<String> = []
    let firsts = (ups + files).filter { names.insert($0.name).inserted }
    let others = ups.count > 1 ? ups : firsts
    guard others.count > 1 else { return }
    let newer =
      others.sorted { first, second in
        let (left, right) = (first.changed(in: path), second.changed(in: path))
        return left == right ? first.file < second.file : left < right
      }.last ?? others[0]
    let isAlone = newer.kind == .down || ups.count { $0.name == newer.name } > 1
    let moved =
      isAlone ? [newer] : files.filter { $0.name == newer.name }.sorted { $0.kind < $1.kind }
    let digits = String(free)
    let prefix = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    let commands = moved.map { file in
      let letter = SQLMigrationName.prefix(of: file.file)
      let name = "\(letter)\(prefix)_\(file.file.drop { $0 != "_" }.dropFirst())"
      return "mv \("\(path)/\(file.file)".shellWord) \("\(path)/\(name)".shellWord)"
    }
    throw .duplicate(
      number: number,
      files: others.map(\.file).sorted(),
      rename: commands.joined(separator: " && ")
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
  enum Kind: Int, Comparable {
    case up, down, swift

    static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
  }

  let file: String
  let number: Int
  /// `0003_split_name`.
  let name: String
  let kind: Kind

  /// When the file was changed last; the distant past if the system does not say.
  func changed(in path: String) -> Date {
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(file)")
      return attributes[.modificationDate] as? Date ?? .distantPast
    } catch {
      return .distantPast
    }
  }

  /// Nil for a file that does not belong to a migration.
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
