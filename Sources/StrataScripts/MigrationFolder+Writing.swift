import Foundation
import StrataSchema

extension MigrationFolder {
  /// The form of a new migration.
  package enum NewForm {
    case sql(withDown: Bool)
    /// SQL that a package embeds: the names of its files start with a letter.
    case embedded(withDown: Bool)
    case swift
    /// The same in a folder that a package embeds.
    case embeddedSwift
  }

  /// Reads a folder, and creates it if it does not exist.
  package init(creating path: String) throws(SQLMigrationError) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .unwritable(path: path, detail: "the folder cannot be created")
    }
    try self.init(path)
  }

  /// Writes the files of a new migration with the next number; returns their paths.
  package func add(_ name: String, _ form: NewForm) throws(SQLMigrationError) -> [String] {
    let number = String((steps.last?.number ?? 0) + 1)
    let zeros = String(repeating: "0", count: max(0, 4 - number.count))
    let stem = "\(zeros)\(number)_\(name)"
    switch form {
    case .swift: return [try write(Self.marker, to: "\(stem).swift")]
    case .embeddedSwift: return [try write(Self.marker, to: "V\(stem).swift")]
    case .sql(let withDown): return try addScripts(stem, withDown: withDown)
    case .embedded(let withDown): return try addScripts("V\(stem)", withDown: withDown)
    }
  }

  private func addScripts(
    _ stem: String,
    withDown: Bool
  ) throws(SQLMigrationError) -> [String] {
    var files = [try write(Self.template, to: "\(stem).sql")]
    if withDown { files.append(try write("-- Takes back \(stem).\n", to: "\(stem).down.sql")) }
    return files
  }

  /// A function in Swift with a migration of embedded files in its list: those that `add(_:_:)` returned.
  ///
  /// It is a function because making a migration of a script throws, and only the code of `main.swift` may do that outside
  /// of one.
  package static func declaration(embedding files: [String]) -> String {
    let first = String(files.first?.split(separator: "/").last ?? "")
    let migration = first.hasSuffix(".swift") ? closure(first) : scripts(first, files)
    let isFirst = SQLMigrationName.number(of: SQLMigrationName.withoutPrefix(first)) == 1
    let lines = (isFirst ? [] : ["// Those before it."]) + migration
    return """
      import StrataMigrations

      func migrations() throws -> [DataMigration] {
        [
      \(lines.map { "    \($0)" }.joined(separator: "\n"))
        ]
      }
      """
  }

  /// An embedded file is not compiled, so the step itself is elsewhere in the program.
  private static func closure(_ file: String) -> [String] {
    let name = SQLMigrationName.withoutPrefix(file.dropLast(".swift".count))
    return [
      "DataMigration(\"\(name)\", table: \"users\") { user in",
      "  user[\"email\"] = .string(\"\")",
      "}",
    ]
  }

  private static func scripts(_ first: String, _ files: [String]) -> [String] {
    let arguments = files.map { file in
      let name = file.split(separator: "/").last ?? ""
      let label = name.hasSuffix(".down.sql") ? "down" : "sql"
      // The name that SwiftPM gives the constant.
      let constant = name.replacing(".", with: "_")
      return "  \(label): String(decoding: PackageResources.\(constant), as: UTF8.self)"
    }
    let separated = arguments.dropLast().map { "\($0)," } + arguments.suffix(1)
    return ["try DataMigration(", "  \"\(first.dropLast(".sql".count))\","] + separated + [")"]
  }

  private static let marker =
    "// The program runs this migration; the strata command stops before it.\n"

  private static let template = """
    -- ALTER TABLE users ADD COLUMN email TEXT;
    -- UPDATE users SET email = lower(name) || '@example.org';

    -- A comment may be a check, one SELECT that gives a true value, or name what is lost on purpose:
    -- | strata:before SELECT count(*) > 0 FROM users
    -- | strata:after SELECT count(*) = 0 FROM users WHERE email IS NULL
    -- | strata:allow destructive(users.bio)
    -- Write it without the bar.

    """

  /// Writes a file that stands for the first migrations, and moves theirs into the folder `squashed`; returns the
  /// path of the new file.
  ///
  /// If it throws, each file is where it was.
  package func squash(to last: Int) throws(SQLMigrationError) -> String {
    let replaced = steps.filter { $0.number <= last }
    if let first = steps.first, let numbers = first.replaces,
      replaced.count < 2, last <= numbers.upperBound
    {
      throw .squashed(file: first.files[0], numbers: numbers)
    }
    guard let step = replaced.last, step.number == last else { throw .noMigration(number: last) }
    // The first of them may stand for earlier ones.
    let number = step.name.prefix { $0.isNumber }
    let name = "\(SQLMigrationName.prefix(of: step.files[0]))\(number)_squashed.sql"
    let folder = "\(path)/squashed"
    let files = replaced.flatMap(\.files)
    var taken = files.map { "\(folder)/\($0)" }
    if !files.contains(name) { taken.append("\(path)/\(name)") }
    if let file = taken.first(where: FileManager.default.fileExists(atPath:)) {
      throw .unwritable(path: file, detail: "the file is there already")
    }
    // Without room or permission this fails, before anything is moved. Its name hides it until it has its own.
    let new = try write(
      """
      -- strata:replaces 1...\(last)
      -- A store that lacks one of these migrations is refused. A build that has them can bring it up.

      """,
      to: ".\(name)"
    )
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      remove(new)
      throw .unwritable(path: folder, detail: "the folder cannot be created")
    }
    var moves = files.map { (from: "\(path)/\($0)", to: "\(folder)/\($0)") }
    moves.append((new, "\(path)/\(name)"))
    for (index, move) in moves.enumerated() {
      do {
        try FileManager.default.moveItem(atPath: move.from, toPath: move.to)
      } catch {
        let detail = undo(moves[..<index])
        remove(new)
        throw .unwritable(path: move.to, detail: "\(move.from) cannot be moved there\(detail)")
      }
    }
    return "\(path)/\(name)"
  }

  /// Moves files back; says which of them could not be.
  private func undo(_ moves: ArraySlice<(from: String, to: String)>) -> String {
    let left = moves.reversed().compactMap { move -> String? in
      do {
        try FileManager.default.moveItem(atPath: move.to, toPath: move.from)
        return nil
      } catch {
        return move.to
      }
    }
    return left.isEmpty ? "" : ", and these files could not be moved back: \(left)"
  }

  private func remove(_ file: String) {
    // What failed before is reported.
    do { try FileManager.default.removeItem(atPath: file) } catch _ {}
  }

  private func write(_ text: String, to file: String) throws(SQLMigrationError) -> String {
    let place = "\(path)/\(file)"
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: place), options: .withoutOverwriting)
    } catch {
      throw .unwritable(path: place, detail: "the file cannot be written, or is there already")
    }
    return place
  }
}

extension MigrationFolder.Step {
  /// The numbers that it stands for, if it is squashed, and its script can be read.
  fileprivate var replaces: ClosedRange<Int>? {
    guard let up else { return nil }
    do {
      return try MigrationScript(SQLTokens.plain(up), of: name).replaces
    } catch {
      return nil
    }
  }
}
