import Foundation
import ProductSupport
import Strata
import StrataBase
import StrataPersistence
import TestSupport
import Testing

/// A process killed while it migrates data, takes that back, or looks for a way back.
struct DataMigrationKillTests {
  static let kills = loopCount("STRATA_MIGRATION_KILLS", 4)

  /// Those of `up` are in `MigrationCrashTests` of the migrations.
  @Test(arguments: MigrationAction.allCases)
  func `an action killed at any I/O is done or not, and can be repeated`(
    _ action: MigrationAction
  ) async throws {
    let directory = try TemporaryDirectory()
    let original = directory.path("original")
    try FileManager.default.createDirectory(atPath: original, withIntermediateDirectories: true)
    try await action.prepare(at: "\(original)/app.strata")
    func copy(_ name: String) throws -> String {
      let folder = directory.path(name)
      try FileManager.default.copyItem(atPath: original, toPath: folder)
      return "\(folder)/app.strata"
    }
    let whole = try copy("whole")
    #expect(try await action.outcome(at: copy("before")) == .before)
    let (code, lines) = try ChildProcess("ProductChild", [whole, "0", "act", action.rawValue])
      .finish()
    #expect(code == 0)
    let total = try #require(lines.last.flatMap { Int($0) })
    #expect(try await action.outcome(at: whole) == .after)
    let expected = try names(beside: whole)
    var outcomes: [MigrationAction.Outcome: Int] = [:]
    let count = min(Self.kills, total)
    for kill in 0..<count {
      let comment = Comment("\(action): kill \(kill) of \(total)")
      let path = try copy("\(kill)")
      let moment = total * (2 * kill + 1) / (2 * count)
      let child = try ChildProcess(
        "ProductChild",
        [path, "0", "act", action.rawValue, "\(moment)"]
      )
      #expect(child.finish().code == SIGKILL, comment)
      try await action.open(path)
      let outcome = try await action.outcome(at: path)
      outcomes[outcome, default: 0] += 1
      if outcome == .before { try await action.run(at: path, PersistenceConfiguration()) }
      #expect(try await action.outcome(at: path) == .after, comment)
      try await action.open(path)
      #expect(try names(beside: path).isSubset(of: expected), comment)
      try FileManager.default.removeItem(atPath: PathParts(path).directory)
    }
    printStatistics(
      """
      \(action): \(count) kills at \(total) I/Os: \(outcomes[.before] ?? 0) before, \
      \(outcomes[.after] ?? 0) after
      """
    )
    #expect(outcomes[.before] != nil)
  }

  /// The files beside a store; those of a lock and of the head may come and go.
  private func names(beside path: String) throws -> Set<String> {
    let folder = PathParts(path).directory
    return Set(try FileManager.default.contentsOfDirectory(atPath: folder)).filter { name in
      ![".head", ".lock", "-wal", "-shm"].contains { name.hasSuffix($0) }
    }
  }
}
