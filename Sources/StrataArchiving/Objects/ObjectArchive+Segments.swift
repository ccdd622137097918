import Foundation
import StrataBase
public import StrataJournal

/// Segments.
extension ObjectArchive {
  /// Appends a segment after the head: two puts, and one more with a catalog.
  public func append(
    _ segment: ArchiveSegment,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) async throws(ArchiveError) {
    var named: [SegmentName] = []
    do throws(ArchiveError) {
      try await change(in: term, flaw: segment.flaw) { change in
        guard change.head.mark == segment.start, segment.epoch == term.epoch else {
          throw ArchiveError.Reason.refused
        }
        let round = change.head.round
        let name = SegmentName(segment, round: round)
        named.append(name)
        change.put(try segment.object(), as: .segment(name))
        change.put(catalog: catalog, round: round)
        change.head.mark = segment.end
      }
    } catch  where error.reason == .refused && !named.isEmpty {
      // The head was put, no answer came, and the head of another leader is there since.
      guard try await hasAny(of: named, after: segment.start) else { throw error }
    }
  }

  /// Whether the head has one of some segments in its history.
  private func hasAny(
    of segments: [SegmentName],
    after start: HistoryMark
  ) async throws(ArchiveError) -> Bool {
    try await perform {
      try await readHistory { head in
        try await segmentNames(of: head, after: start.revision).contains { segments.contains($0) }
      } ?? false
    }
  }

  /// The segments that have a delta after a revision.
  public func segments(
    after revision: Revision,
    bytes: Int
  ) async throws(ArchiveError) -> [ArchiveSegment] {
    try await perform {
      try await readHistory { head in
        let names = try await segmentNames(of: head, after: revision).prefix(1_000).map { name in
          (ObjectName.segment(name).text, name)
        }
        // A segment that is removed now leaves a gap, as if it had been removed before.
        let objects = try await get(names.map(\.0), bytes: bytes)
        let known = Dictionary(uniqueKeysWithValues: names)
        return try objects.compactMap { object in
          try known[object.name].map { try ArchiveSegment(object.body, $0) }
        }
      } ?? []
    }
  }

  /// The revisions that no segment has, as the head says.
  public func gaps() async throws(ArchiveError) -> [ClosedRange<Revision>] {
    try await perform {
      try await foundHead()?.head.gaps.map { gap in
        gap.after.revision.next...gap.through.revision
      } ?? []
    }
  }

  /// An image of the store without its history: everything that is in no delta.
  public func catalog() async throws(ArchiveError) -> [UInt8] {
    try await perform {
      guard let body = try await readCatalog(Self.attempts) else {
        throw ArchiveError.Reason.notFound("catalog")
      }
      return body
    }
  }

  /// The head may be replaced after it was read, and its catalog removed; then it is read again.
  private func readCatalog(_ attempts: Int) async throws -> [UInt8]? {
    guard let found = try await foundHead() else { throw ArchiveError.Reason.empty }
    guard attempts > 0, let name = found.head.catalog else { return nil }
    if let object = try await get(name) { return object.body }
    return try await readCatalog(attempts - 1)
  }

  /// Reads objects of one history; nil while there is no store.
  ///
  /// A restart replaces the head, and then removes the objects of the former history: what was read then is read again.
  func readHistory<R>(_ body: (ObjectHead) async throws -> R) async throws -> R? {
    while let head = try await foundHead()?.head {
      let result: Result<R, any Error>
      do {
        result = .success(try await body(head))
      } catch {
        result = .failure(error)
      }
      if try await foundHead()?.head.history == head.history { return try result.get() }
    }
    return nil
  }

  /// The segments of a head that have a delta after a revision, in order.
  ///
  /// The last one ends where the head is, and each starts where the one before it ends, or at the snapshot of a gap. Where
  /// a segment was lost, the ones before the hole count all the same.
  func segmentNames(of head: ObjectHead, after revision: Revision) async throws -> [SegmentName] {
    let limit = max(revision, head.begin)
    guard limit < head.mark.revision else { return [] }
    let first = ObjectName.segments + ObjectName.padded(limit.next)
    var candidates: [SegmentName] = []
    for entry in try await list(ObjectName.segments, after: first) {
      if case .segment(let name) = ObjectName(entry.name), name.round >= head.history {
        candidates.append(name)
      }
    }
    candidates.sort { ($0.end.revision, $0.round) < ($1.end.revision, $1.round) }
    // Of several that end at one mark, the later one that continues another was named: one that was put, and whose head was
    // not, is left over.
    let gaps = Dictionary(head.gaps.map { ($0.through, $0) }) { _, last in last }
    var continuing: [HistoryMark: SegmentName] = [:]
    var ending: [HistoryMark: SegmentName] = [:]
    for name in candidates {
      ending[name.end] = name
      if name.start.revision <= limit || gaps[name.start] != nil || continuing[name.start] != nil {
        continuing[name.end] = name
      }
    }
    var names: [SegmentName] = []
    var end = head.mark
    while end.revision > limit {
      if let name = continuing[end] ?? ending[end] {
        names.append(name)
        end = name.start
      } else if let gap = gaps[end] {
        end = gap.after
      } else if let name = candidates.last(where: { $0.end.revision < end.revision }) {
        names.append(name)
        end = name.start
      } else {
        break
      }
    }
    return names.reversed()
  }
}

/// The form of a segment: a line of JSON, then the frames.
private struct SegmentHeader: HashedJSON {
  var start: HistoryMark
  var end: HistoryMark
  var epoch: Int64
  var deltas: Int
  /// Microseconds since 1970.
  var times: [Int64]
  var hash: String?
}

extension ArchiveSegment {
  func object() throws -> [UInt8] {
    let header = SegmentHeader(
      start: start,
      end: end,
      epoch: epoch,
      deltas: deltas,
      times: [times.lowerBound.nearestMicrosecond, times.upperBound.nearestMicrosecond]
    )
    return try header.encoded() + [0x0A] + body
  }

  fileprivate init(_ object: [UInt8], _ name: SegmentName) throws {
    let place = "segment \(name.text)"
    guard let line = object.firstIndex(of: 0x0A) else {
      throw CorruptionError("\(place) is cut off")
    }
    let header = try SegmentHeader(reading: object[..<line], of: "the header of \(place)")
    guard header.times.count == 2, header.times[0] <= header.times[1],
      (header.start, header.end) == (name.start, name.end)
    else {
      throw CorruptionError("the header of \(place) is not its own")
    }
    self.init(
      start: header.start,
      end: header.end,
      epoch: header.epoch,
      deltas: header.deltas,
      times: Date(microseconds: header.times[0])...Date(microseconds: header.times[1]),
      body: Array(object[(line + 1)...])
    )
    if let flaw { throw CorruptionError("\(flaw), as \(name.text) says") }
  }
}
