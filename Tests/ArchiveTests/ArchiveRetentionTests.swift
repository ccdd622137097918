import Foundation
import StrataArchiving
import StrataJournal
import Testing

/// What an archive keeps: ages count up to its newest snapshot.
struct ArchiveRetentionTests {
  private let now = Date(timeIntervalSince1970: 100 * 86_400)

  /// A snapshot of some hours ago.
  private func snapshot(_ revision: Int64, hoursAgo: Double, name: String? = nil) -> ArchiveSnapshot
  {
    ArchiveSnapshot(
      mark: HistoryMark(revision: Revision(revision), chain: ""),
      time: now.addingTimeInterval(-hoursAgo * 3_600),
      names: name.map { [$0] } ?? [],
      entities: 1,
      bytes: 1
    )
  }

  @Test
  func `every revision since the time can be restored`() {
    let snapshots = [10.0, 30, 50, 70].enumerated().map { snapshot(Int64(4 - $0), hoursAgo: $1) }
    let retention = ArchiveRetention(deltas: .seconds(40 * 3_600), dailySnapshots: .zero)
    let removal = retention.removal(of: snapshots)
    // The snapshot from 50 hours ago is 40 hours older than the newest.
    #expect(removal.segmentsThrough == 2)
    #expect(removal.snapshots == [1])
  }

  @Test
  func `one snapshot of each day stays, and those with a name`() throws {
    var snapshots: [ArchiveSnapshot] = []
    for hour in stride(from: 240, through: 1, by: -6) {
      snapshots.append(snapshot(Int64(240 - hour), hoursAgo: Double(hour)))
    }
    snapshots[3].names = ["kept"]
    let retention = ArchiveRetention(
      deltas: .seconds(86_400),
      dailySnapshots: .seconds(5 * 86_400)
    )
    let removal = retention.removal(of: snapshots)
    let left = snapshots.filter { !removal.snapshots.contains($0.mark.revision) }
    #expect(left.contains { $0.names == ["kept"] })
    let newest = try #require(snapshots.last)
    let base = snapshots.last { $0.time <= newest.time.addingTimeInterval(-86_400) }
    #expect(removal.segmentsThrough == base?.mark.revision)
    let daily = left.filter { snapshot in
      snapshot.names.isEmpty && snapshot.mark.revision < removal.segmentsThrough
    }
    let days = daily.map { Int($0.time.timeIntervalSince1970 / 86_400) }
    #expect(Set(days).count == days.count)
    #expect(days.allSatisfy { $0 >= 94 })
    #expect(days.count >= 4)
  }

  @Test
  func `an archive without an old snapshot keeps all`() {
    let retention = ArchiveRetention(deltas: .seconds(86_400), dailySnapshots: .zero)
    #expect(retention.removal(of: []) == ArchiveRetention.Removal())
    let young = [snapshot(1, hoursAgo: 24), snapshot(2, hoursAgo: 1)]
    #expect(retention.removal(of: young) == ArchiveRetention.Removal())
  }

  @Test
  func `a clock that jumps ahead removes nothing too early`() {
    let retention = ArchiveRetention(
      deltas: .seconds(7 * 86_400),
      dailySnapshots: .seconds(30 * 86_400)
    )
    // Six days, then a snapshot with a time of 73 years later, and the hours after it.
    var snapshots = (1...6).map { snapshot(Int64($0), hoursAgo: Double(-24 * $0)) }
    let jumped = 24.0 * 365 * 73
    snapshots += (7...9).map { snapshot(Int64($0), hoursAgo: -jumped - Double($0)) }
    #expect(retention.removal(of: snapshots) == ArchiveRetention.Removal())
    // Another day has passed: the first snapshot is as old as was asked for.
    snapshots.append(snapshot(10, hoursAgo: -jumped - 9 - 24))
    #expect(retention.removal(of: snapshots).segmentsThrough == 1)
  }
}
