/// When commits are synced to the disk, beyond being written to the file.
///
/// A commit never waits for a sync. What survives, as long as the writer keeps up:
///
/// | | process killed | power cut |
/// | --- | --- | --- |
/// | acknowledged by `flush()` or `close()` | survives | survives |
/// | `.everyCommit` | all but the last moment | all but the last moment |
/// | `.grouped` | all but the last `maxDelay` | all but the last `maxDelay` |
/// | `.onFlush` | all but the last 100 ms | what the last flush, snapshot or checkpoint covered |
///
/// If commits come faster than the writer can write, it falls behind by at most 100,000
/// changed entities; then commits wait for it. Only `flush()` is a guarantee.
///
/// Only the last commits can be lost: if a commit survives, so do all before it.
public enum Durability: Sendable, Equatable {
  /// Each group of commits is written and synced as soon as the writer is free.
  case everyCommit
  /// Commits are collected for at most `maxDelay`, or until there are `maxCommits`; then the group is
  /// written and synced.
  case grouped(maxDelay: Duration = .milliseconds(20), maxCommits: Int = 1_000)
  /// Commits are written in groups, and synced only by `flush()`, snapshots and checkpoints.
  case onFlush

  var delay: Duration {
    switch self {
    case .everyCommit: .zero
    case .grouped(let maxDelay, _): maxDelay
    case .onFlush: .milliseconds(100)
    }
  }

  var maxCommits: Int {
    switch self {
    case .everyCommit: 1
    case .grouped(_, let maxCommits): max(maxCommits, 1)
    case .onFlush: 10_000
    }
  }

  package var syncsGroups: Bool { self != .onFlush }
}
