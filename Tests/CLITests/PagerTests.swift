#if os(Linux)
  import Strata
  import Testing

  /// Text on a terminal, which `script` makes here, goes through the user's pager.
  @Suite struct PagerTests {
    /// The screen without standard error, where a line says how far a command is that takes a second.
    private func screen(_ variables: String, _ command: String) async throws -> Program {
      let folder = try Folder()
      let tracker = try await Tracker(at: folder.path("app.strata"))
      try await tracker.commitSample()
      try await tracker.persistence.close()
      return try await Program.shell(
        #"cd "$1" && export STRATA=$0 TERM=xterm && unset PAGER NO_COLOR && \#(variables) script -qec '"$STRATA" \#(command) 2>/dev/null' /dev/null"#,
        folder.path("")
      )
    }

    @Test func `a terminal gets what the pager makes of the text, with colors`() async throws {
      let program = try await screen("STRATA_PAGER='sed s/^/page:/'", "diff app.strata 3..4")
      #expect(program.output.hasPrefix("page:\u{1B}[33m~ issues 41"), "\(program.output)")
      #expect(program.status == 2)
    }

    @Test(arguments: ["STRATA_PAGER=", "STRATA_PAGER=cat", "STRATA_PAGER=/none/less", "TERM=dumb"])
    func `without a pager the text is printed`(variables: String) async throws {
      let program = try await screen(
        "PAGER='sed s/^/page:/' \(variables)",
        "show app.strata issues 42"
      )
      #expect(program.output.contains("Login fails"), "\(program.output)")
      #expect(!program.output.contains("page:"))
      #expect(program.status == 0)
    }

    @Test
    func `an option keeps a pager away, and its end before that of the text is none of an error`()
      async throws
    {
      let printed = try await screen("PAGER='sed s/^/page:/'", "log app.strata --no-pager")
      #expect(!printed.output.contains("page:"), "\(printed.output)")
      let left = try await screen("PAGER=true", "log app.strata")
      #expect(left.status == 0 && left.output.isEmpty, "\(left.output)")
    }

    @Test(arguments: ["PAGER='MARK=page: sed s/^/page:/'", "PAGER='\"sed\" -e s/^/page:/'"])
    func `a pager is a command line of the shell`(variables: String) async throws {
      let program = try await screen(variables, "show app.strata issues 42")
      #expect(program.output.contains("page:"), "\(program.output)")
      #expect(program.status == 0)
    }

    @Test(arguments: [
      ("NO_COLOR=", true), ("NO_COLOR=1", false), ("NO_COLOR= TERM=dumb", false),
      ("TERM=dumb", false),
    ])
    func `an empty NO_COLOR is none`(variables: String, isColored: Bool) async throws {
      let program = try await screen("STRATA_PAGER= \(variables)", "diff app.strata 3..4")
      #expect(program.output.contains("\u{1B}[33m") == isColored, "\(variables): \(program.output)")
    }

    @Test func `the option may stand before the subcommand`() async throws {
      let printed = try await screen("PAGER='sed s/^/page:/'", "--no-pager log app.strata")
      #expect(
        printed.output.contains("cleanup") && !printed.output.contains("page:"),
        "\(printed.output)"
      )
      #expect(printed.status == 0)
    }

    @Test func `a pipe has no pager`() async throws {
      let folder = try Folder()
      let path = try await folder.closedSample()
      let program = try await Program.shell(#"STRATA_PAGER='sed s/^/page:/' "$0" log "$1""#, path)
      #expect(!program.output.contains("page:"))
    }
  }
#endif
