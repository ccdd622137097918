import Foundation
import Strata
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport

/// The promise: the archive can be restored, and is sound.
extension ArchiveFaultRun {
  /// The history that the archive has; empty while nothing of it can be restored.
  func archived() async throws -> CommitTrail {
    let archive = try place.direct()
    // A removal or a leader beside it may take away what is being read.
    for attempt in 0..<20 {
      let path = directory.path("pulled \(Scheduling.uuid().uuidString).strata")
      do {
        if try await archive.snapshots().isEmpty { return CommitTrail() }
        _ = try await ArchivePull(
          from: archive,
          to: StorePath(path, for: .archiving),
          on: .system
        ).run()
        let verification = try Inspector(path: path).verify()
        if !verification.isSound { note("what was pulled is not sound: \(verification)") }
        let trail = try await contents(ofFileAt: path).trail
        for name in [path, path + ".head"] {
          try? FileManager.default.removeItem(atPath: name)
        }
        return trail
      } catch {
        if attempt == 19 { note("the archive cannot be restored: \(error)") }
      }
    }
    return CommitTrail()
  }

  /// What a file that is not open has, and its last revision.
  func contents(ofFileAt path: String) async throws -> (trail: CommitTrail, last: Revision) {
    var configuration = PersistenceConfiguration()
    configuration.restore = .readOnly
    let persistence = try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
    guard let trail = CommitTrail(persistence.initialState.db) else {
      note("\(path) lacks commits, or has some twice")
      return (CommitTrail(), persistence.revision)
    }
    return (trail, persistence.revision)
  }
}
