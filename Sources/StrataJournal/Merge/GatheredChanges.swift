/// The changes of consecutive deltas for a merge: those of large deltas stay in the file.
package struct GatheredChanges {
  private let journal: Journal
  /// Deltas that are not read.
  private let recent: RecentDeltas
  private var runs: [ChangeRun] = []
  /// The changes after the last run.
  private var overlay = Overlay()

  package init(in journal: Journal, holding recent: RecentDeltas = RecentDeltas()) {
    (self.journal, self.recent) = (journal, recent)
  }

  /// Adds the next delta of a replay and verifies it, or the next ones that are held; returns when the last one was made
  /// and how many bytes were read, nil at the end.
  package mutating func addNext(
    of replay: inout JournalReplay
  ) throws -> (time: Int64, bytes: Int)? {
    if let run = recent.run(after: replay.revision) {
      try replay.pass(after: run.start, through: run.end)
      closeOverlay()
      runs.append(.held(run.changes.sorted()))
      return (run.time, 0)
    }
    guard let next = try replay.peek() else { return nil }
    if let delta = try largeDelta(next, of: &replay) {
      closeOverlay()
      runs.append(.stored(delta))
    } else {
      try replay.passNext { overlay.add($0) }
    }
    return (next.header.time, next.header.bytes)
  }

  /// Passes the next delta of a replay; nil if it is small, or not sorted, as the delta of a commit is.
  private func largeDelta(
    _ next: StoredDelta,
    of replay: inout JournalReplay
  ) throws -> LargeDelta? {
    guard next.header.blocks >= LargeDelta.leastBlocks else { return nil }
    let revision = next.header.revision
    var first = LargeDelta(revision, in: journal)
    first.add(try ChangeBlock(next.body, of: "block 0 of delta \(revision)"))
    guard first.isSorted else { return nil }
    var (delta, passed) = (LargeDelta(revision, in: journal), replay)
    try passed.passNext { delta.add($0) }
    guard delta.isSorted else { return nil }
    replay = passed
    return delta
  }

  private mutating func closeOverlay() {
    if overlay.isEmpty { return }
    runs.append(.held(overlay.sorted()))
    overlay = Overlay()
  }

  /// The changes in the order of their deltas.
  package consuming func finish() -> [ChangeRun] {
    closeOverlay()
    return runs
  }
}
