import Foundation
import Strata
import StrataInspection
import StrataPersistence
import TestSupport
import Testing

/// A process killed while it erases an entity.
struct ErasureKillTests {
  static let kills = loopCount("STRATA_ERASURE_KILLS", 6)

  @Test
  func `an erasure killed at any I/O leaves the old file or the new one, and can be repeated`()
    async throws
  {
    let store = try await PlantedStore()
    let original = store.directory.path("original")
    try FileManager.default.moveItem(atPath: store.path, toPath: original)
    try FileManager.default.copyItem(atPath: original, toPath: store.path)
    let arguments = [store.path, "0", "erase", "authors", PlantedStore.id.raw]
    let (code, lines) = try ChildProcess("CrashChild", arguments).finish()
    #expect(code == 0)
    let total = try #require(lines.last.flatMap { Int($0) })
    var outcomes: [Int: Int] = [:]
    for kill in 0..<min(Self.kills, total) {
      for suffix in ["", "-wal", "-shm", ".head"] {
        let file = store.path + suffix
        if FileManager.default.fileExists(atPath: file) {
          try FileManager.default.removeItem(atPath: file)
        }
      }
      try FileManager.default.copyItem(atPath: original, toPath: store.path)
      let moment = total * (2 * kill + 1) / (2 * min(Self.kills, total))
      let child = try ChildProcess("CrashChild", arguments + ["\(moment)"])
      #expect(child.finish().code == SIGKILL, "kill \(kill) of \(total)")
      #expect(try Inspector(path: store.path).verify().isSound, "kill \(kill)")
      let lineages = try Inspector(path: store.path).info().lineages.count
      outcomes[lineages, default: 0] += 1
      if lineages == 1 { #expect(try ChildProcess("CrashChild", arguments).finish().code == 0) }
      let persistence = try await store.open()
      #expect(persistence.initialState.db == store.model(at: PlantedStore.last), "kill \(kill)")
      try await persistence.close()
      #expect(try store.wordsInFiles() == [], "kill \(kill)")
      let names = try FileManager.default.contentsOfDirectory(atPath: store.directory.url.path)
      #expect(!names.contains { $0.contains("creating") }, "kill \(kill): \(names)")
      #expect(try Inspector(path: store.path).verify().isSound, "kill \(kill)")
    }
    printStatistics("erasures killed at \(Self.kills) of \(total) I/Os: \(outcomes)")
    #expect(outcomes[1] != nil && Set(outcomes.keys).isSubset(of: [1, 2]))
  }
}
