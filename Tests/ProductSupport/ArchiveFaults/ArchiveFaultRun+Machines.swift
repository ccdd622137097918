import Foundation
import Strata
import StrataArchive
import StrataPersistence
import TestSupport

extension ArchiveFaultRun {
  /// A machine: a path, and at times a process.
  struct Machine {
    let path: String
    let disk: FaultVFS
    /// Another one after each power cut.
    var boot: UUID
    var link: FaultyArchive?
    /// That of its next process.
    var build: ProgramBuild
    var process: Process?
    /// What its file has at least.
    var kept = CommitTrail()
    /// Whether its disk fails, or has failed in the life of its process.
    var isStruck = false
    /// Whether its medium has changed something of its file that nothing has found yet.
    var isSpoilt = false { didSet { wasSpoilt = wasSpoilt || isSpoilt } }
    /// Whether it ever has.
    private(set) var wasSpoilt = false
    /// Whether its file is what could be verified of a damaged one.
    ///
    /// What has no hash, as the name of a layout's table, may contradict the archive.
    var isSalvaged = false

    /// Whether the end of its head may be in no medium, and with it what tells that a damaged file has lost its end.
    var mayLackHead = false

    /// Whether a call may fail for its disk.
    var mayFail: Bool { isStruck || isSpoilt }
  }

  enum Process {
    case leader(Leader)
    case follower(Following)
  }

  struct Leader {
    let machine: Int
    let build: ProgramBuild
    let persistence: Persistence<LibraryState, LibraryDatabase>
    let store: LibraryStore
    /// Whether its file ends with the process.
    let isTemporary: Bool
  }

  struct Following {
    let build: ProgramBuild
    let follower: Follower<LibraryState, LibraryDatabase>
    let store: LibraryStore
    let followed: Followed
    let isTemporary: Bool
    /// Whether it leads by itself when it may.
    let standsBy: Bool
  }
}
