import Foundation
import Strata
import StrataPersistence
import StrataStorage
import TestSupport

/// Commits to a store until it is killed, and says after each flush what was acknowledged.
///
/// `CrashChild PATH SEED MODE`: goes on with the script of the seed where the file is. With MODE
/// `bulk` it makes one commit of 300,000 entities, flushes it, says so and goes on. With `memory` it
/// makes such a commit too and says what writing it took in memory. With `trim` it commits nothing: it
/// folds and trims what it found, and says how often it asked the disk for something; with a number
/// besides it is killed when it has asked so often. With `race` and a further path it says that it is
/// ready, waits for a file there, opens, and says how that went.
@main
struct CrashChild {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4, let seed = UInt64(arguments[2]) else { exit(64) }
    if arguments[3] == "race", arguments.count == 5 {
      return try await race(arguments[1], start: arguments[4])
    }
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
      say(peak.map { "\($0)" } ?? "unknown")
      return try await persistence.close()
    }
    if arguments[3] == "bulk" {
      commitBulk(to: store)
      try await persistence.flush()
      say("acknowledged \(persistence.durableRevision)")
    }
    try await work(on: store, persistence, LibraryScript(seed: seed), seed)
  }

  private static func commitBulk(to store: LibraryStore) {
    store.commit("bulk") { state in
      state.db.books.insert(contentsOf: (0..<bulkCount).lazy.map { bulkBook($0) })
    }
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
    say("\(vfs.targets(of: .failedIO))")
    // Each flush is behind one more slice of what is due.
    var (calm, count) = (0, 0)
    while calm < 100 {
      try await persistence.flush()
      let now = vfs.targets(of: .failedIO)
      calm = now == count ? calm + 1 : 0
      count = now
    }
    say("\(count)")
    try await persistence.close()
  }

  private static func race(_ path: String, start: String) async throws {
    say("ready")
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
      say("opened")
      // The store, and with it the lock, for as long as this process lives.
      while true {
        try await Task.sleep(for: .seconds(600))
        withExtendedLifetime(store) {}
      }
    } catch let error as PersistenceError {
      guard case .alreadyOpen(let owner) = error.reason else {
        return say("failed: \(error)")
      }
      say("refused: \(owner)")
    }
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
        say("acknowledged \(persistence.durableRevision)")
      }
    }
  }

  /// Snapshots often, so that the kill also meets them and the trimming after them.
  private static func configuration(_ mode: String) -> PersistenceConfiguration {
    let durability: Durability =
      switch mode {
      case "everyCommit": .everyCommit
      case "onFlush": .onFlush
      // Nothing is written before it is asked for.
      case "memory": .grouped(maxDelay: .seconds(600), maxCommits: .max)
      default: .grouped(maxDelay: .milliseconds(2))
      }
    let policy =
      switch mode {
      case "trim": SnapshotPolicy(minimumJournalBytes: 1_000, minimumHistoryBytes: 1_000)
      case "memory": SnapshotPolicy(minimumJournalBytes: 1 << 40)
      default: SnapshotPolicy(minimumJournalBytes: 4_000, minimumHistoryBytes: 20_000)
      }
    return PersistenceConfiguration(
      durability: durability,
      snapshots: policy,
      queueCapacity: mode == "memory" ? .max : 100_000
    )
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}
