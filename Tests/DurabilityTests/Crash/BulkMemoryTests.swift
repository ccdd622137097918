import Foundation
import StrataInspection
import StrataJournal
import StrataPersistence
import TestSupport
import Testing

/// One commit of very many entities.
struct BulkMemoryTests {
  @Test
  func `writing one commit of very many entities takes bounded memory beyond the state`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("bulk.strata")
    let (code, lines) = try ChildProcess("CrashChild", [path, "1", "memory"]).finish()
    #expect(code == 0)
    let info = try Inspector(path: path).info()
    #expect(info.journal.deltas == 1)
    #expect(try Inspector(path: path).verify().isSound)
    guard let peak = lines.first.flatMap({ Int($0) }) else { return }
    printStatistics(
      """
      one commit of \(bulkCount) entities: \(info.journal.bytes >> 10) KB written with \
      \(peak >> 10) KB of memory beyond the state and its changes
      """
    )
    // A sanitizer has a memory of its own.
    if bulkCount >= 300_000 { #expect(peak < 16 << 20) }
  }
}
