import Foundation
import Testing

/// A fault at one I/O after the other of a scenario, of SQLite and of this library.
///
/// Each run of a scenario makes the same I/O, so the fault strikes in every run that is long enough.
package enum FaultSweep {
  /// The number of I/Os to strike with each kind of fault; if there are fewer, each is struck.
  private static let points = loopCount("STRATA_FAULTS", 2)

  package static func run(
    _ name: String,
    in kind: FileKind? = nil,
    _ fault: DiskFault,
    _ duration: FaultDuration,
    _ makeScenario: (FaultVFS) async throws -> any FaultScenario
  ) async throws {
    let vfs = try FaultVFS(name: "sweep-\(UUID().uuidString)")
    let scenario = try await makeScenario(vfs)
    vfs.resetCounts()
    try await scenario.run("no fault")
    let targets = vfs.operationCount(for: fault, in: kind)
    #expect(targets > 0)
    let tried = min(targets, points)
    var struck = 0
    for point in 0..<tried {
      let passing = point * targets / tried
      vfs.heal()
      vfs.forgetFiles()
      let scenario = try await makeScenario(vfs)
      vfs.resetCounts()
      vfs.inject(fault, in: kind, after: passing, times: duration)
      try await scenario.run("\(fault) \(duration) after \(passing)")
      if vfs.failureCount > 0 { struck += 1 }
      // A run may make slightly less I/O than the first one, if maintenance was sliced differently.
      let isMet = vfs.failureCount > 0 || vfs.operationCount(for: fault, in: kind) <= passing
      #expect(isMet, "\(fault) \(duration) after \(passing) met nothing")
    }
    printStatistics(
      "\(name): \(fault) \(duration) at \(tried) of \(targets) I/Os, struck in \(struck) runs"
    )
  }
}

/// A sequence of operations on a disk that may fail at any moment.
package protocol FaultScenario {
  /// Runs the operations, heals the disk, and checks the result.
  func run(_ place: String) async throws
}
