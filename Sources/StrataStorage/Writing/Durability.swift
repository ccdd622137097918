/// When commits reach the disk, as distinct from the file.
///
/// A commit never waits for a sync. What survives what, while the writer keeps up:
///
/// | | process killed | power cut |
/// | --- | --- | --- |
/// | acknowledged by `flush()` or `close()` | survives | survives |
/// | `.everyCommit` | all but the last moment | all but the last moment |
/// | `.grouped` | all but the last `maxDelay` | all but the last `maxDelay` |
/// | `.onFlush` | all but the last 100 ms | what the last flush, snapshot or checkpoint covered |
///
/// A writer that is committed to faster than it can write lags, by at most the configured
/// `queueCapacity` of changed entities; then committers wait for it. Only `flush()` is a promise.
///
/// What is lost is always a tail: no commit is lost before one that survives.
public enum Durability: Sendable, Equatable {
  /// Each group of commits is written and synced as soon as the writer is free.
  case everyCommit
  /// Commits wait for company for at most `maxDelay`, or until there are `maxCommits`; then the
  /// group is written and synced at once.
  case grouped(maxDelay: Duration = .milliseconds(20), maxCommits: Int = 1_000)
  /// Commits are written in groups and synced only when asked for, and at snapshots.
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

  var syncsGroups: Bool { self != .onFlush }
}
