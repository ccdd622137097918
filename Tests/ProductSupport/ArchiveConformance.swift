package import Foundation
package import StrataArchiving
import StrataBase
import StrataJournal
import TestSupport

/// What every archive must do.
package struct ArchiveConformance: Sendable {
  /// Another value of the same archive, as another process has it.
  private let open: @Sendable () throws -> any Archive
  /// Moves the clock of the archive's leases.
  private let pass: @Sendable (Duration) async throws -> Void

  package init(
    open: @escaping @Sendable () throws -> any Archive,
    pass: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.open = open
    self.pass = pass
  }

  /// One thing that it must do.
  package enum Law: String, CaseIterable, Sendable {
    case `an archive without a store is empty`
    case `the first leader begins it, and each one raises the epoch`
    case `a lease excludes other leaders until it ends or is renewed`
    case `a lease under the same name may be taken at once`
    case `a release lets another lead, and is none of another's business`
    case `the archive of another store is refused`
    case `candidates that cannot lead are refused`
    case `segments come back in order, and the head is at their end`
    case `segments come in portions of about as many bytes as asked for`
    case `a segment that does not begin at the head is refused`
    case `a segment that is sent again is refused`
    case `a segment of a former leader is refused`
    case `a segment that is none is refused`
    case `the catalog is that of the last change that had one`
    case `of two appends at one place one succeeds`
    case `of many candidates one leads`
    case `a leader's head includes every append that was acknowledged`
    case `a snapshot comes back with its list and chunks`
    case `a snapshot replaces the one of its revision`
    case `a snapshot without its chunks is refused`
    case `a snapshot beyond the head is the head`
    case `a gap is what no segment has before a snapshot`
    case `a snapshot of another history is refused`
    case `snapshots and chunks of a former leader are refused`
    case `a restart leaves nothing but its snapshot and segments`
    case `what is removed is gone, and the rest stays`
    case `a store that is removed leaves nothing, and a former leader removes nothing`
    case `bodies have any bytes and sizes`
    case `an archive opened again has everything`
  }

  /// - Throws: a ``Failure`` if the archive does otherwise.
  package func check(_ law: Law) async throws {
    switch law {
    case .`an archive without a store is empty`: try await checkEmpty()
    case .`the first leader begins it, and each one raises the epoch`: try await checkEpochs()
    case .`a lease excludes other leaders until it ends or is renewed`: try await checkLeases()
    case .`a lease under the same name may be taken at once`: try await checkSameName()
    case .`a release lets another lead, and is none of another's business`:
      try await checkRelease()
    case .`the archive of another store is refused`: try await checkOtherStore()
    case .`candidates that cannot lead are refused`: try await checkCandidates()
    case .`segments come back in order, and the head is at their end`: try await checkOrder()
    case .`segments come in portions of about as many bytes as asked for`:
      try await checkPortions()
    case .`a segment that does not begin at the head is refused`: try await checkWrongStart()
    case .`a segment that is sent again is refused`: try await checkResent()
    case .`a segment of a former leader is refused`: try await checkFormerLeader()
    case .`a segment that is none is refused`: try await checkFlawedSegments()
    case .`the catalog is that of the last change that had one`: try await checkCatalog()
    case .`of two appends at one place one succeeds`: try await checkRacingAppends()
    case .`of many candidates one leads`: try await checkRacingLeaders()
    case .`a leader's head includes every append that was acknowledged`: try await checkTakeover()
    case .`a snapshot comes back with its list and chunks`: try await checkSnapshot()
    case .`a snapshot replaces the one of its revision`: try await checkReplacedSnapshot()
    case .`a snapshot without its chunks is refused`: try await checkMissingChunks()
    case .`a snapshot beyond the head is the head`: try await checkSnapshotBeyond()
    case .`a gap is what no segment has before a snapshot`: try await checkGaps()
    case .`a snapshot of another history is refused`: try await checkOtherHistory()
    case .`snapshots and chunks of a former leader are refused`:
      try await checkFormerSnapshots()
    case .`a restart leaves nothing but its snapshot and segments`: try await checkRestart()
    case .`what is removed is gone, and the rest stays`: try await checkRemoval()
    case .`a store that is removed leaves nothing, and a former leader removes nothing`:
      try await checkRemovedStore()
    case .`bodies have any bytes and sizes`: try await checkBodies()
    case .`an archive opened again has everything`: try await checkOpenedAgain()
    }
  }

  /// What an archive did otherwise.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private func expect(
    _ isSo: Bool,
    _ message: @autoclosure () -> String,
    line: UInt = #line
  ) throws {
    if !isSo { throw Failure(description: "line \(line): \(message())") }
  }

  private func equal<Value: Equatable>(
    _ found: Value,
    _ expected: Value,
    line: UInt = #line
  ) throws {
    let message = "found \(found), expected \(expected)"
    try expect(found == expected, String(message.prefix(500)), line: line)
  }

  private func refusal(line: UInt = #line, _ call: () async throws -> Void) async throws
    -> ArchiveError.Reason
  {
    do {
      try await call()
    } catch let error as ArchiveError {
      return error.reason
    }
    throw Failure(description: "line \(line): it was not refused")
  }
}

/// Samples.
extension ArchiveConformance {
  /// A store's UUID.
  package static let storeID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  /// How long leases run.
  package static let lease = Duration.seconds(60)

  /// A line of a ``FolderArchive`` that was changed, with the hash of what it says then.
  package static func rehashed(_ line: String) -> String {
    guard let hash = line.firstMatch(of: /"hash":"\w+",/)?.range else { return line }
    let computed = Checksum(of: Array((line[..<hash.lowerBound] + line[hash.upperBound...]).utf8))
    return line.replacingCharacters(in: hash, with: "\"hash\":\"\(computed)\",")
  }

  /// A place of a sample history.
  package static func mark(_ revision: Int64, _ history: String = "a") -> HistoryMark {
    let chain = Checksum(of: Array("\(history) \(revision)".utf8))
    return HistoryMark(revision: Revision(revision), chain: chain.description)
  }

  /// A segment of a sample history.
  package static func segment(
    _ revisions: ClosedRange<Int64>,
    _ history: String = "a",
    epoch: Int64,
    bytes: Int = 10
  ) -> ArchiveSegment {
    let seed = Array("\(history) \(revisions) ".utf8)
    let body = (0..<max(1, bytes)).map { seed[$0 % seed.count] }
    // Microseconds that a date does not represent exactly.
    let time = Date(microseconds: 1_770_000_000_123_457 + revisions.lowerBound)
    return ArchiveSegment(
      start: mark(revisions.lowerBound - 1, history),
      end: mark(revisions.upperBound, history),
      epoch: epoch,
      deltas: revisions.count,
      times: time...Date(microseconds: 1_770_000_000_123_459 + revisions.upperBound),
      body: body
    )
  }

  /// A candidate at revision 0.
  package static func candidate(
    _ leader: String = "ann",
    epoch: Int64 = 1,
    lease: Duration = lease,
    start: HistoryMark = mark(0)
  ) -> ArchiveCandidate {
    ArchiveCandidate(store: storeID, epoch: epoch, leader: leader, lease: lease, start: start)
  }

  /// Starts to lead, and returns the term.
  @discardableResult
  private func lead(
    _ archive: any Archive,
    _ leader: String = "ann"
  ) async throws -> ArchiveTerm {
    let head = try await archive.lead(Self.candidate(leader))
    return ArchiveTerm(epoch: head.epoch, lease: Self.lease, leader: leader)
  }

  /// An archive that is led, with its term and as many segments of one delta.
  private func led(
    segments: Int64 = 0
  ) async throws -> (archive: any Archive, term: ArchiveTerm) {
    let archive = try open()
    let term = try await lead(archive)
    for revision in 0..<segments {
      let segment = Self.segment((revision + 1)...(revision + 1), epoch: term.epoch)
      try await archive.append(segment, catalog: nil, in: term)
    }
    return (archive, term)
  }

  private func head(
    _ archive: any Archive,
    line: UInt = #line
  ) async throws -> ArchiveHead {
    guard let head = try await archive.head() else {
      throw Failure(description: "line \(line): it has no head")
    }
    return head
  }
}

/// Leading.
extension ArchiveConformance {
  private func checkEmpty() async throws {
    let archive = try open()
    let term = ArchiveTerm(epoch: 1, lease: Self.lease)
    let chunk = ArchiveChunk(body: [1])
    try equal(await archive.head(), nil)
    try equal(await archive.segments(after: 0, bytes: 100), [])
    try equal(await archive.snapshots(), [])
    try equal(await archive.missing([chunk.id]), [chunk.id])
    try equal(try await refusal { _ = try await archive.catalog() }, .empty)
    try equal(
      try await refusal { _ = try await archive.list(of: 1) },
      .notFound("snapshot 1")
    )
    try equal(
      try await refusal { _ = try await archive.chunks([chunk.id]) },
      .notFound("chunk \(chunk.id)")
    )
    try equal(try await refusal { try await archive.renew(term) }, .empty)
    try await archive.release(term)
    let segment = Self.segment(1...1, epoch: 1)
    try equal(
      try await refusal { try await archive.append(segment, catalog: nil, in: term) },
      .empty
    )
    try equal(try await refusal { try await archive.add([chunk], in: term) }, .empty)
    try equal(
      try await refusal { try await archive.remove(segmentsThrough: 1, snapshots: []) },
      .empty
    )
    try equal(await archive.head(), nil)
  }

  private func checkEpochs() async throws {
    let start = Self.mark(7)
    let first = try await open().lead(Self.candidate("ann", epoch: 4, start: start))
    try equal(first.store, Self.storeID)
    try equal(first.epoch, 5)
    try equal(first.leader, "ann")
    try equal(first.mark, start)
    try expect(
      first.lease > .seconds(1) && first.lease <= Self.lease,
      "the lease is \(first.lease)"
    )
    let read = try await head(try open())
    try equal(read.mark, start)
    try equal(read.epoch, 5)
    // A candidate's own start does not move the head.
    let second = try await open().lead(Self.candidate("ann", epoch: 1, start: Self.mark(0)))
    try equal(second.epoch, 6)
    try equal(second.mark, start)
    let third = try await open().lead(Self.candidate("ann", epoch: 100))
    try equal(third.epoch, 101)
  }

  private func checkLeases() async throws {
    let archive = try open()
    let term = try await lead(archive)
    let other = try open()
    guard case .led("ann", let rest) = try await refusal({ try await lead(other, "bob") }) else {
      throw Failure(description: "the lease does not exclude")
    }
    try expect(rest > .seconds(1) && rest <= Self.lease, "the rest is \(rest)")
    try equal(try await head(other).epoch, term.epoch)
    // Renewals and appends extend it.
    try await pass(.seconds(50))
    try await archive.renew(term)
    try await pass(.seconds(50))
    let segment = Self.segment(1...1, epoch: term.epoch)
    try await archive.append(segment, catalog: nil, in: term)
    try await pass(.seconds(50))
    guard case .led = try await refusal({ try await lead(other, "bob") }) else {
      throw Failure(description: "an append does not extend the lease")
    }
    try await pass(.seconds(20))
    try equal(try await head(other).lease, .zero)
    // An ended lease is that of the leader until another leads.
    try await archive.renew(term)
    try await pass(.seconds(120))
    let head = try await other.lead(Self.candidate("bob"))
    try equal(head.leader, "bob")
    try equal(head.epoch, term.epoch + 1)
    try equal(try await refusal { try await archive.renew(term) }, .refused)
  }

  private func checkSameName() async throws {
    let (archive, term) = try await led()
    let head = try await open().lead(Self.candidate("ann"))
    try equal(head.epoch, term.epoch + 1)
    try equal(try await refusal { try await archive.renew(term) }, .refused)
  }

  private func checkRelease() async throws {
    let (archive, term) = try await led()
    try await archive.release(term)
    try equal(try await head(archive).lease, .zero)
    try await archive.release(term)
    let second = try await lead(try open(), "bob")
    try await archive.release(term)
    guard case .led("bob", _) = try await refusal({ try await lead(archive, "ann") }) else {
      throw Failure(description: "a former leader ended the lease")
    }
    try equal(second.epoch, term.epoch + 1)
  }

  private func checkOtherStore() async throws {
    let (archive, term) = try await led(segments: 1)
    var other = Self.candidate("ann")
    other.store = UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9))
    let candidate = other
    try equal(
      try await refusal { _ = try await archive.lead(candidate) },
      .otherStore(Self.storeID)
    )
    try await pass(.seconds(1000))
    try equal(
      try await refusal { _ = try await archive.lead(candidate) },
      .otherStore(Self.storeID)
    )
    try equal(try await head(archive).epoch, term.epoch)
  }

  private func checkCandidates() async throws {
    let archive = try open()
    let chain = Self.mark(1).chain
    for candidate in [
      Self.candidate(epoch: -1), Self.candidate(epoch: .max), Self.candidate(""),
      Self.candidate(start: HistoryMark(revision: -1, chain: chain)),
      Self.candidate(start: HistoryMark(revision: 1, chain: "../../../outside")),
      Self.candidate(start: HistoryMark(revision: 1, chain: chain.uppercased() + "x")),
      Self.candidate(start: HistoryMark(revision: 1, chain: "")),
    ] {
      guard case .unusable = try await refusal({ _ = try await archive.lead(candidate) }) else {
        throw Failure(description: "\(candidate) was not refused as unusable")
      }
    }
    try equal(await archive.head(), nil)
    // Leases without end or before their beginning are held to what a clock can show.
    let long = try await archive.lead(
      Self.candidate(lease: .seconds(Int64.max), start: Self.mark(.max))
    )
    try expect(long.lease > .seconds(86_400 * 365 * 50), "the lease is \(long.lease)")
    try equal(long.mark, Self.mark(.max))
    let none = try await archive.lead(Self.candidate(lease: .seconds(-5)))
    try equal(none.lease, .zero)
    let last = try await archive.lead(Self.candidate(epoch: .max - 1))
    try equal(last.epoch, .max)
    // There is no epoch after the last one.
    _ = try await refusal { _ = try await archive.lead(Self.candidate()) }
    try equal(try await head(archive).epoch, .max)
  }
}

/// Segments.
extension ArchiveConformance {
  private func checkOrder() async throws {
    let (archive, term) = try await led()
    // Revisions with more and fewer digits.
    let ranges: [ClosedRange<Int64>] = [1...1, 2...9, 10...99, 100...100, 101...1000]
    let segments = ranges.map { Self.segment($0, epoch: term.epoch) }
    for (index, segment) in segments.enumerated() {
      try await archive.append(segment, catalog: nil, in: term)
      let head = try await head(archive)
      try equal(head.mark, segment.end)
      try equal(head.epoch, term.epoch)
      try equal(
        await archive.segments(after: 0, bytes: .max),
        Array(segments[...index])
      )
    }
    let other = try open()
    try equal(await other.segments(after: 1, bytes: .max), Array(segments[1...]))
    // A revision within a segment.
    try equal(await other.segments(after: 50, bytes: .max), Array(segments[2...]))
    try equal(await other.segments(after: 1000, bytes: .max), [])
    try equal(await other.segments(after: Revision(.max), bytes: .max), [])
    try equal(await other.segments(after: Revision(.min), bytes: .max), segments)
  }

  private func checkPortions() async throws {
    let (archive, term) = try await led()
    // Larger than what a place adds to each of them.
    let sizes = [10_000, 10_000, 50_000, 20_000, 1_000]
    var segments: [ArchiveSegment] = []
    for (index, size) in sizes.enumerated() {
      let revision = Int64(index + 1)
      segments.append(Self.segment(revision...revision, epoch: term.epoch, bytes: size))
      try await archive.append(segments[index], catalog: nil, in: term)
    }
    for bytes in [Int.min, -1, 0, 1, 10_000] {
      try equal(await archive.segments(after: 0, bytes: bytes), [segments[0]])
    }
    try equal(await archive.segments(after: 0, bytes: 12_000), Array(segments[..<2]))
    try equal(await archive.segments(after: 0, bytes: 22_000), Array(segments[..<3]))
    try equal(await archive.segments(after: 0, bytes: 82_000), Array(segments[..<4]))
    try equal(await archive.segments(after: 2, bytes: 1), [segments[2]])
    try equal(await archive.segments(after: 2, bytes: .max), Array(segments[2...]))
  }

  private func checkWrongStart() async throws {
    let (archive, term) = try await led(segments: 3)
    for segment in [
      // Another history, before the head, beyond it.
      Self.segment(4...5, "b", epoch: term.epoch),
      Self.segment(3...5, epoch: term.epoch),
      Self.segment(5...6, epoch: term.epoch),
    ] {
      try equal(
        try await refusal { try await archive.append(segment, catalog: [1], in: term) },
        .refused
      )
    }
    try equal(try await head(archive).mark, Self.mark(3))
    try equal(await archive.segments(after: 0, bytes: .max).count, 3)
    try equal(try await refusal { _ = try await archive.catalog() }, .notFound("catalog"))
  }

  private func checkResent() async throws {
    let (archive, term) = try await led(segments: 2)
    let segment = Self.segment(2...2, epoch: term.epoch)
    try equal(
      try await refusal { try await archive.append(segment, catalog: nil, in: term) },
      .refused
    )
    try equal(await archive.segments(after: 0, bytes: .max).count, 2)
  }

  private func checkFormerLeader() async throws {
    let (archive, term) = try await led(segments: 1)
    try await archive.release(term)
    let other = try open()
    let next = try await lead(other, "bob")
    for epoch in [term.epoch, next.epoch] {
      let segment = Self.segment(2...2, epoch: epoch)
      try equal(
        try await refusal { try await archive.append(segment, catalog: [9], in: term) },
        .refused
      )
    }
    // A segment of one epoch under the term of another.
    let mixed = Self.segment(2...2, epoch: term.epoch)
    try equal(
      try await refusal { try await other.append(mixed, catalog: nil, in: next) },
      .refused
    )
    let segment = Self.segment(2...2, "a", epoch: next.epoch)
    try await other.append(segment, catalog: nil, in: next)
    try equal(await archive.segments(after: 1, bytes: .max), [segment])
    // A term that nobody has had.
    let forged = ArchiveTerm(epoch: next.epoch + 1, lease: Self.lease)
    let later = Self.segment(3...3, epoch: forged.epoch)
    try equal(
      try await refusal { try await other.append(later, catalog: nil, in: forged) },
      .refused
    )
    // An archive that went back may give an epoch again.
    let stranger = ArchiveTerm(epoch: next.epoch, lease: Self.lease, leader: "a stranger")
    let third = Self.segment(3...3, epoch: next.epoch)
    try equal(
      try await refusal { try await other.append(third, catalog: nil, in: stranger) },
      .refused
    )
    try equal(try await refusal { try await other.renew(stranger) }, .refused)
    try equal(try await refusal { try await other.removeStore(in: stranger) }, .refused)
  }

  private func checkFlawedSegments() async throws {
    let (archive, term) = try await led()
    let good = Self.segment(1...2, epoch: term.epoch)
    func segment(
      end: HistoryMark = good.end,
      deltas: Int = 1,
      body: [UInt8] = [1]
    ) -> ArchiveSegment {
      ArchiveSegment(
        start: good.start,
        end: end,
        epoch: term.epoch,
        deltas: deltas,
        times: good.times,
        body: body
      )
    }
    for segment in [
      segment(end: good.start), segment(end: HistoryMark(revision: 2, chain: "../x")),
      segment(end: HistoryMark(revision: -2, chain: good.end.chain)), segment(deltas: 0),
      segment(deltas: -1), segment(deltas: 3), segment(deltas: .max), segment(body: []),
    ] {
      guard
        case .unusable = try await refusal({
          try await archive.append(segment, catalog: nil, in: term)
        })
      else { throw Failure(description: "\(segment) was not refused as unusable") }
    }
    try equal(await archive.segments(after: 0, bytes: .max), [])
    // Times and revisions to the end of their range.
    let extreme = ArchiveSegment(
      start: good.start,
      end: Self.mark(.max),
      epoch: term.epoch,
      deltas: 1,
      times: Date(microseconds: .min)...Date(microseconds: .max),
      body: [1]
    )
    try await archive.append(extreme, catalog: nil, in: term)
    let read = try await archive.segments(after: 5, bytes: 1)
    try equal(read.map(\.end), [extreme.end])
    try equal(try await head(archive).mark, extreme.end)
  }

  private func checkCatalog() async throws {
    let (archive, term) = try await led()
    try equal(try await refusal { _ = try await archive.catalog() }, .notFound("catalog"))
    try await archive.append(Self.segment(1...1, epoch: term.epoch), catalog: [1, 0], in: term)
    try equal(await archive.catalog(), [1, 0])
    try await archive.append(Self.segment(2...2, epoch: term.epoch), catalog: nil, in: term)
    try equal(await archive.catalog(), [1, 0])
    let refused = Self.segment(2...2, epoch: term.epoch)
    _ = try await refusal { try await archive.append(refused, catalog: [7], in: term) }
    try equal(await archive.catalog(), [1, 0])
    try await archive.append(Self.segment(3...3, epoch: term.epoch), catalog: [3], in: term)
    try equal(await archive.catalog(), [3])
    let snapshot = Self.snapshot(3)
    try await archive.add(snapshot, .init(image: [], chunks: [:]), catalog: [], in: term)
    try equal(await archive.catalog(), [])
    // A takeover keeps it.
    try await archive.append(Self.segment(4...4, epoch: term.epoch), catalog: [4], in: term)
    try await archive.release(term)
    try await lead(try open(), "bob")
    try equal(await archive.catalog(), [4])
  }
}

/// Races.
extension ArchiveConformance {
  private func checkRacingAppends() async throws {
    let (archive, term) = try await led()
    for round in 1...10 as ClosedRange<Int64> {
      let histories = ["b", "c", "d"]
      let start = try await head(archive).mark
      let segments = histories.map { history in
        Self.segment(through: round, history, after: start, epoch: term.epoch)
      }
      let winners = try await withThrowingTaskGroup(of: ArchiveSegment?.self) { group in
        for segment in segments {
          let other = try open()
          group.addTask {
            do throws(ArchiveError) {
              try await other.append(segment, catalog: segment.body, in: term)
              return segment
            } catch  where error.reason == .refused {
              return nil
            }
          }
        }
        return try await group.reduce(into: [ArchiveSegment]()) { winners, segment in
          if let segment { winners.append(segment) }
        }
      }
      try equal(winners.count, 1)
      try equal(try await head(archive).mark, winners[0].end)
      try equal(await archive.catalog(), winners[0].body)
      try equal(
        await archive.segments(after: Revision(round - 1), bytes: .max),
        winners
      )
    }
  }

  private func checkRacingLeaders() async throws {
    try await led().archive.release(ArchiveTerm(epoch: 2, lease: Self.lease))
    let heads = try await withThrowingTaskGroup(of: ArchiveHead?.self) { group in
      for index in 0..<6 {
        let archive = try open()
        group.addTask {
          do throws(ArchiveError) {
            return try await archive.lead(Self.candidate("candidate \(index)"))
          } catch {
            guard case .led = error.reason else { throw error }
            return nil
          }
        }
      }
      return try await group.reduce(into: [ArchiveHead]()) { heads, head in
        if let head { heads.append(head) }
      }
    }
    try equal(heads.count, 1)
    try equal(try await head(try open()).leader, heads[0].leader)
  }

  /// Appends in the last term while another begins one, round after round.
  private func checkTakeover() async throws {
    let (archive, first) = try await led()
    var epoch = first.epoch
    var last = try await head(archive).mark
    for round in 1...10 as ClosedRange<Int64> {
      let term = ArchiveTerm(epoch: epoch, lease: Self.lease)
      let segment = Self.segment(through: round, after: last, epoch: epoch)
      let other = try open()
      let leading = Task { try await other.lead(Self.candidate("ann")) }
      let isAppended = try await isAppended(segment, to: archive, in: term)
      let found = try await leading.value
      try equal(found.epoch, epoch + 1)
      try equal(found.mark, isAppended ? segment.end : last)
      epoch = found.epoch
      if !isAppended {
        // The revisions go on in the next round.
        let again = Self.segment(through: round, after: last, epoch: epoch)
        let next = ArchiveTerm(epoch: epoch, lease: Self.lease)
        try await other.append(again, catalog: nil, in: next)
      }
      last = segment.end
    }
  }

  private func isAppended(
    _ segment: ArchiveSegment,
    to archive: any Archive,
    in term: ArchiveTerm
  ) async throws(ArchiveError) -> Bool {
    do throws(ArchiveError) {
      try await archive.append(segment, catalog: nil, in: term)
      return true
    } catch {
      if error.reason == .refused { return false }
      throw error
    }
  }

  /// A segment of a sample history after any mark.
  package static func segment(
    through revision: Int64,
    _ history: String = "a",
    after start: HistoryMark,
    epoch: Int64
  ) -> ArchiveSegment {
    let sample = segment((start.revision.number + 1)...revision, history, epoch: epoch)
    return ArchiveSegment(
      start: start,
      end: sample.end,
      epoch: epoch,
      deltas: sample.deltas,
      times: sample.times,
      body: sample.body
    )
  }
}

/// Snapshots.
extension ArchiveConformance {
  /// A snapshot of a sample history.
  package static func snapshot(
    _ revision: Int64,
    _ history: String = "a",
    names: [String] = []
  ) -> ArchiveSnapshot {
    ArchiveSnapshot(
      mark: mark(revision, history),
      time: Date(microseconds: 1_770_000_000_123_457 + revision % 1000),
      names: names,
      entities: Int(truncatingIfNeeded: revision),
      bytes: revision
    )
  }

  private func checkSnapshot() async throws {
    let (archive, term) = try await led(segments: 3)
    let fills: [UInt8] = [0, 1, 2, 3, 4]
    let chunks = fills.map { ArchiveChunk(body: [UInt8](repeating: $0, count: 100)) }
    try equal(await archive.missing(chunks.map(\.id)), chunks.map(\.id))
    try await archive.add(chunks + [chunks[0]], in: term)
    let unknown = ArchiveChunk(body: [1, 2, 3]).id
    try equal(
      await archive.missing([chunks[0].id, unknown, chunks[1].id]),
      [unknown]
    )
    let names = ["before upgrade", "\"quoted\", {braces} \\ ü", ""]
    let snapshot = Self.snapshot(2, names: names)
    var numbers: [Int64: ArchiveChunk.ID] = [:]
    // Two places may have the same chunk.
    for (index, chunk) in (chunks + [chunks[0]]).enumerated() {
      numbers[Int64(index * index) - 3] = chunk.id
    }
    numbers[.max] = chunks[1].id
    numbers[.min] = chunks[2].id
    let list = ArchiveSnapshot.List(image: [5, 0, 10, 13, 255], chunks: numbers)
    try await archive.add(snapshot, list, catalog: [2], in: term)
    let other = try open()
    try equal(await other.snapshots(), [snapshot])
    try equal(await other.list(of: 2), list)
    try equal(await other.catalog(), [2])
    try equal(try await head(other).mark, Self.mark(3))
    let order = [chunks[3].id, chunks[0].id, chunks[3].id]
    let found = try await other.chunks(order)
    try equal(Set(found.map(\.id)), Set(order))
    for chunk in found { try chunk.check() }
    try equal(await other.chunks([]), [])
    try equal(
      try await refusal { _ = try await other.chunks([chunks[0].id, unknown]) },
      .notFound("chunk \(unknown)")
    )
    try equal(
      try await refusal { _ = try await other.list(of: 3) },
      .notFound("snapshot 3")
    )
    let earlier = Self.snapshot(0)
    let late = Self.snapshot(3)
    for snapshot in [late, earlier] {
      try await archive.add(snapshot, .init(image: [], chunks: [:]), catalog: nil, in: term)
    }
    try equal(await other.snapshots(), [earlier, snapshot, late])
    try equal(await other.list(of: 0), .init(image: [], chunks: [:]))
  }

  private func checkReplacedSnapshot() async throws {
    let (archive, term) = try await led(segments: 2)
    let chunks = [ArchiveChunk(body: [1]), ArchiveChunk(body: [2])]
    try await archive.add(chunks, in: term)
    let first = ArchiveSnapshot.List(image: [1], chunks: [1: chunks[0].id, 2: chunks[0].id])
    try await archive.add(Self.snapshot(2), first, catalog: nil, in: term)
    let second = ArchiveSnapshot.List(image: [2], chunks: [2: chunks[1].id])
    let named = Self.snapshot(2, names: ["later"])
    try await archive.add(named, second, catalog: nil, in: term)
    try equal(await archive.snapshots(), [named])
    try equal(await archive.list(of: 2), second)
  }

  private func checkMissingChunks() async throws {
    let (archive, term) = try await led(segments: 2)
    let chunk = ArchiveChunk(body: [1])
    let missing = ArchiveChunk(body: [2])
    try await archive.add([chunk], in: term)
    let list = ArchiveSnapshot.List(image: [], chunks: [1: chunk.id, 2: missing.id])
    for revision in [1, 7] as [Int64] {
      try equal(
        try await refusal {
          try await archive.add(Self.snapshot(revision), list, catalog: [8], in: term)
        },
        .notFound("chunk \(missing.id)")
      )
    }
    try equal(await archive.snapshots(), [])
    try equal(try await head(archive).mark, Self.mark(2))
    try equal(try await refusal { _ = try await archive.catalog() }, .notFound("catalog"))
    try await archive.append(Self.segment(3...3, epoch: term.epoch), catalog: nil, in: term)
  }

  private func checkSnapshotBeyond() async throws {
    let (archive, term) = try await led(segments: 2)
    let snapshot = Self.snapshot(10)
    try await archive.add(snapshot, .init(image: [1], chunks: [:]), catalog: nil, in: term)
    try equal(try await head(archive).mark, Self.mark(10))
    // What was sent before it does not come any more.
    let late = Self.segment(3...4, epoch: term.epoch)
    try equal(
      try await refusal { try await archive.append(late, catalog: nil, in: term) },
      .refused
    )
    let next = Self.segment(11...12, epoch: term.epoch)
    try await archive.append(next, catalog: nil, in: term)
    let segments = try await archive.segments(after: 0, bytes: .max)
    try equal(segments.map(\.end.revision), [1, 2, 12])
    try equal(await archive.segments(after: 10, bytes: .max), [next])
    try equal(await archive.snapshots(), [snapshot])
    // One behind the head does not move it back.
    try await archive.add(
      Self.snapshot(1),
      .init(image: [1], chunks: [:]),
      catalog: nil,
      in: term
    )
    try equal(try await head(archive).mark, Self.mark(12))
  }

  private func checkGaps() async throws {
    let (archive, term) = try await led(segments: 2)
    try equal(await archive.gaps(), [])
    try await archive.add(
      Self.snapshot(10),
      .init(image: [1], chunks: [:]),
      catalog: nil,
      in: term
    )
    try equal(await archive.gaps(), [3...10])
    try await archive.append(Self.segment(11...12, epoch: term.epoch), catalog: nil, in: term)
    try equal(await archive.gaps(), [3...10])
    try await archive.append(Self.segment(13...13, epoch: term.epoch), catalog: nil, in: term)
    try await archive.add(
      Self.snapshot(20),
      .init(image: [1], chunks: [:]),
      catalog: nil,
      in: term
    )
    try equal(await open().gaps(), [3...10, 14...20])
    // What was removed is no gap.
    try await archive.remove(segmentsThrough: 10, snapshots: [])
    try equal(await archive.gaps(), [14...20])
    try await archive.remove(segmentsThrough: 20, snapshots: [10])
    try equal(await archive.gaps(), [])
  }

  private func checkOtherHistory() async throws {
    let (archive, term) = try await led(segments: 2)
    try equal(
      try await refusal {
        try await archive.add(
          Self.snapshot(2, "b"),
          .init(image: [], chunks: [:]),
          catalog: nil,
          in: term
        )
      },
      .refused
    )
    var flawed = Self.snapshot(1)
    flawed.mark = HistoryMark(revision: 1, chain: "/etc/passwd")
    var negative = Self.snapshot(1)
    negative.entities = -1
    for snapshot in [flawed, negative] {
      guard
        case .unusable = try await refusal({
          try await archive.add(snapshot, .init(image: [], chunks: [:]), catalog: nil, in: term)
        })
      else { throw Failure(description: "\(snapshot) was not refused as unusable") }
    }
    try equal(await archive.snapshots(), [])
  }

  private func checkFormerSnapshots() async throws {
    let (archive, term) = try await led(segments: 2)
    let chunk = ArchiveChunk(body: [1])
    try await archive.release(term)
    try await lead(try open(), "bob")
    try equal(try await refusal { try await archive.add([chunk], in: term) }, .refused)
    try equal(
      try await refusal {
        try await archive.add(
          Self.snapshot(9),
          .init(image: [], chunks: [:]),
          catalog: [1],
          in: term
        )
      },
      .refused
    )
    try equal(await archive.missing([chunk.id]), [chunk.id])
    try equal(await archive.snapshots(), [])
    try equal(try await head(archive).mark, Self.mark(2))
    try equal(try await head(archive).leader, "bob")
  }

  private func checkRestart() async throws {
    let (archive, term) = try await led(segments: 6)
    let chunks = [ArchiveChunk(body: [1]), ArchiveChunk(body: [2])]
    try await archive.add(chunks, in: term)
    let both = ArchiveSnapshot.List(image: [1], chunks: [1: chunks[0].id, 2: chunks[1].id])
    for revision in [2, 4] as [Int64] {
      try await archive.add(Self.snapshot(revision), both, catalog: [1], in: term)
    }
    let snapshot = Self.snapshot(4, "rewritten")
    let missing = ArchiveChunk(body: [3]).id
    try equal(
      try await refusal {
        try await archive.restart(
          from: snapshot,
          .init(image: [], chunks: [1: missing]),
          [],
          catalog: [9],
          in: term
        )
      },
      .notFound("chunk \(missing)")
    )
    try equal(try await head(archive).mark, Self.mark(6))
    try equal(await archive.segments(after: 0, bytes: .max).count, 6)
    let list = ArchiveSnapshot.List(image: [2], chunks: [1: chunks[0].id])
    try await checkRestart(of: archive, from: snapshot, list, term)
    let later = try await lead(archive)
    // Leading removes nothing of it.
    try equal(await archive.segments(after: 0, bytes: .max).count, 2)
    try equal(await archive.snapshots(), [snapshot])
    try await archive.restart(from: snapshot, list, [], catalog: [9], in: later)
    let other = try open()
    try equal(try await head(other).mark, snapshot.mark)
    try equal(await other.segments(after: 0, bytes: .max), [])
    try equal(await other.snapshots(), [snapshot])
    try equal(await other.list(of: 4), list)
    try equal(await other.catalog(), [9])
    try equal(await other.missing(chunks.map(\.id)), [chunks[1].id])
    let next = Self.segment(through: 5, "rewritten", after: snapshot.mark, epoch: later.epoch)
    try await archive.append(next, catalog: nil, in: later)
    try equal(await other.segments(after: 0, bytes: .max), [next])
    try await archive.release(later)
    try await lead(other, "bob")
    try equal(
      try await refusal {
        try await archive.restart(from: Self.snapshot(9), list, [], catalog: [1], in: later)
      },
      .refused
    )
  }

  /// The head moves on with the segments, so what the archive had acknowledged is never away.
  private func checkRestart(
    of archive: any Archive,
    from snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    _ term: ArchiveTerm
  ) async throws {
    let (five, seven) = (
      Self.segment(through: 5, "rewritten", after: snapshot.mark, epoch: term.epoch),
      Self.segment(through: 7, "rewritten", after: Self.mark(6), epoch: term.epoch)
    )
    guard
      case .unusable = try await refusal({
        try await archive.restart(from: snapshot, list, [five, seven], catalog: [9], in: term)
      })
    else { throw Failure(description: "segments with a gap are taken") }
    let former = Self.segment(through: 5, "rewritten", after: snapshot.mark, epoch: term.epoch - 1)
    try equal(
      try await refusal {
        try await archive.restart(from: snapshot, list, [former], catalog: [9], in: term)
      },
      .refused
    )
    try equal(await archive.segments(after: 0, bytes: .max).count, 6)
    let six = Self.segment(through: 6, "rewritten", after: five.end, epoch: term.epoch)
    try await archive.restart(from: snapshot, list, [five, six], catalog: [8], in: term)
    try equal(try await head(try open()).mark, six.end)
    try equal(await archive.segments(after: 0, bytes: .max), [five, six])
    try equal(await archive.gaps(), [])
  }

  private func checkRemovedStore() async throws {
    let (archive, former) = try await led(segments: 3)
    let chunk = ArchiveChunk(body: [1, 2, 3])
    try await archive.add([chunk], in: former)
    let list = ArchiveSnapshot.List(image: [4], chunks: [1: chunk.id])
    try await archive.add(Self.snapshot(2), list, catalog: [5], in: former)
    let term = try await lead(archive)
    let other = try open()
    let bytes = try await other.bytes()
    try expect(bytes >= 5, "it has \(bytes) bytes")
    try equal(try await refusal { try await other.removeStore(in: former) }, .refused)
    try equal(await other.snapshots().count, 1)
    try equal(await other.segments(after: 0, bytes: .max).count, 3)
    try await other.removeStore(in: term)
    try equal(await archive.head(), nil)
    try equal(await archive.bytes(), 0)
    try equal(await archive.segments(after: 0, bytes: .max), [])
    try equal(await archive.snapshots(), [])
    try equal(await archive.missing([chunk.id]), [chunk.id])
    try equal(try await refusal { _ = try await archive.catalog() }, .empty)
    try equal(try await refusal { try await archive.renew(term) }, .empty)
    // Another store may start there.
    let next = try await lead(archive)
    let segment = Self.segment(1...1, epoch: next.epoch)
    try await archive.append(segment, catalog: nil, in: next)
    try equal(await other.segments(after: 0, bytes: .max), [segment])
  }

  private func checkRemoval() async throws {
    let (archive, term) = try await led(segments: 6)
    let fills: [UInt8] = [0, 1, 2, 3]
    let chunks = fills.map { ArchiveChunk(body: [$0]) }
    try await archive.add(chunks, in: term)
    // The first chunk is in both, the second in the older, the third in the newer one.
    let lists: [(Int64, [Int])] = [(2, [0, 1]), (4, [0, 2])]
    for (revision, numbers) in lists {
      var list: [Int64: ArchiveChunk.ID] = [:]
      for number in numbers { list[Int64(number)] = chunks[number].id }
      try await archive.add(
        Self.snapshot(revision),
        .init(image: [], chunks: list),
        catalog: nil,
        in: term
      )
    }
    let other = try open()
    try await other.remove(segmentsThrough: 3, snapshots: [2, 3, 99])
    try equal(await archive.segments(after: 0, bytes: .max).map(\.end.revision), [4, 5, 6])
    try equal(await archive.snapshots().map(\.mark.revision), [4])
    // Those without a snapshot are new, so a leader may be about to list them.
    try equal(await archive.missing(chunks.map(\.id)), [])
    try await makeOld(other)
    try await other.remove(segmentsThrough: 0, snapshots: [])
    try equal(await archive.missing(chunks.map(\.id)), [chunks[1].id, chunks[3].id])
    try equal(await archive.list(of: 4).chunks, [0: chunks[0].id, 2: chunks[2].id])
    // Added again, it is new again.
    try await archive.renew(term)
    try await archive.add([chunks[3]], in: term)
    try await other.remove(segmentsThrough: 0, snapshots: [])
    try equal(await archive.missing([chunks[3].id]), [])
    // The end of all segments is still the head.
    try await other.remove(segmentsThrough: 6, snapshots: [4])
    try equal(try await head(archive).mark, Self.mark(6))
    try equal(await archive.segments(after: 0, bytes: .max), [])
    try await archive.append(Self.segment(7...7, epoch: term.epoch), catalog: nil, in: term)
    try equal(await archive.segments(after: 0, bytes: .max).map(\.end.revision), [7])
  }

  private func makeOld(_ archive: any Archive) async throws { try await pass(.seconds(7_200)) }

  private func checkBodies() async throws {
    let (archive, term) = try await led()
    var generator = SeededGenerator(seed: 1)
    let bytes: [UInt8] = (0..<300_000).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    let reversed: [UInt8] = bytes.reversed()
    let sample = Self.segment(1...1, epoch: term.epoch)
    let segment = ArchiveSegment(
      start: sample.start,
      end: sample.end,
      epoch: term.epoch,
      deltas: 1,
      times: sample.times,
      body: bytes
    )
    try await archive.append(segment, catalog: reversed, in: term)
    try equal(await archive.segments(after: 0, bytes: 1), [segment])
    try equal(await archive.catalog(), reversed)
    let chunks = [ArchiveChunk(body: bytes), ArchiveChunk(body: [])]
    try await archive.add(chunks, in: term)
    for chunk in chunks { try equal(await archive.chunks([chunk.id]), [chunk]) }
    let list = ArchiveSnapshot.List(image: bytes, chunks: [1: chunks[0].id, 2: chunks[1].id])
    try await archive.add(Self.snapshot(1), list, catalog: nil, in: term)
    try equal(await archive.list(of: 1), list)
  }

  private func checkOpenedAgain() async throws {
    let leader = "host.example:42 “ann” ü\t'quoted'; DROP TABLE x"
    let first = try open()
    let head = try await first.lead(Self.candidate(leader))
    let term = ArchiveTerm(epoch: head.epoch, lease: Self.lease)
    let segment = Self.segment(1...3, epoch: term.epoch)
    try await first.append(segment, catalog: [1], in: term)
    let second = try open()
    try equal(try await self.head(second).leader, leader)
    try equal(try await self.head(second).mark, segment.end)
    // The term goes on in another value.
    let next = Self.segment(4...4, epoch: term.epoch)
    try await second.append(next, catalog: nil, in: term)
    try equal(await first.segments(after: 0, bytes: .max), [segment, next])
    try equal(first.name, second.name)
  }
}
