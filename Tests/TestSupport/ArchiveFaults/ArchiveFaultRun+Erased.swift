import Foundation

/// The promise: what was erased is in no byte.
extension ArchiveFaultRun {
  /// Checks that nothing has what was erased; no file is open any more.
  func checkErased() async throws {
    for commit in erased.sorted() {
      let secret = CommitTrail.secret(of: commit)
      if try await place.holds(secret) { note("the archive holds \(secret), which was erased") }
      for machine in machines {
        for file in [machine.path, machine.path + "-wal"] {
          guard let data = FileManager.default.contents(atPath: file),
            data.range(of: Data(secret.utf8)) != nil
          else { continue }
          note("\(file) holds \(secret), which was erased")
        }
      }
    }
    summary.erased = erased.count
  }
}
