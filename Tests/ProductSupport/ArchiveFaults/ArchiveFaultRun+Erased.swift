import Foundation

/// The promise: what was erased is in no byte.
extension ArchiveFaultRun {
  /// Checks that nothing has what was erased; no file is open any more.
  func checkErased() async throws {
    for commit in erased.sorted() {
      let secret = CommitTrail.secret(of: commit)
      if try await place.holds(secret) { note("the archive holds \(secret), which was erased") }
    }
    for machine in machines.indices { checkErased(from: machine) }
    summary.erased = erased.count
  }

  /// Checks that the file of a machine, which is not open, does not have what was erased.
  func checkErased(from machine: Int) {
    let path = machines[machine].path
    for file in [path, path + "-wal"] {
      guard let data = FileManager.default.contents(atPath: file) else { continue }
      for secret in erased.sorted().map(CommitTrail.secret)
      where data.range(of: Data(secret.utf8)) != nil {
        note("\(file) holds \(secret), which was erased")
      }
    }
  }
}
