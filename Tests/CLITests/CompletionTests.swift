import Foundation
import Strata
import StrataJournal
import Testing

/// What the completion scripts of shells ask the command for.
@Suite struct CompletionTests {
  /// The words that bash offers for the last word of a command line.
  private func words(_ line: String, in folder: Folder) async throws -> [String] {
    let program = try await Program.shell(
      #"""
      cd "$1" && mkdir -p bin && ln -sf "$0" bin/strata && PATH="$1/bin:$PATH"
      source <(strata --generate-completion-script bash)
      read -ra COMP_WORDS <<< "$2"
      [[ $2 == *" " ]] && COMP_WORDS+=("")
      COMP_LINE=$2 COMP_POINT=${#COMP_LINE} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _strata strata "${COMP_WORDS[$COMP_CWORD]}"
      printf '%s\n' "${COMPREPLY[@]}"
      """#,
      folder.path(""),
      line
    )
    return program.output.split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
  }

  @Test func `bash offers the tables and the IDs of the store`() async throws {
    let folder = try Folder()
    let tracker = try await Tracker(at: folder.path("app.strata"))
    try await tracker.commitSample()
    try await tracker.persistence.close()
    #expect(
      try await words("strata show app.strata ", in: folder) == [
        "issues", "projects", "value:settings",
      ]
    )
    #expect(try await words("strata show app.strata pro", in: folder) == ["projects"])
    #expect(try await words("strata show app.strata issues ", in: folder) == ["41", "42", "43"])
    #expect(try await words("strata history app.strata issues 42", in: folder) == ["42"])
    #expect(try await words("strata diff app.strata 1..2 projects w", in: folder) == ["web"])
    #expect(try await words("strata show none.strata ", in: folder).isEmpty)
  }

  @Test func `an ID that begins with - is offered behind --, wherever that stands`() async throws {
    let folder = try Folder()
    let tracker = try await Tracker(at: folder.path("app.strata"))
    tracker.store.commit { state in
      for id in ["--help", "-5", "plain"] {
        state.db.projects.insert(Project(id: Project.ID(id), name: "named"))
      }
    }
    try await tracker.persistence.close()
    #expect(
      try await words("strata show app.strata projects ", in: folder) == ["app", "plain", "web"]
    )
    #expect(
      try await words("strata show app.strata projects -- -", in: folder) == ["--help", "-5"]
    )
    for line in ["-- app.strata projects", "app.strata -- projects", "app.strata projects --"] {
      let words = try await words("strata show \(line) ", in: folder)
      #expect(words == ["--help", "-5", "app", "plain", "web"], "\(line)")
    }
    let shown = try await Program.run(
      try Program.strataPath(),
      ["show", folder.path("app.strata"), "projects", "--", "--help"]
    )
    #expect(shown.output.contains("id:   --help\n"), "\(shown)")
  }

  @Test(arguments: ["it's", "'\u{301}; echo made; '\u{301}", "''", "a'\u{200D}b"])
  func `a text is one word of a shell, also with marks behind its quotes`(text: String) async throws
  {
    let program = try await Program.shell("printf '%s\n' \(text.shellWord) \"$#\"")
    #expect(program.output == "\(text)\n0\n", "\(program)")
  }

  @Test func `a word that a shell or a terminal would act on is not offered`() async throws {
    let folder = try Folder()
    let tracker = try await Tracker(at: folder.path("app.strata"))
    tracker.store.commit { state in
      for id in ["a\u{1B}[31m", "it's", "$(touch made)", "`touch made`", "a b", "é-1"] {
        state.db.projects.insert(Project(id: Project.ID(id), name: "named"))
      }
    }
    try await tracker.persistence.close()
    let words = try await words("strata show app.strata projects ", in: folder)
    #expect(words == ["app", "web", "é-1"])
    #expect(!FileManager.default.fileExists(atPath: folder.path("made")))
  }
}
