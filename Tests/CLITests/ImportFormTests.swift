import Foundation
import Strata
import TestSupport
import Testing

/// From where `strata import` reads, and what it takes a file for.
struct ImportFormTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    try write("id,text\n1,one\n2,\"a, b\"\n", to: "notes.csv")
    try write("id\ttext\n1\tone\n2\ta, b\n", to: "notes.tsv")
    try write(
      #"{"id":1,"text":"one"}"# + "\n" + #"{"id":2,"text":"a, b"}"# + "\n",
      to: "notes.ndjson"
    )
    for (ending, text) in [("csv", "notes.csv"), ("tsv", "notes.tsv"), ("json", "notes.ndjson")] {
      try FileManager.default.copyItem(
        atPath: directory.path(text),
        toPath: directory.path("\(ending).txt")
      )
      try FileManager.default.createSymbolicLink(
        atPath: directory.path("link to \(ending)"),
        withDestinationPath: text
      )
    }
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path(name)))
  }

  /// Runs a command line in the directory, in which `$0` is `strata`.
  private func run(_ line: String) async throws -> Program {
    try await Program.shell("cd \"$1\"; \(line)", directory.url.path)
  }

  @Test(
    arguments: [
      "$0 import s notes notes.csv --create", "$0 import s notes notes.tsv --create",
      "$0 import s notes notes.ndjson --create",
      "$0 import s notes csv.txt --form csv --create",
      "$0 import s notes tsv.txt --form tsv --create",
      "$0 import s notes json.txt --form json --create",
      "$0 import s notes 'link to csv' --form csv --create",
      "$0 import s notes 'link to json' --form json --create",
      "cat notes.csv | $0 import s notes - --form csv --create",
      "cat notes.tsv | $0 import s notes - --form tsv --create",
      "cat notes.ndjson | $0 import s notes - --form json --create",
      "$0 import s notes - --form csv --create < notes.csv",
      "cat notes.csv | $0 import s notes /dev/stdin --form csv --create",
      "cat notes.ndjson | $0 import s notes /dev/stdin --form json --create",
      "mkfifo pipe; cat notes.csv > pipe & $0 import s notes pipe --form csv --create",
      "mkfifo pipe; cat notes.ndjson > pipe & $0 import s notes pipe --form json --create",
      "$0 import s notes <(cat notes.tsv) --form tsv --create",
      // The form that is said holds, whatever the ending says.
      "mv notes.tsv notes.csv; $0 import s notes notes.csv --form tsv --create",
    ]
  )
  func `entities come from a file, a link, a pipe and standard input`(line: String) async throws {
    let imported = try await run(line)
    #expect(imported.status == 0, "\(imported)")
    let notes = try await run("$0 query s 'SELECT id, text FROM notes ORDER BY id' --csv")
    #expect(notes.output == "id,text\n1,one\n2,\"a, b\"\n", "\(notes)")
  }

  @Test(arguments: ["csv.txt", "-", "/dev/stdin", "'link to csv'", "nothing.txt"])
  func `a name that does not say what it is needs a form`(file: String) async throws {
    let refused = try await run("$0 import s notes \(file) --create < notes.csv")
    #expect(refused.status != 0)
    #expect(refused.errors.contains("Say what it is: --form csv, tsv or json."), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: directory.path("s")))
  }

  @Test(
    arguments: [
      (".", "is a directory"), ("nothing", "there is no file"), ("/dev/null", "no line of titles"),
    ]
  )
  func `what has no entities to read is an error with its cause`(
    file: String,
    cause: String
  ) async throws {
    let refused = try await run("$0 import s notes \(file) --form csv --create")
    #expect(refused.status != 0)
    #expect(refused.errors.contains(cause), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: directory.path("s")))
  }
}
