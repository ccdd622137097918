public import Foundation
import StrataBase
package import StrataJournal

/// Some deltas, one after another, as an archive keeps them.
public struct ArchiveSegment: Sendable, Equatable {
  /// Where it starts: the end of the segment before it.
  public let start: HistoryMark
  /// Where it ends.
  public let end: HistoryMark
  /// The epoch of the leader that appended it.
  public let epoch: Int64
  /// The number of its deltas.
  public let deltas: Int
  /// When the first and the last of its deltas were committed.
  public let times: ClosedRange<Date>
  /// The deltas as frames: see `OnDiskFormat`.
  public let body: [UInt8]

  /// Creates a segment, as an archive reads it.
  public init(
    start: HistoryMark,
    end: HistoryMark,
    epoch: Int64,
    deltas: Int,
    times: ClosedRange<Date>,
    body: [UInt8]
  ) {
    self.start = start
    self.end = end
    self.epoch = epoch
    self.deltas = deltas
    self.times = times
    self.body = body
  }

  /// A segment of frames that continue each other; nil if there are none.
  package init?(of frames: [DeltaFrame], epoch: Int64) {
    guard let first = frames.first, let last = frames.last else { return nil }
    self.init(
      start: HistoryMark(first.header.first.previous, first.chainBefore),
      end: HistoryMark(last.header.revision, last.chain),
      epoch: epoch,
      deltas: frames.count,
      times: Date(microseconds: first.header.time)...Date(microseconds: last.header.time),
      body: frames.reduce(into: []) { $0 += $1.encoded() }
    )
  }

  /// Why it cannot continue a history; nil if it can.
  ///
  /// Its deltas are checked by ``frames()``.
  package var flaw: String? {
    guard start.isWellFormed, end.isWellFormed, start.revision < end.revision, deltas > 0,
      Int64(deltas) <= end.revision.number - start.revision.number, !body.isEmpty
    else {
      return "no segment of \(body.count) bytes has \(deltas) deltas from \(start) to \(end)"
    }
    return body.count > Self.sizeLimit ? "a segment of \(body.count) bytes is too large" : nil
  }

  /// Why segments cannot be a history after a snapshot; nil if they can.
  package static func flaw(
    of segments: [ArchiveSegment],
    after snapshot: ArchiveSnapshot
  ) -> String? {
    if let flaw = snapshot.flaw { return flaw }
    var end = snapshot.mark
    for segment in segments {
      if let flaw = segment.flaw { return flaw }
      if segment.start != end {
        return "a segment begins at \(segment.start), and \(end) is before it"
      }
      end = segment.end
    }
    return nil
  }

  /// What an archive lacks between its segments, and after them up to the head.
  ///
  /// Where no snapshot takes the place of what is missing, segments were lost: that is damage, and no gap.
  ///
  /// - Parameters:
  ///   - runs: The revisions of each segment, in order.
  ///   - last: The revision of the head.
  package static func gaps(
    between runs: [ClosedRange<Revision>],
    _ last: Revision,
    snapshots: Set<Revision>
  ) -> [ClosedRange<Revision>] {
    var gaps: [ClosedRange<Revision>] = []
    for (run, next) in zip(runs, runs.dropFirst().map(\.lowerBound) + [last.next])
    where run.upperBound.next < next && snapshots.contains(next.previous) {
      gaps.append(run.upperBound.next...next.previous)
    }
    return gaps
  }

  /// The size of the largest body.
  package static let sizeLimit = 512 << 20

  /// Its deltas, each verified; O(bytes).
  ///
  /// - Throws: `CorruptionError` if they do not match the header of the segment.
  package func frames() throws(CorruptionError) -> [DeltaFrame] {
    var rest = body[...]
    var frames: [DeltaFrame] = []
    var end = start
    while !rest.isEmpty {
      let frame = try DeltaFrame(readingFrom: &rest, after: frames.last)
      let begin = HistoryMark(frame.header.first.previous, frame.chainBefore)
      guard begin == end else {
        throw CorruptionError(
          "a frame of a segment begins at \(begin), the one before ends at \(end)"
        )
      }
      end = HistoryMark(frame.header.revision, frame.chain)
      frames.append(frame)
    }
    guard end == self.end, frames.count == deltas else {
      throw CorruptionError(
        """
        a segment has \(frames.count) deltas through \(end), it says \(deltas) through \(self.end)
        """
      )
    }
    return frames
  }
}
