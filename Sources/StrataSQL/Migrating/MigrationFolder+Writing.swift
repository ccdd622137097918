import Foundation

extension MigrationFolder {
  /// The form of a new migration.
  package enum NewForm {
    case sql(withDown: Bool)
    case swift
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
    case .swift:
      let text = "// The program runs this migration; the strata command stops before it.\n"
      return [try write(text, to: "\(stem).swift")]
    case .sql(let withDown):
      var files = [try write(Self.template, to: "\(stem).sql")]
      if withDown { files.append(try write("-- Takes back \(stem).\n", to: "\(stem).down.sql")) }
      return files
    }
  }

  private static let template = """
    -- ALTER TABLE users ADD COLUMN email TEXT;
    -- UPDATE users SET email = lower(name) || '@example.org';

    -- A check is one SELECT that gives a true value:
    --   strata:before SELECT count(*) > 0 FROM users
    --   strata:after SELECT count(*) = 0 FROM users WHERE email IS NULL
    -- What is lost on purpose:
    --   strata:allow destructive(users.bio)

    """

  /// Writes a file that stands for the first migrations, and moves theirs into the folder `squashed`; returns the
  /// path of the new file.
  package func squash(to last: Int) throws(SQLMigrationError) -> String {
    let replaced = steps.filter { $0.number <= last }
    guard let step = replaced.last, step.number == last else { throw .noMigration(number: last) }
    // The first of them may stand for earlier ones.
    let number = step.name.prefix { $0.isNumber }
    let stem = "\(number)_squashed"
    let folder = "\(path)/squashed"
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for file in replaced.flatMap(\.files) {
        try FileManager.default.moveItem(atPath: "\(path)/\(file)", toPath: "\(folder)/\(file)")
      }
    } catch {
      throw .unwritable(path: folder, detail: "the replaced files cannot be moved there")
    }
    return try write(
      """
      -- strata:replaces 1...\(last)
      -- A store that lacks one of these migrations is refused. A build that has them can bring it up.

      """,
      to: "\(stem).sql"
    )
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
