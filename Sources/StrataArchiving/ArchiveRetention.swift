public import Foundation
public import StrataJournal

/// How much an archive keeps.
///
/// Pure.
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
  public func removal(of snapshots: [ArchiveSnapshot], now: Date) -> Removal {
    let sorted = snapshots.sorted { $0.mark.revision < $1.mark.revision }
    guard let base = sorted.last(where: { $0.time <= now - deltas }) else { return Removal() }
    var removal = Removal()
    removal.segmentsThrough = base.mark.revision
    var lastOfDay: [Int: Revision] = [:]
    for snapshot in sorted { lastOfDay[day(of: snapshot)] = snapshot.mark.revision }
    for snapshot in sorted where snapshot.mark.revision < base.mark.revision {
      if !snapshot.names.isEmpty { continue }
      let isDaily = lastOfDay[day(of: snapshot)] == snapshot.mark.revision
      if isDaily, snapshot.time >= now - dailySnapshots { continue }
      removal.snapshots.append(snapshot.mark.revision)
    }
    return removal
  }

  private func day(of snapshot: ArchiveSnapshot) -> Int {
    Int((snapshot.time.timeIntervalSince1970 / 86_400).rounded(.down))
  }
}

extension Date {
  fileprivate static func - (date: Date, duration: Duration) -> Date {
    let (seconds, attoseconds) = duration.components
    return date.addingTimeInterval(-Double(seconds) - Double(attoseconds) / 1e18)
  }
}
