import Foundation
import StrataBase
public import StrataJournal

/// How much an archive keeps.
///
/// Ages are counted from the times of the snapshots, up to the newest one. Between two neighbouring snapshots at most one day
/// counts, so a clock that jumps ahead removes nothing too early; where snapshots are taken less often than once a day, more is
/// kept. Pure.
public struct ArchiveRetention: Sendable, Equatable {
  /// How far back any revision can be restored.
  public var deltas: Duration
  /// How far back a snapshot of each day is kept.
  public var dailySnapshots: Duration

  /// Creates a retention.
  public init(deltas: Duration, dailySnapshots: Duration) {
    self.deltas = deltas
    self.dailySnapshots = dailySnapshots
  }

  /// What can be removed.
  public struct Removal: Sendable, Equatable {
    /// The last revision whose segment is not needed; 0 if all are.
    public var segmentsThrough: Revision = 0
    /// The snapshots that are not needed.
    public var snapshots: [Revision] = []

    /// Nothing.
    public init() {}
  }

  /// What can be removed of an archive that has these snapshots.
  ///
  /// It keeps the newest snapshot; the last one from before the time that deltas go back to, with everything
  /// since; the last one of each day in UTC; and those with a name.
  public func removal(of snapshots: [ArchiveSnapshot]) -> Removal {
    let sorted = snapshots.sorted { $0.mark.revision < $1.mark.revision }
    let ages = Self.ages(of: sorted)
    guard let index = ages.lastIndex(where: { $0 >= deltas.microseconds }) else { return Removal() }
    let base = sorted[index]
    var removal = Removal()
    removal.segmentsThrough = base.mark.revision
    var lastOfDay: [Int: Revision] = [:]
    for snapshot in sorted { lastOfDay[day(of: snapshot)] = snapshot.mark.revision }
    for (snapshot, age) in zip(sorted, ages).prefix(index) {
      if !snapshot.names.isEmpty { continue }
      let isDaily = lastOfDay[day(of: snapshot)] == snapshot.mark.revision
      if isDaily, age <= dailySnapshots.microseconds { continue }
      removal.snapshots.append(snapshot.mark.revision)
    }
    return removal
  }

  /// How old each snapshot is, in microseconds; they are in order.
  private static func ages(of sorted: [ArchiveSnapshot]) -> [Int64] {
    guard let first = sorted.first else { return [] }
    var age = HistoryAge(since: first.time.microseconds)
    let sinceFirst = sorted.map { snapshot in
      age.add(snapshot.time.microseconds)
      return age.microseconds
    }
    return sinceFirst.map { age.microseconds - $0 }
  }

  private func day(of snapshot: ArchiveSnapshot) -> Int {
    Int((snapshot.time.timeIntervalSince1970 / 86_400).rounded(.down))
  }
}
