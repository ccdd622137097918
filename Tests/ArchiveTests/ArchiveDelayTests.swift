import Foundation
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Archives whose commits are sent after a long delay.
struct ArchiveDelayTests {
  let directory: TemporaryDirectory
  let persistence: Persistence<LibraryState, LibraryDatabase>
  let store: LibraryStore

  init() async throws {
    directory = try TemporaryDirectory()
    let configuration = PersistenceConfiguration(
      durability: .grouped(maxDelay: .milliseconds(1))
    )
    var policy = ArchivePolicy(maxDelay: .seconds(3_600))
    // Closing that waited for the delay would give up, and the archive would lack the commits.
    policy.closingLimit = .seconds(600)
    persistence = try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration,
      with: [.archive(FolderArchive(directory.path("archive")), policy: policy)]
    )
    store = LibraryStore(persistence)
  }

  /// Commits a book, and gives the archive time to begin its delay.
  private func commit(_ number: Int) async throws {
    store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
    try await persistence.flush()
    for _ in 0..<100 { await Task.yield() }
  }

  @Test
  func `a commit that waits for the archive does not wait for the delay`() async throws {
    for number in 1...20 {
      try await commit(number)
      // The time is only for a deadlock.
      try await persistence.replicated(through: Revision(Int64(number)), within: .seconds(600))
    }
    try await persistence.close()
  }

  @Test
  func `closing sends what waits for the delay`() async throws {
    try await commit(1)
    try await persistence.replicated(through: 1)
    for number in 2...5 { try await commit(number) }
    try await persistence.close()
    let archive = FolderArchive(directory.path("archive"))
    #expect(try await archive.head()?.mark.revision == 5)
  }

  /// Nothing looks by itself before the lease is due.
  @Test(arguments: [.zero, .microseconds(1), .milliseconds(1)] as [Duration])
  func `a commit is sent when it is synced, also where that takes longer than the delay`(
    _ delay: Duration
  ) async throws {
    let prompt = try await Persistence.open(
      at: directory.path("prompt.strata"),
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(durability: .grouped(maxDelay: .milliseconds(1))),
      with: [
        .archive(
          FolderArchive(directory.path("prompt")),
          policy: ArchivePolicy(lease: .seconds(36_000), maxDelay: delay)
        )
      ]
    )
    let store = LibraryStore(prompt)
    for number in 1...50 {
      store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
      let revision = Revision(Int64(number))
      while prompt.status.archive?.replicated.map({ $0 < revision }) ?? true { await Task.yield() }
    }
    try await prompt.close()
    try await persistence.close()
  }
}
