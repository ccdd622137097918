import Strata
import Testing

/// `strata bundle` of stores that have little.
@Suite struct BundleTests {
  @Test func `of a store that has only its first snapshot, it has all entities`() async throws {
    let folder = try Folder()
    let (path, bundle) = (folder.path("app.strata"), folder.path("bug.strata"))
    let made = try await Program.shell(
      #"printf 'id,name\n1,Ada\n2,Bob\n' | "$0" import "$1" people - --form csv --create"#,
      path
    )
    #expect(made.status == 0, "\(made)")
    #expect(try await Program.strata("info", path).output.contains("journal    empty"))
    let written = try await Program.strata(
      "bundle",
      path,
      "-o",
      bundle,
      "--redact",
      "people.name"
    )
    #expect(written.status == 0, "\(written)")
    #expect(
      written.output.hasPrefix(
        "\(bundle) has 2 entities of revision 0; there is no commit that it could have.\n2 values were replaced."
      ),
      "\(written)"
    )
    #expect(try await Program.strata("verify", bundle).status == 0)
    let ids = try await Program.strata("query", bundle, "SELECT id FROM people", "--csv")
    #expect(ids.output == "id\n1\n2\n", "\(ids)")
    let list = try await Program.strata("list", bundle, "people", "--csv")
    #expect(!list.output.contains("Ada") && !list.output.contains("Bob"), "\(list)")
    // It can be opened and committed to, as any store.
    let more = try await Program.shell(
      #"printf 'id,name\n3,Cy\n' | "$0" import "$1" people - --form csv"#,
      bundle
    )
    #expect(more.status == 0, "\(more)")
    #expect(try await Program.strata("verify", bundle).status == 0)
  }
}
