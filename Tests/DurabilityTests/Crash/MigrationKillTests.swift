import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataPersistence
import TestSupport
import Testing

/// A process killed while it brings up a file of format 1.
struct MigrationKillTests {
  static let kills = loopCount("STRATA_UPGRADES", 8)

  @Test
  func `a migration killed at any I/O leaves the file of one format or the other`() async throws {
    let directory = try TemporaryDirectory()
    let whole = directory.path("whole.strata")
    try GoldenFile.copy(ofFormat: 1, to: whole)
    let (code, lines) = try ChildProcess("CrashChild", [whole, "0", "upgrade"]).finish()
    #expect(code == 0)
    let total = try #require(lines.last.flatMap { Int($0) })
    #expect(try Inspector(path: whole).info().format == StoreFormat.known)
    var formats: [Int: Int] = [:]
    for kill in 0..<min(Self.kills, total) {
      let path = directory.path("\(kill).strata")
      try GoldenFile.copy(ofFormat: 1, to: path)
      let moment = total * (2 * kill + 1) / (2 * min(Self.kills, total))
      let child = try ChildProcess("CrashChild", [path, "0", "upgrade", "\(moment)"])
      #expect(child.finish().code == SIGKILL, "kill \(kill) of \(total)")
      #expect(try Inspector(path: path).verify().isSound, "kill \(kill)")
      formats[try Inspector(path: path).info().format, default: 0] += 1
      let restored = try Inspector(path: path).database(over: Golden.Second(), at: 12)
      #expect(restored == Golden.second(at: 12), "kill \(kill)")
      let persistence = try await Persistence.open(
        at: path,
        initialState: Golden.State(db: Golden.Second()),
        database: \.db
      )
      #expect(persistence.initialState.db == Golden.second(at: 12), "kill \(kill)")
      try await persistence.close()
      #expect(try Inspector(path: path).info().format == StoreFormat.known, "kill \(kill)")
    }
    printStatistics(
      """
      migrations killed at \(Self.kills) of \(total) I/Os: \(formats[1] ?? 0) before the commit, \
      \(formats[StoreFormat.known] ?? 0) after it
      """
    )
    #expect(formats[1] != nil && Set(formats.keys).isSubset(of: [1, StoreFormat.known]))
  }
}
