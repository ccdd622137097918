import Strata
import StrataCLI
import Testing

/// What goes to a program or a file.
@Suite struct PipeTests {
  let folder: Folder
  let path: String

  init() async throws {
    folder = try Folder()
    path = try await folder.closedSample()
  }

  @Test func `what goes into a pipe is neither cut nor fitted`() async throws {
    let text = String(repeating: "long words ", count: 40) + "the hit"
    let id = String(repeating: "identifier", count: 6)
    let sample = try await OpenSample(at: path)
    sample.store.commit { $0.db.notes.insert(Note(id: EntityID(id), text: text)) }
    sample.store.commit { $0.db.notes.insert(Note(id: EntityID(id), text: "short")) }
    sample.store.commit { $0.db.notes.insert(Note(id: EntityID(id), text: text)) }
    try await sample.persistence.close()
    let lines = [
      "list \"$1\" notes", "find \"$1\" 'the hit' --all", "show \"$1\" notes", "diff \"$1\"",
      "blame \"$1\" notes", "blame \"$1\" notes \(id)",
      "query \"$1\" 'SELECT * FROM notes_history'",
    ]
    for line in lines {
      let piped = try await Program.shell("env -u COLUMNS \"$0\" \(line) | cat", path)
      #expect(piped.output.contains(text), "\(line): \(piped)")
      #expect(piped.output.contains(id) || line.hasPrefix("blame"), "\(line): \(piped)")
      #expect(!piped.output.contains("…") && !piped.output.contains("Not shown"), "\(line)")
    }
    let log = try await Program.shell("env -u COLUMNS \"$0\" log \"$1\" | cat", path)
    #expect(log.output.contains("(\(id))"), "\(log)")
  }

  @Test func `COLUMNS fits a pipe to a width`() async throws {
    let sample = try await OpenSample(at: path)
    let text = String(repeating: "long words ", count: 40)
    sample.store.commit { $0.db.notes.insert(Note(id: "long", text: text)) }
    try await sample.persistence.close()
    let piped = try await Program.shell("COLUMNS=60 \"$0\" list \"$1\" notes | cat", path)
    #expect(piped.output.contains("…"), "\(piped)")
    #expect(piped.output.split(separator: "\n").allSatisfy { $0.count <= 60 }, "\(piped)")
  }

  @Test func `one very long cell does not widen the lines of the others`() {
    let long = String(repeating: "x", count: 10_000)
    let table = TextTable(
      [.init("text"), .init("number", .right, .whole)],
      [[long, "1"], ["short", "2"]],
      within: Terminal.unlimited
    )
    #expect(table.line([long, "1"]).hasPrefix(long + "  "))
    #expect(table.line(["short", "2"]).count < 200)
  }
}
