import Foundation
import Strata
import StrataPersistence

extension ArchiveFaultRun {
  /// A machine: a path, and at times a process.
  struct Machine {
    let path: String
    let disk: FaultVFS
    /// Another one after each power cut.
    var boot: UUID
    var link: FaultyArchive?
    var process: Process?
    /// What its file has at least.
    var kept = CommitTrail()
  }

  enum Process {
    case leader(Leader)
    case follower(Following)
  }

  struct Leader {
    let persistence: Persistence<LibraryState, LibraryDatabase>
    let store: LibraryStore
    /// Whether its file ends with the process.
    let isTemporary: Bool
  }

  struct Following {
    let follower: Follower<LibraryState, LibraryDatabase>
    let store: LibraryStore
    let followed: Followed
    let isTemporary: Bool
    /// Whether it leads by itself when it may.
    let standsBy: Bool
  }
}
