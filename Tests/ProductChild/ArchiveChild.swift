import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport

/// A process that leads an archive in a folder or follows it, until it is killed.
struct ArchiveChild {
  let path: String
  let seed: UInt64
  let folder: String

  /// How long a lease runs.
  static let lease = Duration.seconds(1)

  private var configuration: PersistenceConfiguration {
    PersistenceConfiguration(
      durability: .grouped(maxDelay: .milliseconds(1)),
      snapshots: SnapshotPolicy(minimumJournalBytes: 20_000, minimumHistoryBytes: 100_000)
    )
  }

  private var policy: ArchivePolicy {
    var policy = ArchivePolicy(lease: Self.lease, maxDelay: .milliseconds(2))
    policy.pollInterval = .milliseconds(10)
    return policy
  }

  /// Commits; prints `durable` or `replicated` with the number of a commit and its revision.
  ///
  /// The numbers are those from the seed on.
  func lead(_ print: @escaping @Sendable (String) -> Void) async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration,
      with: [.archive(FolderArchive(folder), policy: policy)]
    )
    let store = LibraryStore(persistence)
    print("leads \(persistence.revision)")
    var random = SeededGenerator(seed: seed)
    var number = Int(seed)
    while true {
      number += 1
      let mark: CommitMark = Int.random(in: 0..<4, using: &random) == 0 ? .replicated : .durable
      do {
        try await store.commitDurably("commit", until: mark) { CommitTrail.add(number, to: &$0.db) }
        print("\(mark == .durable ? "durable" : "replicated") \(number) \(persistence.revision)")
      } catch {
        print("refused \(number)")
        // Until it is killed.
        while true { try await Task.sleep(for: .seconds(600)) }
      }
    }
  }

  /// Prints `shows` with the last commit and the revision of each state, and `rewound`.
  func follow(_ print: @escaping @Sendable (String) -> Void) async throws {
    let follower = try await Persistence.follow(
      FolderArchive(folder),
      at: path,
      initialState: LibraryState(),
      database: \.db,
      policy: policy,
      configuration: configuration
    )
    let store = LibraryStore(follower)
    let events = follower.events
    let subscription = store.sinkState(queue: .passthrough) { changes in
      let trail = CommitTrail(changes.value.db)
      print("shows \(trail?.commits.last ?? -1) \(trail?.commits.count ?? -1)")
    }
    for await event in events {
      if case .rewound = event { print("rewound") }
    }
    withExtendedLifetime(subscription) {}
  }
}
