import Foundation
import StrataBase
import StrataJournal
import Testing

struct HeadCheckTests {
  private let store = UUID()
  private let boot = UUID()

  private func chain(_ revision: Int64) -> Checksum { Checksum(of: [UInt8(revision)]) }

  private let lineages = (1...3).map { number in
    Lineage(.restored, after: nil, at: Date(), id: Lineage.ID(number))
  }

  private func head(durable: Int64, written: Int64) -> HeadRecord {
    HeadRecord(
      storeID: store,
      lineage: lineages[0].id,
      bootID: boot,
      durable: HeadRecord.Mark(revision: Revision(durable), chain: chain(durable)),
      written: HeadRecord.Mark(revision: Revision(written), chain: chain(written))
    )
  }

  private func check(_ head: HeadRecord?, at revision: Int64, boot: UUID? = nil) -> HeadCheck {
    HeadCheck.compare(head, recovered: position(revision), [lineages[0]], bootID: boot ?? self.boot)
  }

  private func position(_ revision: Int64) -> Position {
    Position(
      storeID: store,
      lineage: lineages[0].id,
      revision: Revision(revision),
      chain: chain(revision)
    )
  }

  @Test
  func `a file that is where its head says is consistent`() {
    #expect(check(head(durable: 3, written: 5), at: 5) == .consistent)
  }

  @Test
  func `a file that is ahead of its head is consistent`() {
    #expect(check(head(durable: 3, written: 5), at: 6) == .consistent)
  }

  @Test
  func `a file that lacks what was durable is damaged, whatever was booted since`() {
    for boot in [boot, UUID()] {
      #expect(
        check(head(durable: 3, written: 3), at: 2, boot: boot) == .endMissing(last: 2, written: 3)
      )
    }
  }

  @Test
  func `a file that lacks what was written in this boot is damaged`() {
    #expect(check(head(durable: 3, written: 5), at: 4) == .endMissing(last: 4, written: 5))
  }

  @Test
  func `a copy from before a lineage lacks its end, one from after it does not`() {
    func check(lineages count: Int, at revision: Int64) -> HeadCheck {
      let position = Position(
        storeID: store,
        lineage: lineages[count - 1].id,
        revision: Revision(revision),
        chain: chain(revision)
      )
      let head = HeadRecord(
        storeID: store,
        lineage: lineages[1].id,
        bootID: boot,
        durable: HeadRecord.Mark(revision: 3, chain: chain(3)),
        written: HeadRecord.Mark(revision: 5, chain: chain(5))
      )
      let known = Array(lineages.prefix(count))
      return HeadCheck.compare(head, recovered: position, known, bootID: boot)
    }
    #expect(check(lineages: 1, at: 2) == .endMissing(last: 2, written: 3))
    for (count, revision) in [(1, Int64(3)), (1, 5), (3, 2)] {
      guard case .note = check(lineages: count, at: revision) else {
        Issue.record("lineages \(count), revision \(revision)")
        return
      }
    }
  }

  @Test
  func `a tail that was only written may go with a power cut`() {
    guard case .note(let note) = check(head(durable: 3, written: 5), at: 4, boot: UUID()) else {
      Issue.record("not a note")
      return
    }
    #expect(note.contains("5 to 5"))
  }

  @Test
  func `another history at the acknowledged revision is damage`() {
    var other = head(durable: 3, written: 3)
    other.durable.chain = chain(99)
    guard case .damage = check(other, at: 3) else {
      Issue.record("not damage")
      return
    }
  }

  @Test
  func `no head, or a foreign one, is a note`() {
    var foreign = head(durable: 9, written: 9)
    foreign.storeID = UUID()
    for head in [nil, foreign] {
      guard case .note = check(head, at: 3) else {
        Issue.record("not a note")
        return
      }
    }
  }

  @Test
  func `a torn slot leaves the other one`() {
    let older = head(durable: 3, written: 5).slot(serial: 4)
    let newer = head(durable: 5, written: 5).slot(serial: 5)
    #expect(HeadRecord.newest(in: older + newer)?.record.durable.revision == 5)
    #expect(HeadRecord.newest(in: newer + older)?.record.durable.revision == 5)
    var torn = newer
    torn[60] ^= 1
    #expect(HeadRecord.newest(in: older + torn)?.record.durable.revision == 3)
    #expect(HeadRecord.newest(in: torn + torn) == nil)
    #expect(HeadRecord.newest(in: []) == nil)
  }
}
