import Foundation
import StrataArchiving
import StrataJournal
import Testing

@testable import StrataCLI

/// What `strata archive status` says of clocks.
struct ArchiveTextTests {
  private func lines(ahead: Double, lease: Duration = .seconds(10)) -> [String] {
    let now = Date()
    let head = ArchiveHead(
      store: UUID(),
      epoch: 1,
      leader: "one",
      lease: lease,
      leaseEnd: now.addingTimeInterval(ahead + lease / .seconds(1)),
      mark: HistoryMark(revision: 0, chain: String(repeating: "0", count: 32))
    )
    let summary = ArchiveText.Summary(
      head,
      readAt: now,
      bytes: 0,
      oldest: nil,
      newest: nil,
      gaps: [],
      snapshots: []
    )
    return ArchiveText.lines(summary, .off, within: 100).filter { $0.hasPrefix("clock") }
  }

  @Test func `a clock of the archive that is another one is named while a lease runs`() {
    #expect(lines(ahead: 3_600) == ["clock     of the archive, 3600 s ahead of this machine's"])
    #expect(lines(ahead: -90) == ["clock     of the archive, 90 s behind this machine's"])
    #expect(lines(ahead: 2) == [])
    #expect(lines(ahead: 3_600, lease: .zero) == [])
  }
}
