import Foundation
import Strata
import StrataJournal
import TestSupport
import Testing

/// What happens at a limit of the process or of the system.
struct LimitTests {
  /// A closed store with a book of a megabyte.
  private func makeStore() async throws -> TestStore {
    let store = try TestStore()
    try await store.run { library, _ in
      library.commit {
        $0.db.books.insert(Book(id: 1, title: String(repeating: "x", count: 1 << 20)))
      }
    }
    return store
  }

  @Test(
    arguments: [
      "backup app.strata copy.strata", "fork app.strata fork.strata",
      "bundle app.strata -o bug.strata", "erase app.strata books 2 --yes",
      "restore app.strata early.strata --yes", "push app.strata --to archive",
      "export app.strata --sqlite out.db",
    ]
  )
  func `a file that reaches the limit of the process is an error, and nothing is left of it`(
    line: String
  ) async throws {
    let store = try await makeStore()
    let directory = store.directory.url.path
    try await store.run { library, _ in library.commit { $0.db.books.insert(Book(id: 2)) } }
    let early = store.directory.path("early.strata")
    #expect(try await Program.strata("backup", store.path, early).status == 0)
    let before = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    // The tests run on threads that block signals, and a child process takes that over.
    let unblocking = "perl -MPOSIX -e 'sigprocmask(SIG_SETMASK, POSIX::SigSet->new); exec @ARGV'"
    let command = "cd \"$1\"; ulimit -f 300; \(unblocking) \"$0\" \(line)"
    let limited = try await Program.shell(command, directory)
    // An archive that cannot be written to is away.
    #expect(limited.status == (line.hasPrefix("push") ? 5 : 74), "\(limited)")
    #expect(limited.errors.hasPrefix("strata: "), "\(limited)")
    if line.hasPrefix("push") { #expect(limited.errors.contains("File too large"), "\(limited)") }
    let after = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    #expect(after.filter { $0 != "archive" } == before)
    #expect(try await Program.strata("verify", store.path).status == 0)
  }

  @Test
  func `a program goes on in memory at its limit, and writes once there is room`() async throws {
    let directory = try TemporaryDirectory()
    let child = try ChildProcess("CrashChild", [directory.path("app.strata"), "1", "limit"])
    let (code, lines) = child.finish()
    #expect(code == 0)
    #expect(lines == ["degraded", "recovered"])
  }

  @Test(arguments: ["x", "é", "./x", "-"])
  func `a store may have a name of one character`(name: String) async throws {
    let store = try await makeStore()
    let directory = store.directory.url.path
    func run(_ line: String) async throws -> Program {
      try await Program.shell("cd \"$1\"; \(line)", directory, name)
    }
    #expect(try await run("$0 backup app.strata -- \"$2\"").status == 0)
    for verb in ["info", "doctor", "verify", "tables"] {
      let asked = try await run("$0 \(verb) -- \"$2\"")
      #expect(asked.status == 0, "\(verb): \(asked)")
    }
    let erased = try await run("$0 erase --yes -- \"$2\" books 1")
    #expect(erased.status == 0, "\(erased)")
    let pushed = try await run("$0 push --to y -- \"$2\" && $0 pull --from y -- z")
    #expect(pushed.status == 0, "\(pushed)")
    let imported = try await run("echo '{\"id\":1}' > w; $0 import --create --form json -- v t w")
    #expect(imported.status == 0, "\(imported)")
  }

  @Test(arguments: [".", "/", "", "./", "nothing/", "nothing/x"])
  func `a path that is no file is an error with its cause`(path: String) async throws {
    let directory = try TemporaryDirectory().url.path
    for verb in ["info", "verify", "doctor", "tables"] {
      let asked = try await Program.shell("cd /tmp; $0 \(verb) -- \"$1\"", path)
      #expect([1, 3].contains(asked.status), "\(verb) \(path): \(asked)")
      #expect(asked.errors.hasPrefix("strata: "), "\(asked)")
    }
    withExtendedLifetime(directory) {}
  }

  @Test
  func `a name that is too long for the files beside the store is refused at its creation`()
    async throws
  {
    let directory = try TemporaryDirectory()
    func create(_ length: Int) async throws -> Program {
      let path = directory.path(String(repeating: "n", count: length))
      let file = directory.path("one.json")
      try Data("{\"id\":1}\n".utf8).write(to: URL(fileURLWithPath: file))
      return try await Program.strata("import", path, "notes", file, "--create")
    }
    let refused = try await create(200)
    #expect(refused.status == 74)
    #expect(
      refused.errors.contains("its name has 200 bytes, and may have 174: the names of the files"),
      "\(refused)"
    )
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["one.json"])
    // The longest name that is accepted can be migrated, backed up and set aside.
    #expect(try await create(174).status == 0)
    let store = directory.path(String(repeating: "n", count: 174))
    let scripts = directory.path("m")
    let line = """
      mkdir "$2"; echo "ALTER TABLE notes ADD COLUMN text TEXT;" > "$2/0001_text.sql"
      $0 migrate up "$1" --dir "$2" && $0 restore "$1" "$1".before-0 --yes
      """
    let used = try await Program.shell(line, store, scripts)
    #expect(used.status == 0, "\(used)")
  }

  @Test
  func `a path that is too long for SQLite is refused at the creation of a store`() async throws {
    let directory = try TemporaryDirectory()
    var folder = directory.url.path
    while folder.utf8.count < 440 { folder += "/" + String(repeating: "d", count: 60) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    await #expect(throws: PersistenceError.self) {
      _ = try await Persistence.open(
        at: folder + "/app.strata",
        initialState: LibraryState(),
        database: \.db
      )
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
  }
}
