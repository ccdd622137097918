import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataPersistence
import StrataSQLite
import StrataStorage
import TestSupport

/// A program for tests to kill: commits to a store, and prints after each flush what is acknowledged.
///
/// `CrashChild PATH SEED MODE` continues the script of the seed at the revision of the file. These modes
/// do something else:
///
/// - `bulk` first makes and flushes one commit of 300,000 entities.
/// - `memory` makes such a commit, prints the memory that writing it used, and ends.
/// - `trim` makes no commits. It merges and trims what the file holds, and prints the number of I/O
///   operations. With a number as a further argument it is killed at the operation with that number.
/// - `erase` with a table and an ID erases that entity and prints the number of I/O operations. With a number as a
///   further argument it is killed at the operation with that number.
/// - `books` with a number makes a store of so many books, and ends.
/// - `library` with two numbers makes a store of so many books and so many revisions, all of whose history is kept,
///   and ends: ``LargeLibrary``. With a third number it opens such a store and makes so many commits a second until it
///   is killed; it prints the revision and the time of each flush.
/// - `hostile` makes a store whose names and values would be code in a page, or control a terminal, and ends.
/// - `race` with a further path prints `ready`, waits until there is a file at that path, opens the store
///   and prints the result.
/// - `look` with a number opens the store so often to read it, and prints what went wrong, or how often it looked.
/// - `limit` commits until a file reaches the limit of the process, raises the limit, and prints what happens.
/// - `hold` reads the store and prints `held`, and does not end the reading until it is killed.
/// - `unordered` with a number prints what so many records with unordered collections are stored as.
/// - `amplify` with a kind of records prints the memory that reading one takes.
/// - `open` with a policy opens the store, commits to it and opens it again: ``ForgedCases``.
/// - `forge` with two numbers runs the forged cases from the first up to the second, in the directory PATH,
///   and prints a line for each; `forge` with one number runs that case and keeps its files.
@main
struct CrashChild {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4, let seed = UInt64(arguments[2]) else { exit(64) }
    let number = arguments.dropFirst(4).first.flatMap { Int($0) }
    if arguments[3] == "race", arguments.count == 5 {
      return try await race(arguments[1], start: arguments[4])
    }
    if arguments[3] == "look", let number { return look(arguments[1], number) }
    if arguments[3] == "hold" { return try hold(arguments[1]) }
    if arguments[3] == "open", arguments.count == 5,
      let policy = RestorePolicy.allCases.first(where: { "\($0)" == arguments[4] })
    {
      return await ForgedCases.work(onStoreAt: arguments[1], policy)
    }
    if arguments[3] == "forge", let first = number {
      return try await forge(
        ForgedCases(in: arguments[1], seed: seed),
        first..<(arguments.dropFirst(5).first.flatMap { Int($0) } ?? first + 1)
      )
    }
    if arguments[3] == "unordered", let number {
      return try Unordered.fingerprints(seed: seed, count: number).forEach { print($0) }
    }
    if arguments[3] == "amplify", arguments.count == 5 {
      return try await Amplification.measure(arguments[4])
    }
    if arguments[3] == "erase", arguments.count >= 6 {
      return try erase(
        arguments[1],
        ErasedEntities([.init(table: arguments[4], meantBy: arguments[5])]),
        killedAt: arguments.dropFirst(6).first.flatMap { Int($0) }
      )
    }
    if arguments[3] == "books", let number { return try await makeBooks(number, at: arguments[1]) }
    if arguments[3] == "library", arguments.count >= 6, let books = Int(arguments[4]),
      let revisions = Int(arguments[5])
    {
      let library = LargeLibrary(path: arguments[1], books: books, revisions: revisions, seed: seed)
      guard let rate = arguments.dropFirst(6).first.flatMap({ Int($0) }) else {
        return try await library.make()
      }
      return try await library.commit(rate) { printLine($0) }
    }
    if arguments[3] == "limit" { return try await reachLimit(arguments[1]) }
    if arguments[3] == "hostile" { return try await LargeLibrary.makeHostile(arguments[1]) }
    if arguments[3] == "trim" {
      return try await trim(arguments[1], killedAt: arguments.count == 5 ? Int(arguments[4]) : nil)
    }
    let persistence = try await Persistence.open(
      at: arguments[1],
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration(arguments[3])
    )
    let store = LibraryStore(persistence)
    if arguments[3] == "memory" {
      commitBulk(to: store)
      let peak = try await MemoryPeak.beyondNow { try await persistence.flush() }
      printLine(peak.map { "\($0)" } ?? "unknown")
      return try await persistence.close()
    }
    if arguments[3] == "bulk" {
      commitBulk(to: store)
      try await persistence.flush()
      printLine("acknowledged \(persistence.durableRevision)")
    }
    try await work(on: store, persistence, LibraryScript(seed: seed), seed)
  }

  private static func forge(_ cases: ForgedCases, _ numbers: Range<Int>) throws {
    for number in numbers {
      let (forgery, results, problems) = try cases.run(number)
      let verdict = problems.isEmpty ? "ok" : "FAILED: \(problems.joined(separator: "; "))"
      let line = "case \(number): \(verdict) | \(forgery) | \(results.joined(separator: ", "))"
      // What is forged may hold line breaks.
      printLine(line.replacing("\n", with: "␊"))
    }
  }

  private static func commitBulk(to store: LibraryStore) {
    store.commit("bulk") { state in
      state.db.books.insert(contentsOf: (0..<bulkCount).lazy.map { bulkBook($0) })
    }
  }

  private static func erase(
    _ path: String,
    _ entities: ErasedEntities,
    killedAt number: Int?
  ) throws {
    let vfs = try FaultVFS(name: "erase", follows: false)
    if let number { vfs.killProcess(at: number) }
    var configuration = configuration("memory")
    configuration.vfs = vfs.name
    configuration.watch = vfs.watch
    _ = try StoreErasure.run(at: path, entities, .refuse, configuration)
    printLine("\(vfs.operationCount(for: .failedIO))")
  }

  private static func reachLimit(_ path: String) async throws {
    var configuration = PersistenceConfiguration()
    configuration.recoveryInterval = .milliseconds(5)
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    let store = LibraryStore(persistence)
    func commit(_ number: Int) {
      store.commit {
        $0.db.books.insert(
          Book(id: EntityID(number), title: String(repeating: "x", count: 100_000))
        )
      }
    }
    // As in a program that a shell has started; the threads of the tests block signals.
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
    LimitedProcess.limitFiles(to: 1 << 20)
    var number = 0
    do {
      while true {
        number += 1
        commit(number)
        try await persistence.flush()
      }
    } catch {
      guard case .degraded = persistence.status.condition else { throw error }
      printLine("degraded")
    }
    commit(number + 1)
    let events = persistence.events
    LimitedProcess.limitFiles(to: 1 << 30)
    for await event in events {
      if case .recovered = event { break }
    }
    try await persistence.close()
    let books = try Inspector(path: path).tables().first { $0.name == "books" }?.count
    printLine(books == number + 1 ? "recovered" : "\(books ?? 0) of \(number + 1) books")
  }

  private static func makeBooks(_ count: Int, at path: String) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db
    )
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(contentsOf: (0..<count).lazy.map { bulkBook($0) }) }
    // As a store is that was not filled by one commit alone.
    try await persistence.snapshot(named: "books")
    try await persistence.close()
  }

  private static func trim(_ path: String, killedAt number: Int?) async throws {
    let vfs = try FaultVFS(name: "trim", follows: false)
    if let number { vfs.killProcess(at: number) }
    var configuration = configuration("trim")
    configuration.vfs = vfs.name
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    printLine("\(vfs.operationCount(for: .failedIO))")
    // Each flush waits for one more slice of pending maintenance.
    var (unchanged, count) = (0, 0)
    while unchanged < 100 {
      try await persistence.flush()
      let now = vfs.operationCount(for: .failedIO)
      unchanged = now == count ? unchanged + 1 : 0
      count = now
    }
    printLine("\(count)")
    try await persistence.close()
  }

  private static func race(_ path: String, start: String) async throws {
    printLine("ready")
    while !FileManager.default.fileExists(atPath: start) {}
    do {
      let persistence = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db
      )
      let store = LibraryStore(persistence)
      let number = Int(persistence.revision.number) + 1
      store.commit { $0.db.books.insert(Book(id: EntityID(number))) }
      try await persistence.flush()
      printLine("opened")
      // Keeps the store open, and thereby the lock, until this process is killed.
      while true {
        try await Task.sleep(for: .seconds(600))
        withExtendedLifetime(store) {}
      }
    } catch let error as PersistenceError {
      guard case .alreadyOpen(let owner) = error.reason else {
        return printLine("failed: \(error)")
      }
      printLine("refused: \(owner)")
    }
  }

  private static func look(_ path: String, _ count: Int) {
    do {
      for _ in 0..<count {
        let inspector = try Inspector(path: path)
        _ = try inspector.show(table: "books")
        _ = try inspector.tables()
      }
      printLine("looked \(count)")
    } catch {
      printLine("failed: \(error)")
    }
  }

  private static func hold(_ path: String) throws {
    let inspector = try Inspector(path: path)
    try inspector.access.connection.reading {
      printLine("held")
      while true { pause() }
    }.get()
  }

  private static func work(
    on store: LibraryStore,
    _ persistence: Persistence<LibraryState, LibraryDatabase>,
    _ script: LibraryScript,
    _ seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed ^ UInt64(persistence.revision.number))
    while true {
      let number = persistence.revision.number + 1
      store.commit("script") { script.commit(number, to: &$0.db) }
      if Int.random(in: 0..<25, using: &random) == 0 {
        try await persistence.flush()
        printLine("acknowledged \(persistence.durableRevision)")
      }
    }
  }

  /// Takes snapshots often, so that a kill also happens during snapshots and trimming.
  private static func configuration(_ mode: String) -> PersistenceConfiguration {
    let durability: Durability =
      switch mode {
      case "everyCommit": .everyCommit
      case "onFlush": .onFlush
      // Nothing is written before the flush.
      case "memory": .grouped(maxDelay: .seconds(600), maxCommits: .max)
      default: .grouped(maxDelay: .milliseconds(2))
      }
    let policy =
      switch mode {
      case "trim": SnapshotPolicy(minimumJournalBytes: 1_000, minimumHistoryBytes: 1_000)
      case "memory": SnapshotPolicy(minimumJournalBytes: 1 << 40)
      default: SnapshotPolicy(minimumJournalBytes: 4_000, minimumHistoryBytes: 20_000)
      }
    var configuration = PersistenceConfiguration(durability: durability, snapshots: policy)
    if mode == "memory" { configuration.queueCapacity = .max }
    return configuration
  }

  private static func printLine(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
