import Strata
import Testing

/// Names of subcommands that do not exist.
@Suite struct VerbTests {
  @Test(
    arguments: [
      (
        ["shwo", "app.strata", "users"],
        "“strata” has no subcommand “shwo”. Did you mean `strata show`?"
      ),
      (
        ["migrate", "statsu", "app.strata"],
        "“strata migrate” has no subcommand “statsu”. Did you mean `strata migrate status`?"
      ),
      (["help", "migrat"], "“strata” has no subcommand “migrat”. Did you mean `strata migrate`?"),
      (
        ["help", "show", "users"],
        "“strata show” has no subcommand “users”. `strata show --help` shows its page."
      ),
    ]
  )
  func `a subcommand that is misspelt names the one that was probably meant`(
    arguments: [String],
    message: String
  ) async throws {
    let program = try await Program.run(try Program.strataPath(), arguments)
    #expect(program == Program(status: 64, output: "", errors: "strata: \(message)\n"))
  }

  @Test(arguments: [["frobnicate", "a"], ["help", "frobnicate"]])
  func `a subcommand that is like none gets the list`(arguments: [String]) async throws {
    let program = try await Program.run(try Program.strataPath(), arguments)
    #expect(program.status == 64)
    #expect(program.errors.contains("It has: info, tables, schema, show, list,"), "\(program)")
  }

  @Test func `help for a subcommand of a subcommand shows its page, or says that it is not there`()
    async throws
  {
    let lint = try await Program.strata("help", "migrate", "lint")
    #expect(lint.status == 64 && lint.output.isEmpty)
    #expect(
      lint.errors.contains("“strata migrate” has no subcommand “lint”. It has: status, plan,")
    )
    for page in [["help"], ["help", "migrate"], ["help", "migrate", "status"], ["help", "show"]] {
      let help = try await Program.run(try Program.strataPath(), page)
      #expect(help.status == 0 && help.output.contains("USAGE:"), "\(page)")
    }
  }

  @Test func `a misspelt subcommand is an error in JSON where that was asked for`() async throws {
    let program = try await Program.strata("shwo", "app.strata", "--json")
    #expect(try member("status", of: program.output) == "64")
  }
}
