import Foundation
import Strata
import StrataBase
import StrataJournal
import StrataStorage
import TestSupport
import Testing

/// Whose the files are that the command makes beside a store, in its place, and in an archive.
@Suite(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
struct OwnerTests {
  /// The user, the group and the mode of a store.
  struct Owner: Sendable {
    let user: uid_t
    let group: gid_t
    let mode: mode_t

    init(_ random: inout SeededGenerator) {
      user = .random(in: 2_000..<3_000, using: &random)
      group = .random(in: 4_000..<5_000, using: &random)
      mode = [0o600, 0o640, 0o660, 0o644, 0o664, 0o666].randomElement(using: &random) ?? 0o600
    }

    init(user: uid_t, group: gid_t, mode: mode_t) {
      (self.user, self.group, self.mode) = (user, group, mode)
    }

    /// Gives it everything in a directory, and the directory.
    func take(_ directory: String) throws {
      let names = try FileManager.default.subpathsOfDirectory(atPath: directory)
      for path in [directory] + names.map({ "\(directory)/\($0)" }) {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        let entering = (mode & 0o444) >> 2
        try #require(chown(path, user, group) == 0)
        try #require(chmod(path, isFolder ? mode | entering : mode) == 0)
      }
    }

    /// What in a directory is not its, with what it is instead.
    func missing(in directory: String, ignoring: Set<String> = []) throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: directory).filter {
        !ignoring.contains($0)
      }
      .compactMap { name in
        var status = stat()
        guard lstat("\(directory)/\(name)", &status) == 0 else { return nil }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        let wanted = isFolder ? mode | (mode & 0o444) >> 2 : mode
        let found = status.st_mode & 0o777
        if status.st_uid == user, status.st_gid == group, found == wanted { return nil }
        return "\(name): \(status.st_uid):\(status.st_gid) \(String(found, radix: 8))"
      }
    }
  }

  /// Makes a store with two books and a commit for each, and a backup of the first.
  private func makeStore() async throws -> TestStore {
    let store = try TestStore()
    for number in 1...2 {
      try await store.run { library, _ in
        library.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
      }
      if number == 1 {
        let backup = store.directory.path("early.strata")
        #expect(try await Program.strata("backup", store.path, backup).status == 0)
      }
    }
    return store
  }

  /// What makes files: a command line of the shell, in which `$0` is `strata`.
  ///
  /// The store is `app.strata`.
  static let makers = [
    "$0 snapshot create app.strata named",
    "rm app.strata.lock; $0 snapshot create app.strata named",
    "rm app.strata.lock app.strata.head; $0 snapshot create app.strata named",
    "$0 erase app.strata books 1 --yes",
    "rm app.strata.lock; $0 erase app.strata books 1 --yes",
    "$0 restore app.strata early.strata --yes",
    "rm app.strata.lock app.strata.head; $0 restore app.strata early.strata --yes",
    "rm app.strata; $0 restore app.strata early.strata --yes",
    "$0 fork app.strata fork.strata --at 1",
    "$0 backup app.strata copy.strata",
    "$0 bundle app.strata -o bundle.strata",
    "$0 export app.strata --sqlite export.sqlite",
    "echo '{\"id\":7,\"title\":\"x\",\"author\":\"a\"}' | "
      + "$0 import app.strata books - --form json --leave-references",
    "mkdir m; echo 'UPDATE books SET title = upper(title);' > m/0001_upper.sql; "
      + "$0 migrate up app.strata --dir m; rm -r m",
    "$0 push app.strata --to archive",
    "$0 push app.strata --to archive; rm app.strata app.strata.head; $0 pull app.strata --from archive",
  ]

  @Test(arguments: makers)
  func `what root makes beside a store belongs to whom the store belongs`(maker: String)
    async throws
  {
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let owner = Owner(&random)
    let store = try await makeStore()
    let directory = store.directory.url.path
    try FileManager.default.createDirectory(
      atPath: "\(directory)/archive",
      withIntermediateDirectories: false
    )
    try owner.take(directory)
    let made = try await Program.shell("cd \"$1\"; \(maker)", directory)
    #expect(made.status == 0, "\(made)")
    #expect(try owner.missing(in: directory) == [], "\(maker), \(owner), seed \(seed)")
    #expect(made.errors.contains("belongs to") == false, "\(made)")
  }

  @Test
  func `what a program of root makes while it has the store open belongs to whom it belongs`()
    async throws
  {
    let owner = Owner(user: 2_345, group: 4_567, mode: 0o640)
    let store = try await makeStore()
    for name in [".lock", ".head"] { unlink(store.path + name) }
    try owner.take(store.directory.url.path)
    try await store.run { library, persistence in
      library.commit { $0.db.books.insert(Book(id: 9)) }
      try await persistence.flush()
      #expect(try owner.missing(in: store.directory.url.path) == [])
      #expect(FileIdentity.exists(store.path + "-wal") && FileIdentity.exists(store.path + "-shm"))
    }
    #expect(try owner.missing(in: store.directory.url.path) == [])
  }

  @Test
  func `a damaged file that is restored in part stays its owner's, and so does what is set aside`()
    async throws
  {
    let owner = Owner(user: 2_345, group: 4_567, mode: 0o660)
    let store = try await DamagedStore()
    try store.damage("UPDATE delta SET name = 'else' WHERE revision = 47")
    try owner.take(store.directory.url.path)
    try await store.open(.bestEffort).close()
    #expect(try owner.missing(in: store.directory.url.path) == [])
    #expect(try Quarantine.all(besideStoreAt: store.path).count == 1)
  }

  /// The command as another user, who is in groups beside its own.
  private func run(
    as user: uid_t,
    _ group: gid_t,
    in groups: [gid_t],
    _ line: String,
    at directory: String
  ) async throws -> Program {
    // The built command may be where only root can enter.
    let command = "\(directory)/strata-command"
    try FileManager.default.copyItem(atPath: try Program.strataPath(), toPath: command)
    defer { unlink(command) }
    try #require(chmod(command, 0o755) == 0)
    let list = groups.map { "\($0)" }.joined(separator: ",")
    let switching = "setpriv --reuid \(user) --regid \(group) --groups \(list)"
    return try await Program.shell("cd \"$1\"; \(switching) ./strata-command \(line)", directory)
  }

  @Test(arguments: ["erase app.strata books 1 --yes", "restore app.strata early.strata --yes"])
  func `what the owner itself makes keeps the group and the mode`(line: String) async throws {
    let owner = Owner(user: 2_345, group: 4_567, mode: 0o640)
    let store = try await makeStore()
    let directory = store.directory.url.path
    try owner.take(directory)
    let made = try await run(as: 2_345, 3_333, in: [4_567], line, at: directory)
    #expect(made.status == 0, "\(made)")
    #expect(made.errors.contains("belongs to") == false, "\(made)")
    #expect(try owner.missing(in: directory) == [])
  }

  @Test
  func
    `where a file cannot be given away, a warning and doctor say so, and its group may do no more`()
    async throws
  {
    let owner = Owner(user: 2_345, group: 4_567, mode: 0o660)
    let store = try await makeStore()
    let directory = store.directory.url.path
    unlink(store.path + ".lock")
    try owner.take(directory)
    // Another member of the group.
    let line = "snapshot create app.strata named"
    let made = try await run(as: 2_999, 3_333, in: [4_567], line, at: directory)
    #expect(made.status == 0, "\(made)")
    #expect(made.errors.contains("app.strata.lock belongs to 2999:4567, and should to 2345:4567"))
    let doctor = try await Program.strata("doctor", store.path)
    #expect(doctor.output.contains("app.strata.lock belongs to 2999:4567"), "\(doctor)")
    #expect(doctor.status == 0)
    // One who is not in the group, in a directory that all may write to.
    let open = Owner(user: 2_345, group: 4_567, mode: 0o666)
    unlink(store.path + ".lock")
    try open.take(directory)
    let other = try await run(as: 2_999, 3_333, in: [3_333], line + "2", at: directory)
    #expect(other.status == 0, "\(other)")
    #expect(other.errors.contains("app.strata.lock belongs to 2999:3333, and should to 2345:4567"))
  }

  @Test
  func `a group that cannot be kept gives no other group what it may do`() async throws {
    let owner = Owner(user: 2_345, group: 4_567, mode: 0o660)
    let store = try await makeStore()
    let directory = store.directory.url.path
    try owner.take(directory)
    let line = "erase app.strata books 1 --yes"
    let made = try await run(as: 2_345, 3_333, in: [3_333], line, at: directory)
    #expect(made.status == 0, "\(made)")
    #expect(made.errors.contains("belongs to 2345:3333, and should to 2345:4567"), "\(made)")
    var status = stat()
    #expect(lstat(store.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }
}
