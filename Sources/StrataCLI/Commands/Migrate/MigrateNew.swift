import ArgumentParser
import StrataInspection
import StrataJournal
import StrataSQL
import StrataScripts

/// `strata migrate new NAME`.
struct MigrateNew: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Writes the files of a new migration, with the next number.",
    discussion: """
      Examples:
        strata migrate new split_name
        strata migrate new split_name --down --dir Sources/App/Migrations
        strata migrate new split_name --embedded --dir Sources/App/Migrations
        strata migrate new split_name --swift
        strata migrate new split_name --swift --embedded --dir Sources/App/Migrations
      """
  )

  @Argument(help: "What it does, in letters, digits and underscores: split_name.")
  var name: String

  @OptionGroup var folder: FolderOption

  @Flag(help: "Write a script for the way back, too.")
  var down = false

  @Flag(
    help:
      "Name the file as a package that embeds it needs it, V0003_…; print the Swift that passes it."
  )
  var embedded = false

  @Flag(help: "Write the file that stands for a migration in Swift.")
  var swift = false

  func validate() throws {
    if down, swift {
      throw ValidationError(
        "--down and --swift cannot be combined: the way back stands in the program, as .reversed { … }."
      )
    }
    guard !name.isEmpty,
      name.utf8.allSatisfy({
        $0 == UInt8(ascii: "_") || (48...57).contains($0) || (65...90).contains($0)
          || (97...122).contains($0)
      })
    else { throw ValidationError("Use letters, digits and underscores: split_name.") }
  }

  func run() throws {
    let files = try MigrationFolder(creating: folder.dir).add(name, newForm)
    let declaration = embedded ? MigrationFolder.declaration(embedding: files) : nil
    try Output.print { output throws(OutputError) in
      switch folder.form {
      case .json: try output.line(SummaryJSON.compact(Written(files: files, swift: declaration)))
      case .text:
        for file in files { try output.line("Wrote \(file.printable).") }
        if let declaration {
          try output.line("Add it to the list that the program passes to `open`:\n\n\(declaration)")
        }
      }
    }
  }

  private var newForm: MigrationFolder.NewForm {
    if swift { return embedded ? .embeddedSwift : .swift }
    return embedded ? .embedded(withDown: down) : .sql(withDown: down)
  }

  private struct Written: Encodable {
    let files: [String]
    let swift: String?
  }
}
