#if !Inspector
  import Testing

  @Suite struct ServeTests {
    @Test(arguments: [["serve"], ["serve", "app.strata", "--port", "8080"], ["serve", "--open"]])
    func `a command without the page says which trait has it`(arguments: [String]) async throws {
      let result = try await Program.run(try Program.strataPath(), arguments)
      #expect(result.status == 64)
      #expect(result.output.isEmpty)
      #expect(result.errors.contains("swift build --product strata --traits Inspector"))
    }

    @Test func `the help does not list what this command does not have`() async throws {
      let help = try await Program.strata("--help")
      #expect(help.status == 0)
      #expect(!help.output.contains("serve"))
    }
  }
#endif
