import Foundation
import Strata
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMaintenance
import StrataRecords
import TestSupport
import Testing

/// `strata undo` and `strata revert`.
struct UndoTests {
  let directory: TemporaryDirectory
  let store: String

  init() throws {
    directory = try TemporaryDirectory()
    store = directory.path("app.strata")
  }

  private static func book(_ number: Int, _ title: String? = nil) -> Book {
    Book(id: EntityID(number), title: title ?? "Volume \(number)")
  }

  private func commit(_ body: (LibraryStore) -> Void) async throws {
    let persistence = try await Persistence.open(
      at: store,
      initialState: LibraryState(),
      database: \.db
    )
    body(LibraryStore(persistence))
    try await persistence.close()
  }

  /// Five books, then an import of two that changes one, then a commit that changes another.
  private func makeIncident() async throws {
    try await commit { store in
      store.commit { state in for number in 1...5 { state.db.books.insert(Self.book(number)) } }
      store.commit("import") { state in
        state.db.books.insert(Self.book(2, "wrong"))
        state.db.books.insert(Self.book(11))
        state.db.books.remove(3)
      }
      store.commit("rename") { $0.db.books.insert(Self.book(4, "Four")) }
    }
  }

  private func books() throws -> [String] {
    let inspector = try Inspector(path: store)
    let last = Revision(try inspector.info().revision)
    return try inspector.database(over: LibraryDatabase(), at: last).books
      .sorted { $0.id.raw < $1.id.raw }.map { "\($0.id.raw) \($0.title)" }
  }

  @Test
  func `a commit is taken back, and what others have written stays`() async throws {
    try await makeIncident()
    let plan = try await Program.strata("undo", store, "2", "--dry-run")
    #expect(
      plan.output == """
        ~ books 2
        + books 3
        - books 11
        3 entities of revision 2: 3 to undo, 0 as before already, 0 conflicts. Nothing was written.

        """
    )
    #expect((plan.status, plan.errors) == (0, ""))
    #expect(try Inspector(path: store).info().revision == 3)
    let undone = try await Program.strata("undo", store, "--name", "import")
    #expect(
      undone.output.hasSuffix("3 entities of revision 2 undone, at revision 4 of \(store).\n")
    )
    #expect((undone.status, undone.errors) == (0, ""))
    #expect(try books() == ["1 Volume 1", "2 Volume 2", "3 Volume 3", "4 Four", "5 Volume 5"])
    let log = try await Program.strata("log", store, "-n", "1")
    #expect(log.output.contains("undo 2"), "\(log)")
    #expect(try await Program.strata("verify", store).status == 0)
    // Undone again, it is as after the import.
    let redone = try await Program.strata("undo", store, "HEAD")
    #expect(redone.status == 0, "\(redone)")
    #expect(
      try books() == ["1 Volume 1", "2 wrong", "4 Four", "5 Volume 5", "11 Volume 11"]
    )
    // The program takes it from there.
    try await commit { store in _ = store.commit { $0.db.books.remove(5) } }
  }

  @Test
  func `what another commit has changed since is named and left, unless it may be replaced`()
    async throws
  {
    try await makeIncident()
    try await commit { store in
      store.commit("by hand") { $0.db.books.insert(Self.book(2, "right")) }
      store.commit { $0.db.books.insert(Self.book(3)) }
    }
    let refused = try await Program.strata("undo", store, "1..2")
    #expect(refused.status == 2)
    #expect(
      refused.output == """
        ~ books 2  (conflict: revision 4, “by hand”, has changed it since)
        ~ books 3  (as before already)
        - books 11
        3 entities of revision 2: 1 to undo, 1 as before already, 1 conflict. Nothing was written.

        """
    )
    #expect(try Inspector(path: store).info().revision == 5)
    let json = try await Program.strata("undo", store, "1..2", "--dry-run", "--json")
    #expect(json.output.contains(#""changedSince" : 4"#), "\(json)")
    let forced = try await Program.strata("undo", store, "2", "--overwrite")
    #expect(forced.status == 0, "\(forced)")
    #expect(forced.output.contains("2 entities of revision 2 undone"))
    #expect(try books()[1] == "2 Volume 2")
  }

  @Test
  func `the name of a commit counts whole, and one that none has is not found`() async throws {
    try await makeIncident()
    let part = try await Program.strata("undo", store, "--name", "imp")
    #expect((part.status, part.output) == (3, ""))
    #expect(
      part.errors == """
        strata: \(store): there is no commit named “imp” in the history; `strata log --name` lists those whose names contain \
        it. Check the spelling. `strata tables` lists the tables, and `strata info` the snapshots.

        """
    )
    let json = try await Program.strata("undo", store, "--name", "imp", "--dry-run", "--json")
    #expect(json.status == 3)
    #expect(json.output.contains(#""status":3"#), "\(json)")
    #expect(try Inspector(path: store).info().revision == 3)
    // Its commits may all be as before already: that is not an error.
    #expect(try await Program.strata("undo", store, "--name", "import").status == 0)
    #expect(try await Program.strata("undo", store, "--name", "import").status == 0)
  }

  @Test
  func `a dry run says whether conflicts would be taken along`() async throws {
    try await makeIncident()
    try await commit { store in
      store.commit("by hand") { $0.db.books.insert(Self.book(2, "right")) }
    }
    let refused = try await Program.strata("undo", store, "2", "--dry-run")
    #expect(refused.status == 2)
    #expect(refused.output.hasSuffix("1 conflict. Nothing was written.\n"), "\(refused)")
    let accepted = try await Program.strata("undo", store, "2", "--overwrite", "--dry-run")
    #expect(accepted.status == 0)
    #expect(
      accepted.output.hasSuffix(
        "1 conflict, which --overwrite takes along. Nothing was written.\n"
      ),
      "\(accepted)"
    )
    #expect(try Inspector(path: store).info().revision == 4)
  }

  @Test
  func `a table and an entity go back to a revision, and so does the whole store`() async throws {
    try await makeIncident()
    let one = try await Program.strata("revert", store, "books", "2", "--at", "1")
    #expect((one.status, one.errors) == (0, ""))
    #expect(
      one.output == "~ books 2\n1 entity reverted to revision 1, at revision 4 of \(store).\n"
    )
    #expect(try books()[1] == "2 Volume 2")
    let again = try await Program.strata("revert", store, "books", "2", "--at", "1")
    #expect(again.output == "It is as it was since revision 1 already.\n", "\(again)")
    let table = try await Program.strata("revert", store, "books", "--at", "@-0s")
    #expect(table.output == "It is as it was already.\n", "\(table)")
    let back = try await Program.strata("revert", store, "books", "--at", "1", "--dry-run")
    #expect(back.output.contains("3 entities since revision 1: 3 to revert"), "\(back)")
    let all = try await Program.strata("revert", store, "--at", "1")
    #expect(all.output.hasPrefix("The data is what it was at revision 1, as revision 5."), "\(all)")
    #expect(try books() == (1...5).map { "\($0) Volume \($0)" })
  }

  @Test
  func `a reference that would lead nowhere is refused, in both directions`() async throws {
    try await commit { store in
      store.commit { state in
        state.db.authors.insert(Author(id: "a", name: "A"))
        state.db.books.insert(Book(id: 1, title: "By A", author: "a"))
      }
      store.commit { state in
        state.db.authors.insert(Author(id: "b", name: "B"))
        state.db.books.remove(1)
      }
      store.commit { $0.db.books.insert(Book(id: 2, title: "By B", author: "b")) }
      _ = store.commit { $0.db.authors.remove("a") }
    }
    let refused = try await Program.strata("undo", store, "2")
    #expect(refused.status == 1)
    #expect(
      refused.errors == """
        1 of books would refer to a of authors, which would not be there.
        2 of books would refer to b of authors, which would not be there.

        """
    )
    #expect(try Inspector(path: store).info().revision == 4)
    let left = try await Program.strata("undo", store, "2", "--leave-references")
    #expect(left.status == 0, "\(left)")
    // Together with the commits that refer to it, there is nothing to refuse.
    #expect(try await Program.strata("undo", store, "5").status == 0)
    #expect(try await Program.strata("undo", store, "2", "3", "4").status == 0)
    #expect(try books() == ["1 By A"])
  }

  @Test
  func `revisions that are no commits are refused by that cause`() async throws {
    try await makeIncident()
    for (argument, status, sentence) in [
      ("0", 64, "Revision 0 is no commit"), ("4", 3, "4"), ("3..1", 64, "earlier revision"),
      ("many", 64, "many"),
    ] {
      let refused = try await Program.strata("undo", store, argument)
      #expect(Int(refused.status) == status, "\(refused)")
      #expect(refused.errors.contains(sentence), "\(refused)")
    }
    #expect(try await Program.strata("undo", store).status == 64)
    #expect(try await Program.strata("undo", store, "1", "--name", "import").status == 64)
    let open = try await Persistence.open(at: store, initialState: LibraryState(), database: \.db)
    let held = try await Program.strata("undo", store, "2")
    #expect(held.status == 5)
    #expect(
      held.errors.contains("Close it there first, or call `persistence.undo` in that program."),
      "\(held)"
    )
    #expect(!held.errors.contains("RestorePolicy"))
    let moved = try await Program.strata("revert", store, "--at", "1")
    #expect(moved.errors.contains("call `persistence.revert` in that program"), "\(moved)")
    let named = try await Program.strata("snapshot", "create", store, "one")
    #expect(named.errors.contains("call `persistence.snapshot` in that program"), "\(named)")
    let push = try await Program.strata("push", store, "--to", directory.path("archive"))
    #expect(push.errors.hasSuffix("Close it there first.\n"), "\(push)")
    #expect(try await Program.strata("undo", store, "2", "--dry-run").status == 0)
    try await open.close()
  }

  @Test
  func `a span over a migration of its tables is refused, and leads to the whole store`()
    async throws
  {
    try await makeIncident()
    let folder = directory.path("Migrations")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try "UPDATE books SET title = upper(title);".write(
      toFile: folder + "/0001_titles.sql",
      atomically: true,
      encoding: .utf8
    )
    let up = try await Program.strata("migrate", "up", store, "--dir", folder)
    #expect(up.status == 0, "\(up)")
    let refused = try await Program.strata("undo", store, "2")
    #expect(refused.status == 1)
    #expect(
      refused.errors.hasPrefix("The migration 0001_titles has changed books at revision 4, so"),
      "\(refused)"
    )
    #expect(refused.errors.contains("Read what they were with --at 1, and write that in a commit."))
    #expect(refused.errors.contains("strata revert --at 1"))
  }
}

/// `persistence.undo`.
struct ProgramUndoTests {
  private let directory: TemporaryDirectory
  private let persistence: Persistence<LibraryState, LibraryDatabase>
  private let store: LibraryStore

  init() async throws {
    directory = try TemporaryDirectory()
    persistence = try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: LibraryState(),
      database: \.db
    )
    store = LibraryStore(persistence)
    store.commit { state in
      for number in 1...5 { state.db.books.insert(Self.book(number)) }
    }
    store.commit("import") { state in
      state.db.books.insert(Self.book(2, "wrong"))
      state.db.books.insert(Self.book(11))
      state.db.books.remove(3)
    }
  }

  private static func book(_ number: Int, _ title: String? = nil) -> Book {
    Book(id: EntityID(number), title: title ?? "Volume \(number)")
  }

  private var books: [String] {
    store.state.db.books.sorted { $0.id.raw < $1.id.raw }.map { "\($0.id.raw) \($0.title)" }
  }

  @Test
  func `a commit is taken back while the program runs, and so is the undo`() async throws {
    store.commit { $0.db.books.insert(Self.book(4, "Four")) }
    #expect(try await persistence.undo([2]) == 4)
    #expect(books == ["1 Volume 1", "2 Volume 2", "3 Volume 3", "4 Four", "5 Volume 5"])
    #expect(try await persistence.undo([4]) == 5)
    #expect(books == ["1 Volume 1", "2 wrong", "4 Four", "5 Volume 5", "11 Volume 11"])
    // What is as before already is no commit.
    #expect(try await persistence.undo([4, 5]) == 5)
    let stored = try await persistence.state(at: .revision(5))
    #expect(stored.books == store.state.db.books)
    let last = try await persistence.deltas(from: 5).reduce(into: [Delta]()) { $0.append($1) }
    #expect(last.map(\.name) == ["undo 4"])
    try await persistence.close()
  }

  @Test
  func `what another commit has changed since is named, and left`() async throws {
    store.commit { $0.db.books.insert(Self.book(2, "right")) }
    let before = books
    let error = await #expect(throws: PersistenceError.self) { try await persistence.undo([2]) }
    #expect(error?.kind == .refused)
    #expect(
      error?.description.contains("revision 3 has changed books 2 since") == true,
      "\(String(describing: error))"
    )
    #expect(books == before)
    #expect(error?.description.contains("leave what they have written (`in:`)") == true)
    try await persistence.undo([2], conflicts: .overwrite)
    #expect(books == (1...5).map { "\($0) Volume \($0)" })
    let missing = await #expect(throws: PersistenceError.self) { try await persistence.undo([9]) }
    #expect(missing?.kind == .notThere)
    try await persistence.close()
  }

  /// As where a counter of IDs is in the state: every later commit changes it, and going back it would give IDs again.
  @Test
  func `only what commits changed in a table is taken back`() async throws {
    store.commit("add") { state in
      state.db.books.insert(Self.book(12))
      state.db.authors.insert(Author(id: "counter", name: "12"))
    }
    store.commit("add") { state in
      state.db.books.insert(Self.book(13))
      state.db.authors.insert(Author(id: "counter", name: "13"))
    }
    let error = await #expect(throws: PersistenceError.self) { try await persistence.undo([3]) }
    #expect(
      error?.description.contains("revision 4 has changed authors counter since") == true,
      "\(String(describing: error))"
    )
    #expect(try await persistence.undo([3], in: "books") == 5)
    #expect(store.state.db.books[12] == nil && store.state.db.books[13] != nil)
    #expect(store.state.db.authors["counter"]?.name == "13")
    let missing = await #expect(throws: PersistenceError.self) {
      try await persistence.undo([4], in: "boks")
    }
    #expect(missing?.kind == .notThere)
    try await persistence.close()
  }

  @Test
  func `records are not replaced if one of them is no longer as expected`() async throws {
    var deltas: [Delta] = []
    for try await delta in persistence.deltas() { deltas.append(delta) }
    let trace = CommitTrace(ofCommit: "replace", nil, at: CommitPlace(#fileID, #function, #line))
    store.commit { $0.db.books.insert(Self.book(2, "right")) }
    let before = books
    #expect(try persistence.replace(deltas[1], by: deltas[0], trace) == nil)
    #expect(books == before)
    store.commit { $0.db.books.insert(Self.book(2, "wrong")) }
    #expect(try persistence.replace(deltas[1], by: deltas[0], trace) == 5)
    #expect(books == (1...5).map { "\($0) Volume \($0)" } + ["11 Volume 11"])
    try await persistence.close()
  }

  /// Commits between reading the file and the new commit: what is written is never from before them.
  @Test
  func `it never overwrites a commit that is made meanwhile`() async throws {
    let titles = (0..<40).map { "by hand \($0)" }
    async let commits: Void = {
      for title in titles {
        store.commit { $0.db.books.insert(Self.book(2, title)) }
        await Task.yield()
      }
    }()
    for _ in 0..<10 {
      do { try await persistence.undo([2]) } catch let error as PersistenceError {
        #expect(error.kind == .refused || error.kind == .busy, "\(error)")
      }
    }
    await commits
    #expect(store.state.db.books[2]?.title == titles.last)
    try await persistence.close()
  }
}

/// A document whose decoding runs what the test wants, as anything may happen while a file is read.
private struct Draft: EntityType {
  static let tableName: TableName = "drafts"
  /// What runs while a draft is decoded.
  struct Action: Sendable {
    let run: @Sendable () -> Void
  }

  static let whileDecoding = Lock<Action?>(nil)

  let id: EntityID<Draft>
  var text: String

  init(id: EntityID<Draft>, text: String) { (self.id, self.text) = (id, text) }

  private enum CodingKeys: CodingKey { case id, text }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(EntityID<Draft>.self, forKey: .id)
    text = try container.decode(String.self, forKey: .text)
    Self.whileDecoding.withLock { $0 }?.run()
  }
}

private struct DraftDatabase: DatabaseType {
  var drafts = EntityTable<Draft>()
  static let schema = DatabaseSchema<DraftDatabase> { Entities(\.drafts) }
}

private struct DraftState: StateType {
  var db = DraftDatabase()
}

private final class DraftStore: Store<DraftState, Never>, @unchecked Sendable {}

/// `persistence.undo` while others commit.
@Suite(.serialized)
struct BusyUndoTests {
  /// Undoes a commit while others change the same draft, in each of the first attempts.
  ///
  /// Returns the error, how many commits of others there were, and the draft at the end.
  private func undo(
    disturbing attempts: Int
  ) async throws -> (error: PersistenceError?, commits: Int, text: String?) {
    let directory = try TemporaryDirectory()
    let persistence = try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: DraftState(),
      database: \.db
    )
    let store = DraftStore(persistence)
    store.commit { $0.db.drafts.insert(Draft(id: "a", text: "first")) }
    store.commit { $0.db.drafts.insert(Draft(id: "a", text: "wrong")) }
    let commits = Lock(0)
    // An attempt decodes two records: the present one, and the one from before.
    let reads = Lock(0)
    Draft.whileDecoding.withLock {
      $0 = Draft.Action { [store] in
        let isDisturbed = reads.withLock { reads in
          reads += 1
          return reads.isMultiple(of: 2) && reads / 2 <= attempts
        }
        guard isDisturbed else { return }
        let number = commits.withLock { number in
          number += 1
          return number
        }
        store.commit { $0.db.drafts.insert(Draft(id: "a", text: "by hand \(number)")) }
      }
    }
    defer { Draft.whileDecoding.withLock { $0 = nil } }
    var failure: PersistenceError?
    do {
      try await persistence.undo([2], conflicts: .overwrite)
    } catch let error as PersistenceError { failure = error }
    let text = store.state.db.drafts["a"]?.text
    try await persistence.close()
    return (failure, commits.withLock { $0 }, text)
  }

  @Test
  func `it is tried again until nobody commits meanwhile, and then says that it is busy`()
    async throws
  {
    let attempts = Persistence<DraftState, DraftDatabase>.undoAttempts
    let late = try await undo(disturbing: attempts - 1)
    #expect(late.error == nil)
    #expect((late.commits, late.text) == (attempts - 1, "first"))
    let never = try await undo(disturbing: attempts)
    #expect(never.error?.kind == .busy)
    #expect((never.commits, never.text) == (attempts, "by hand \(attempts)"))
  }
}

/// Undoing over generated histories, compared with the history without the commits.
struct UndoLawTests {
  /// What a commit does with a book: a title, or nil to remove it.
  private typealias Commit = [Int: String?]

  private static func history(_ random: inout SeededGenerator) -> [Commit] {
    var present: Set<Int> = []
    return (0..<Int.random(in: 3...14, using: &random)).map { number in
      var commit: Commit = [:]
      for id in (1...6).shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)) {
        if present.contains(id), Bool.random(using: &random) {
          commit[id] = .some(nil)
          present.remove(id)
        } else {
          commit[id] = "\(id) in \(number)"
          present.insert(id)
        }
      }
      return commit
    }
  }

  private static func books(_ commits: some Sequence<Commit>) -> [Int: String] {
    var books: [Int: String] = [:]
    for commit in commits { for (id, title) in commit { books[id] = title } }
    return books
  }

  @Test
  func `it gives the history without the commits, and touches what others wrote only if it may`()
    async throws
  {
    let seed = randomSeed()
    for round in 0..<loopCount("STRATA_UNDOS", 25) {
      var random = SeededGenerator(seed: seed, step: round)
      let commits = Self.history(&random)
      let undone = commits.indices.filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      let persistence = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db
      )
      let store = LibraryStore(persistence)
      for commit in commits {
        store.commit { state in
          for (id, title) in commit {
            if let title {
              state.db.books.insert(Book(id: EntityID(id), title: title))
            } else {
              state.db.books.remove(EntityID(id))
            }
          }
        }
      }
      try await persistence.close()
      // Every commit is a revision, as each changes something.
      let ranges = undone.map { Revision(Int64($0 + 1))...Revision(Int64($0 + 1)) }
      let without = Self.books(
        commits.enumerated().filter { !undone.contains($0.offset) }.map(\.element)
      )
      var (expected, conflicts) = (Self.books(commits), Set<Int>())
      for id in 1...6 {
        guard let first = undone.first(where: { commits[$0].keys.contains(id) }) else { continue }
        let before = Self.books(commits[..<first])[id]
        // Between two of the commits, and after the last, others must leave what the commit before has made.
        var (made, isOthers): (String?, Bool) = (nil, false)
        for index in commits.indices[first...] {
          let title = Self.books(commits[...index])[id]
          if undone.contains(index), commits[index].keys.contains(id) { made = title }
          let isEnd =
            index == commits.count - 1
            || undone.contains(index + 1) && commits[index + 1].keys.contains(id)
          if isEnd, title != made { isOthers = true }
        }
        if isOthers, before != expected[id] { conflicts.insert(id) }
        expected[id] = before
        let others = commits[first...].indices.filter { !undone.contains($0) }
        if others.allSatisfy({ !commits[$0].keys.contains(id) }) {
          #expect(without[id] == before, "seed \(seed), round \(round)")
        }
      }
      let refused = try CommitUndo(of: .revisions(ranges)).write(to: path)
      let named = refused.changes.filter { $0.standing == .conflict }.map { $0.id?.json() ?? "" }
      #expect(named == conflicts.sorted().map { "\($0)" }, "seed \(seed), round \(round)")
      if !conflicts.isEmpty {
        #expect(refused.revision == nil, "seed \(seed), round \(round)")
        #expect(try read(path) == Self.books(commits), "seed \(seed), round \(round)")
        _ = try CommitUndo(of: .revisions(ranges), conflicts: .overwrite).write(to: path)
      }
      #expect(try read(path) == expected, "seed \(seed), round \(round)")
    }
  }

  /// Commits of an editor and of others, in turn by chance.
  private func run(
    _ commits: [Commit],
    _ isOwn: [Bool],
    in store: LibraryStore,
    _ editor: LibraryStore.Dispatcher
  ) {
    for (index, commit) in commits.enumerated() {
      (isOwn[index] ? editor : LibraryStore.Dispatcher(targetStore: store)).commit { state in
        for (id, title) in commit {
          if let title {
            state.db.books.insert(Book(id: EntityID(id), title: title))
          } else {
            state.db.books.remove(EntityID(id))
          }
        }
      }
    }
  }

  /// The last steps of an editor, undone by its stack in memory: the books, and whether the stack refused.
  private func undo(
    _ steps: Int,
    of commits: [Commit],
    _ isOwn: [Bool],
    _ conflict: UndoConflict
  ) throws -> (books: [Int: String], isRefused: Bool) {
    let store = LibraryStore()
    let editor = LibraryStore.Dispatcher(targetStore: store)
    let stack = UndoStack(of: editor, database: \.db)
    run(commits, isOwn, in: store, editor)
    var isRefused = false
    for _ in 0..<steps where !isRefused {
      do { _ = try stack.undo(conflict) } catch is UndoError { isRefused = true }
    }
    let books = store.state.db.books.map { ($0.id.raw, $0.title) }
    return (Dictionary(uniqueKeysWithValues: books), isRefused)
  }

  @Test
  func `it is what an UndoStack does, where no rule acts`() async throws {
    let seed = randomSeed()
    var counts = (both: 0, refused: 0)
    for round in 0..<loopCount("STRATA_UNDOS", 40) {
      var random = SeededGenerator(seed: seed, step: round)
      let commits = Self.history(&random)
      // Others commit seldom, so that both outcomes are frequent.
      let isOwn = commits.map { _ in Int.random(in: 0..<5, using: &random) > 0 }
      let own = isOwn.indices.filter { isOwn[$0] }
      if own.isEmpty { continue }
      let steps = Int.random(in: 1...own.count, using: &random)
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      let persistence = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db
      )
      let store = LibraryStore(persistence)
      run(commits, isOwn, in: store, LibraryStore.Dispatcher(targetStore: store))
      try await persistence.close()
      let ranges = own.suffix(steps).map { Revision(Int64($0 + 1))...Revision(Int64($0 + 1)) }
      let overwriting = try undo(steps, of: commits, isOwn, .overwrite)
      let refusing = try undo(steps, of: commits, isOwn, .refuse)
      let result = try CommitUndo(of: .revisions(ranges)).write(to: path)
      let isRefused = result.count(.conflict) > 0
      // A stack does not compare records: others that have changed one back are others for it.
      #expect(!isRefused || refusing.isRefused, "seed \(seed), round \(round)")
      if isRefused {
        counts.refused += 1
        #expect(try read(path) == Self.books(commits), "seed \(seed), round \(round)")
        _ = try CommitUndo(of: .revisions(ranges), conflicts: .overwrite).write(to: path)
      }
      #expect(try read(path) == overwriting.books, "seed \(seed), round \(round)")
      if !refusing.isRefused {
        counts.both += 1
        #expect(refusing.books == overwriting.books, "seed \(seed), round \(round)")
      }
    }
    // Fixed by nothing but chance, of which forty rounds leave none.
    #expect(counts.both > 0 && counts.refused > 0, "seed \(seed)")
  }

  private func read(_ path: String) throws -> [Int: String] {
    let inspector = try Inspector(path: path)
    let last = Revision(try inspector.info().revision)
    return Dictionary(
      uniqueKeysWithValues: try inspector.database(over: LibraryDatabase(), at: last).books
        .map { ($0.id.raw, $0.title) }
    )
  }
}
