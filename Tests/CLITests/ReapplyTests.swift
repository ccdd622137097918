import Foundation
import Strata
import StrataInspection
import StrataRecords
import TestSupport
import Testing

/// `strata reapply`.
struct ReapplyTests {
  let directory: TemporaryDirectory
  let store: String
  /// A directory as an opening makes it for a file that does not fit the archive.
  let aside: String
  private var other: String { aside + "/app.strata" }

  init() async throws {
    directory = try TemporaryDirectory()
    store = directory.path("app.strata")
    aside = directory.path("app.strata.set-aside-20260202T100000Z")
    try await commit(to: store) { store in
      for number in 1...5 { store.commit { $0.db.books.insert(Self.book(number)) } }
    }
    try FileManager.default.createDirectory(atPath: aside, withIntermediateDirectories: false)
    for suffix in ["", ".head"] {
      try FileManager.default.copyItem(atPath: store + suffix, toPath: other + suffix)
    }
  }

  private static func book(_ number: Int, _ title: String? = nil) -> Book {
    Book(id: EntityID(number), title: title ?? "Volume \(number)")
  }

  private func commit(to path: String, _ body: (LibraryStore) -> Void) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    body(LibraryStore(persistence))
    try await persistence.close()
  }

  private func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: store)) }

  private func books() throws -> [String] {
    let inspector = try Inspector(path: store)
    let last = Revision(try inspector.info().revision)
    return try inspector.database(over: LibraryDatabase(), at: last).books
      .sorted { $0.id.raw < $1.id.raw }.map { "\($0.id.raw) \($0.title)" }
  }

  @Test
  func `what only the file has becomes one commit, and is not committed twice`() async throws {
    try await commit(to: other) { store in
      store.commit { $0.db.books.insert(Self.book(11)) }
      store.commit { $0.db.books.insert(Self.book(4, "Four")) }
      store.commit { $0.db.books.remove(3) }
      // It comes and goes, so nothing is left of it.
      store.commit { $0.db.books.insert(Self.book(12)) }
      store.commit { $0.db.books.remove(12) }
    }
    try await commit(to: store) { store in
      store.commit { $0.db.books.insert(Self.book(6)) }
      store.commit { $0.db.books.insert(Self.book(1, "One")) }
    }
    let before = try bytes()
    let plan = try await Program.strata("reapply", store, aside, "--dry-run")
    #expect(
      plan.output == """
        - books 3
        ~ books 4
        + books 11
        3 entities of the revisions 6 to 10: 3 to commit again, 0 there already, 0 conflicts. Nothing was written.

        """
    )
    #expect((plan.status, plan.errors) == (0, ""))
    #expect(try bytes() == before)
    let written = try await Program.strata("reapply", store, aside)
    #expect(written.status == 0, "\(written)")
    #expect(
      written.output.hasSuffix(
        "3 entities of the revisions 6 to 10 committed again, at revision 8 of \(store).\n"
      ),
      "\(written)"
    )
    #expect(
      try books()
        == ["1 One", "2 Volume 2", "4 Four", "5 Volume 5", "6 Volume 6", "11 Volume 11"]
    )
    let log = try await Program.strata("log", store, "-n", "1")
    let name = "reapply 6 to 10 of app.strata.set-aside-20260202T100000Z"
    #expect(log.output.contains(name), "\(log)")
    #expect(try await Program.strata("verify", store).status == 0)
    let again = try await Program.strata("reapply", store, aside)
    #expect(again.status == 0)
    #expect(again.output.contains("0 to commit again, 3 there already, 0 conflicts."))
    #expect(try Inspector(path: store).info().revision == 8)
    // The program takes it from there.
    try await commit(to: store) { store in
      _ = store.commit { $0.db.books.remove(6) }
    }
  }

  @Test
  func `what the store has changed since is refused, unless it may be replaced`() async throws {
    try await commit(to: other) { store in
      store.commit { $0.db.books.insert(Self.book(2, "Two there")) }
      store.commit { $0.db.books.insert(Self.book(4, "Four there")) }
      store.commit { $0.db.books.remove(5) }
    }
    try await commit(to: store) { store in
      store.commit { $0.db.books.insert(Self.book(2, "Two here")) }
      store.commit { $0.db.books.insert(Self.book(5, "Five here")) }
    }
    let before = try bytes()
    for options in [["--dry-run"], []] {
      let line = #""$0" reapply "$1" "$2" "# + options.joined()
      let refused = try await Program.shell(line, store, aside)
      #expect(refused.status == 2)
      #expect(
        refused.output == """
          ~ books 2  (conflict: the store has changed it since)
          ~ books 4
          - books 5  (conflict: the store has changed it since)
          3 entities of the revisions 6 to 8: 1 to commit again, 0 there already, 2 conflicts. Nothing was written.

          """
      )
      if options.isEmpty { #expect(try Inspector(path: store).info().revision == 7) }
      if !options.isEmpty { #expect(try bytes() == before) }
    }
    let json = try await Program.strata("reapply", store, aside, "--dry-run", "--json")
    #expect(json.output.contains("\"conflict\"") && json.output.contains("\"applies\""))
    let forced = try await Program.strata("reapply", store, aside, "--overwrite")
    #expect(forced.status == 0, "\(forced)")
    #expect(try books() == ["1 Volume 1", "2 Two there", "3 Volume 3", "4 Four there"])
  }

  @Test
  func `where the store has led an archive, the push that is next is named`() async throws {
    let archive = directory.path("archive")
    #expect(try await Program.strata("push", store, "--to", archive).status == 0)
    try await commit(to: other) { $0.commit { $0.db.books.insert(Self.book(11)) } }
    let plan = try await Program.strata("reapply", store, aside, "--dry-run")
    #expect(plan.output.hasSuffix("0 conflicts. Nothing was written.\n"))
    let written = try await Program.strata("reapply", store, aside)
    #expect((written.status, written.errors) == (0, ""))
    #expect(
      written.output.hasSuffix(
        """
        , at revision 6 of \(store).
        Send it to its archive before a program opens the store: strata push \(store) --to ARCHIVE

        """
      ),
      "\(written)"
    )
  }

  @Test
  func `a file of another store, and one without a common revision, are refused`() async throws {
    let foreign = directory.path("foreign.strata")
    try await commit(to: foreign) { $0.commit { $0.db.books.insert(Self.book(1)) } }
    let refused = try await Program.strata("reapply", store, foreign)
    #expect((refused.status, refused.errors) == (1, "\(foreign) is a file of another store.\n"))
    let same = try await Program.strata("reapply", store, aside)
    #expect((same.status, same.output) == (0, "There is no revision that the store lacks.\n"))
    #expect(try await Program.strata("reapply", store, directory.path("none")).status == 3)
  }

  @Test
  func `a reference that would lead nowhere is refused, unless it may stay`() async throws {
    try await commit(to: other) { store in
      store.commit { $0.db.authors.insert(Author(id: "b", name: "B")) }
      store.commit { $0.db.books.insert(Book(id: 11, title: "By B", author: "b")) }
    }
    let whole = try await Program.strata("reapply", store, aside, "--dry-run")
    #expect((whole.status, whole.errors) == (0, ""), "\(whole)")
    let later = try await Program.strata("reapply", store, aside, "--from", "7")
    #expect(later.status == 1)
    #expect(later.errors == "11 of books would refer to b of authors, which would not be there.\n")
    #expect(try Inspector(path: store).info().revision == 5)
    let left = try await Program.strata(
      "reapply",
      store,
      aside,
      "--from",
      "7",
      "--leave-references"
    )
    #expect(left.status == 0, "\(left)")
    // The other way round: what is removed again is referred to since.
    try await commit(to: other) { store in
      _ = store.commit { $0.db.books.remove(1) }
    }
    try await commit(to: store) { store in
      store.commit { $0.db.loans.insert(Loan(id: EntityID(UUID()), book: 1)) }
    }
    let removed = try await Program.strata("reapply", store, aside, "--from", "8")
    #expect(removed.status == 1)
    let sentence = " of loans would refer to 1 of books, which would not be there.\n"
    #expect(removed.errors.hasSuffix(sentence), "\(removed)")
  }

  @Test
  func `one revision can be named where to begin`() async throws {
    try await commit(to: other) { store in
      store.commit { $0.db.books.insert(Self.book(11)) }
      store.commit { $0.db.books.insert(Self.book(12)) }
    }
    let written = try await Program.strata("reapply", store, aside, "--from", "7")
    #expect(
      written.output.hasPrefix("+ books 12\n1 entity of the revisions 7 to 7 committed again")
    )
    #expect(try books().last == "12 Volume 12")
    #expect(try books().count == 6)
  }
}
