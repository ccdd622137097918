import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// What a status says of an archive, and what an archive has open.
struct ArchiveStatusTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  @Test func `an archive out of reach comes first in a status, and another one last`() async throws
  {
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      with: [.archive(FolderArchive(directory.path("archive")))]
    )
    var status = persistence.status
    try await persistence.close()
    let time = Date(timeIntervalSince1970: 1_700_000_000)
    status.archive?.name = "backups"
    status.archive?.condition = .leading(epoch: 2)
    status.archive?.replicated = 6
    status.archive?.behindSince = nil
    status.archive?.leaseEnd = nil
    status.archive?.lastContact = nil
    status.trimmed = 7
    #expect(
      "\(status)".hasSuffix(
        """
        . Archive backups: commits reach it, in epoch 2. It has the commits through revision 6. The \
        history up to revision 7 was trimmed.
        """
      )
    )
    status.archive?.condition = .away("no route to the server", since: time)
    status.archive?.behindSince = time
    status.archive?.gaps = [2...4]
    status.archive?.leader = "web1"
    status.archive?.leaseEnd = time
    status.archive?.lastContact = time
    status.archive?.failedCalls = 2
    #expect(
      status.archive?.description == """
        Archive backups: it has not been reached since 2023-11-14 22:13:20.000Z (no route to the \
        server). It gets what it lacks once it answers: see to the network and the server. It has the commits through \
        revision 6. It has been behind since 2023-11-14 22:13:20.000Z. It will not have the revisions 2 to 4 one by one. The \
        lease of web1 runs until 2023-11-14 22:13:20.000Z. It last answered at 2023-11-14 22:13:20.000Z. 2 calls to it have \
        failed.
        """
    )
    let start = "The file is healthy. Archive backups: it has not been reached since "
    #expect("\(status)".hasPrefix(start))
    #expect("\(status)".components(separatedBy: "Archive backups").count == 2)
    #expect(
      "\(ArchiveStatus.Condition.notLeading(by: "web2"))" == """
        web2 leads it, and commits of this process do not reach it. Close the store, and follow that process or open the store \
        again: what only this file has is moved aside then.
        """
    )
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
  func `while a store with an archive is suspended nothing of its file is open`() async throws {
    let folder = try TemporaryDirectory()
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      with: [.archive(FolderArchive(folder.path("archive")))]
    )
    let store = LibraryStore(persistence)
    store.commit { $0.db.books.insert(Book(id: 1)) }
    #expect(try await persistence.state(at: .revision(0)).books.isEmpty)
    try await persistence.replicated(through: 1)
    #expect(try directory.openFiles.isEmpty == false)
    try await persistence.suspend()
    #expect(try directory.openFiles == [])
    try await persistence.resume()
    try await persistence.close()
  }
}
