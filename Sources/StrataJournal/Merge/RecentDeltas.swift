package import StrataRecords

/// The changes of deltas that a writer has appended and still holds, so that its next snapshot need not read and verify
/// each of them again.
///
/// They are held in runs of deltas that follow each other. What does not fit is read from the file, as is what an
/// earlier writer has appended. Of a large delta nothing is held: see ``LargeDelta``.
package struct RecentDeltas {
  /// Deltas that follow each other.
  struct Run {
    /// The delta before the first one.
    let start: HeadRecord.Mark
    fileprivate(set) var end: HeadRecord.Mark
    /// When the last one was made.
    fileprivate(set) var time: Int64
    fileprivate(set) var changes = Overlay()
    fileprivate var bytes = 0
    /// Whether the next delta is one of another run.
    fileprivate var isEnded = false
  }

  /// The most bytes that are held: 8 MB.
  private static let limit = 8 << 20
  private static let mostRuns = 16

  private var runs: [Run] = []
  private var bytes = 0

  package init() {}

  /// Adds a delta that follows `before`, whose only block is `body`; O(entries).
  package mutating func add(
    _ body: [UInt8],
    at time: Int64,
    from before: HeadRecord.Mark,
    to after: HeadRecord.Mark
  ) throws(RecordError) {
    guard bytes < Self.limit else { return }
    if runs.last.map({ $0.isEnded || $0.end != before }) ?? true {
      guard runs.count < Self.mostRuns else { return }
      runs.append(Run(start: before, end: before, time: time))
    }
    let block = try ChangeBlock(body)
    let size = body.count + block.entries.count * MemoryLayout<ChangeBlock.Entry>.stride
    let last = runs.count - 1
    runs[last].changes.add(block)
    (runs[last].end, runs[last].time) = (after, time)
    runs[last].bytes += size
    bytes += size
  }

  /// Ends the last run, so that a snapshot of all deltas so far can do without it.
  package mutating func endRun() {
    if !runs.isEmpty { runs[runs.count - 1].isEnded = true }
  }

  /// Releases what a snapshot holds.
  package mutating func remove(through revision: Revision) {
    runs.removeAll { $0.end.revision <= revision }
    bytes = runs.reduce(0) { $0 + $1.bytes }
  }

  /// The deltas after a revision, if they are held.
  func run(after revision: Revision) -> Run? {
    runs.first { $0.start.revision == revision && $0.end.revision > revision }
  }
}
