import Foundation
import Strata
import StrataPersistence
import TestSupport
import Testing

/// A program that starts others, which inherit its descriptors until they become themselves.
struct ForkedLockTests {
  @Test
  func `a store that was closed can be opened at once, whatever is being started`() async throws {
    let directory = try TemporaryDirectory()
    let stop = Recorder<Bool>()
    let starting = inBackground {
      while stop.elements.isEmpty {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exit 0"]
        do { try process.run() } catch { return }
        process.waitUntilExit()
      }
    }
    for _ in 0..<loopCount("STRATA_FORKS", 60) {
      let persistence = try await Persistence.open(
        at: directory.path("app.strata"),
        initialState: LibraryState(),
        database: \.db
      )
      try await persistence.close()
    }
    stop.record(true)
    #expect(starting.wait())
  }
}
