import StrataBase

/// What was read of a file, and from where.
package struct Reading<Contents> {
  package let contents: Contents
  /// The snapshot it was read from.
  package let base: StoredSnapshot
  /// Newer snapshots that turned out damaged.
  package let damaged: Set<Revision>
  /// How far the deltas after the snapshot reach, and what they weigh.
  package let replay: JournalReplay
  /// A sentence for each damaged snapshot.
  package let notes: [String]
}

extension ReadView {
  /// How much of a snapshot has to be sound for an answer.
  package enum Extent {
    /// All of it, also what was not looked at.
    case whole
    /// What was looked at: for an answer that needs a few entities.
    case visited
  }

  /// Which snapshots a reading may start from.
  package enum Candidates {
    /// Those that the journal continues from; a revision that was trimmed is refused as such.
    case anchors
    /// Every verified one: what is missing of the journal is damage.
    case verified
  }

  /// Reads the entities at a revision, from the nearest snapshot at or before it.
  ///
  /// O(that snapshot, and the deltas after it). A damaged snapshot is skipped as long as the deltas since
  /// an older one are all there; then `body` is called again, so it has to start from nothing. What else
  /// it throws is thrown once the snapshot has turned out sound, so that damage is reported first.
  package func read<Contents>(
    at revision: Revision,
    from candidates: Candidates = .anchors,
    extent: Extent = .whole,
    _ meter: ProgressMeter? = nil,
    _ body: (inout MergeIterator) throws -> Contents
  ) throws -> Reading<Contents> {
    guard revision >= 0, revision <= last.revision else {
      throw PersistenceError.Reason.notReached(revision, last: last.revision)
    }
    var meter = meter
    var failures: [String] = []
    var notes: [String] = []
    var damaged: Set<Revision> = []
    for base in snapshots(candidates, upTo: revision) {
      do {
        var (merge, replay) = try merge(base, through: revision, &meter)
        let contents = Result { try body(&merge) }
        if case .failure(let error as CorruptionError) = contents { throw error }
        if extent == .whole { try merge.verifyRest() }
        return Reading(
          contents: try contents.get(),
          base: base,
          damaged: damaged,
          replay: replay,
          notes: notes
        )
      } catch let error as CorruptionError {
        failures.append("\(error)")
        damaged.insert(base.header.revision)
        notes.append("skipped the snapshot at revision \(base.header.revision): \(error)")
      }
    }
    // Each names what broke: the newest snapshot first, then the gap after an older one.
    if !failures.isEmpty { throw CorruptionError(failures.joined(separator: "; and ")) }
    throw PersistenceError.Reason.trimmed(
      revision,
      oldest: anchors.last?.header.revision ?? last.revision
    )
  }

  private func snapshots(
    _ candidates: Candidates,
    upTo revision: Revision
  ) -> [StoredSnapshot] {
    switch candidates {
    case .verified: return verified.filter { $0.header.revision <= revision }
    case .anchors:
      let there = verified.filter { $0.header.revision == revision }
      return there + anchors.filter { $0.header.revision < revision }
    }
  }

  /// The merge of a snapshot and the deltas after it, up to a revision.
  private func merge(
    _ base: StoredSnapshot,
    through revision: Revision,
    _ meter: inout ProgressMeter?
  ) throws -> (MergeIterator, JournalReplay) {
    var cursor = try cursor(base)
    var replay = replay(after: base.header)
    var overlay = Overlay()
    do {
      let start = base.header.revision.number
      meter?.begin(.replaying, total: Int(last.revision.number - start))
      while replay.revision < revision, let (header, blocks) = try replay.next() {
        for block in blocks { overlay.add(block) }
        meter?.note(done: Int(header.revision.number - start))
      }
      meter?.end()
      guard replay.revision == revision else { throw try merged(around: revision) }
    } catch let error as CorruptionError {
      // What is wrong with the snapshot is reported before what is wrong after it.
      try cursor.verifyAll()
      throw error
    }
    return (MergeIterator(cursor, overlay), replay)
  }
}
