import StrataBase

/// The result of reading a file, with the snapshot it was read from.
package struct ReadResult<Contents> {
  package let contents: Contents
  /// The snapshot it was read from.
  package let base: StoredSnapshot
  /// Newer snapshots that are damaged.
  package let damaged: Set<Revision>
  /// The replay of the deltas after the snapshot: their end and their size.
  package let replay: JournalReplay
  /// A note for each damaged snapshot.
  package let notes: [String]
}

extension ReadView {
  /// How much of a snapshot has to be verified.
  package enum Extent {
    /// All of it, including what `body` did not read.
    case whole
    /// What `body` read: for a caller that needs only a few entities.
    case visited
  }

  /// The snapshots that a read may start from.
  package enum Candidates {
    /// Those that the journal continues; a revision before them is reported as trimmed.
    case anchors
    /// Every verified one; missing deltas are reported as damage.
    case verified
  }

  /// Reads the entities at a revision, from the nearest snapshot at or before it.
  ///
  /// This is the one place that merges a snapshot with the deltas after it for a reader.
  ///
  /// O(that snapshot, and the deltas after it); of the snapshot only what is in the scope. A damaged snapshot is skipped if the deltas since an older
  /// one are complete; then `body` is called again, so it must not keep anything from an earlier call. An
  /// error of `body` other than corruption is thrown after the snapshot was verified, so that damage is
  /// reported first.
  package func read<Contents>(
    at revision: Revision,
    from candidates: Candidates = .anchors,
    extent: Extent = .whole,
    scope: ReadScope = .everything,
    _ meter: ProgressMeter? = nil,
    _ body: (inout MergeIterator) throws -> Contents
  ) throws -> ReadResult<Contents> {
    guard revision >= 0, revision <= last.revision else {
      throw PersistenceError.Reason.notReached(revision, last: last.revision)
    }
    var meter = meter
    var failures: [String] = []
    var notes: [String] = []
    var damaged: Set<Revision> = []
    for base in snapshots(candidates, upTo: revision) {
      do {
        var (merge, replay) = try merge(base, scope, through: revision, &meter)
        let contents = Result { try body(&merge) }
        if case .failure(let error as CorruptionError) = contents { throw error }
        if extent == .whole { try merge.verifyRest() }
        return ReadResult(
          contents: try contents.get(),
          base: base,
          damaged: damaged,
          replay: replay,
          notes: notes
        )
      } catch let error as CorruptionError {
        failures.append("\(error)")
        damaged.insert(base.header.revision)
        notes.append("skipped snapshot \(base.header.revision): \(error)")
      }
    }
    // One failure for each snapshot that was tried, the newest first.
    if !failures.isEmpty { throw CorruptionError(failures.joined(separator: "; and ")) }
    throw PersistenceError.Reason.trimmed(
      revision,
      oldest: anchors.last?.header.revision ?? last.revision
    )
  }

  /// Throws what reading the entities at a revision throws if it is not kept; reads no entity.
  ///
  /// O(snapshots + log deltas).
  package func checkIsKept(_ revision: Revision) throws {
    guard revision >= 0, revision <= last.revision else {
      throw PersistenceError.Reason.notReached(revision, last: last.revision)
    }
    guard let base = snapshots(.anchors, upTo: revision).first else {
      throw PersistenceError.Reason.trimmed(
        revision,
        oldest: anchors.last?.header.revision ?? last.revision
      )
    }
    if base.header.revision != revision { try checkIsEnd(revision) }
  }

  /// The revision before the first delta.
  package var startOfJournal: Revision { (first ?? last.revision.next).previous }

  /// Whether runs of the journal have indexes; also if that cannot be read.
  package var mayHaveIndexes: Bool {
    do {
      return try journal.index(after: 0) != nil
    } catch {
      return true
    }
  }

  package func snapshots(
    _ candidates: Candidates,
    upTo revision: Revision
  ) -> [StoredSnapshot] {
    switch candidates {
    case .verified: return verified.filter { $0.header.revision <= revision }
    case .anchors:
      let exact = verified.filter { $0.header.revision == revision }
      return exact + anchors.filter { $0.header.revision < revision }
    }
  }

  /// The merge of a snapshot and the deltas after it, up to a revision.
  private func merge(
    _ base: StoredSnapshot,
    _ scope: ReadScope,
    through revision: Revision,
    _ meter: inout ProgressMeter?
  ) throws -> (MergeIterator, JournalReplay) {
    var cursor = try cursor(base, scope)
    var replay = replay(after: base.header)
    var overlay = Overlay(scope)
    do {
      let start = base.header.revision.number
      meter?.begin(.replaying, total: Int(last.revision.number - start))
      try replay.replay(into: &overlay, in: scope, through: revision) {
        meter?.note(done: Int($0.number - start))
      }
      meter?.end()
      guard replay.revision == revision else { throw try merged(around: revision) }
    } catch let error as CorruptionError {
      // Damage of the snapshot is reported before damage of the deltas after it.
      try cursor.verifyAll()
      throw error
    }
    return (MergeIterator(cursor, overlay), replay)
  }
}
