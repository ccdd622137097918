/// The changes of consecutive deltas for a merge: those of large deltas stay in the file.
struct GatheredChanges {
  private let journal: Journal
  private var runs: [ChangeRun] = []
  /// The changes after the last run.
  private var overlay = Overlay()

  init(in journal: Journal) { self.journal = journal }

  /// Adds the next delta of a replay and verifies it; returns its header, nil at the end.
  mutating func addNext(of replay: inout JournalReplay) throws -> DeltaHeader? {
    guard let header = try replay.peek() else { return nil }
    if header.blocks >= LargeDelta.leastBlocks {
      var passed = replay
      var delta = LargeDelta(header.revision, in: journal)
      try passed.passNext { delta.add($0) }
      if delta.isSorted {
        replay = passed
        closeOverlay()
        runs.append(.stored(delta))
        return header
      }
    }
    try replay.passNext { overlay.add($0) }
    return header
  }

  private mutating func closeOverlay() {
    if overlay.isEmpty { return }
    runs.append(.held(overlay.sorted()))
    overlay = Overlay()
  }

  /// The changes in the order of their deltas.
  consuming func finish() -> [ChangeRun] {
    closeOverlay()
    return runs
  }
}
