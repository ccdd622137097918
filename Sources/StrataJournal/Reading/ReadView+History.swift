package import Foundation
package import StrataBase
import StrataSQLite

extension ReadView {
  /// The revision of a point in history.
  ///
  /// O(log deltas) for a time.
  package func revision(of point: HistoryPoint) throws -> Revision {
    switch point {
    case .revision(let revision): return revision
    case .snapshot(let name):
      let revision = names.first { $0.name == name }?.revision
      guard let revision, verified.contains(where: { $0.header.revision == revision }) else {
        throw PersistenceError.Reason.noSnapshot(name, among: names.map(\.name))
      }
      return revision
    case .time(let time):
      if Notice.isHeard, let held = try heldTimes(at: Scheduling.date) { Notice.report("\(held)") }
      return try self.revision(at: time)
    }
  }

  /// The times of the last commits, if they are ahead of the clock.
  ///
  /// O(1) if they are not, else O(log deltas).
  package func heldTimes(at now: Date) throws -> HeldTimes? {
    guard let time = try journal.last()?.header.time ?? snapshots.first?.header.time,
      HeldTimes.isAhead(time, of: now.microseconds)
    else { return nil }
    let before = try lastRevision(at: now.microseconds)
    let first = try journal.headers(after: before ?? 0, limit: 1).first?.header.first
    return HeldTimes(time: Date(microseconds: time), since: first ?? last.revision)
  }

  private func revision(at time: Date) throws -> Revision {
    // Rounds to the nearest microsecond, so that a time read from the file is exactly the stored one.
    if let found = try lastRevision(at: time.nearestMicrosecond) { return found }
    throw PersistenceError.Reason.beforeHistory(
      Date(microseconds: anchors.last?.header.time ?? identity.created)
    )
  }

  /// The last revision with a time at or before one, in microseconds since 1970; nil if there is none.
  ///
  /// The times of deltas never decrease, so it is found by a binary search.
  private func lastRevision(at time: Int64) throws -> Revision? {
    var found: Revision?
    var low = first?.number ?? 1
    var high = last.revision.number
    while low <= high {
      let middle = low + (high - low) / 2
      let header = try journal.headers(after: Revision(middle - 1), limit: 1).first?.header
      guard let header, header.time <= time else {
        high = middle - 1
        continue
      }
      found = header.revision
      low = header.revision.number + 1
    }
    if let found { return found }
    return anchors.last.flatMap { $0.header.time <= time ? $0.header.revision : nil }
  }

  /// The error for a revision that is not the end of a delta: it is inside merged commits, or missing.
  func merged(around revision: Revision) throws -> any Error {
    let header = try journal.headers(after: revision.previous, limit: 1).first?.header
    guard let header, header.first <= revision, header.first < header.revision else {
      return CorruptionError("the journal has no delta at revision \(revision)")
    }
    return PersistenceError.Reason.merged(header.first...header.revision)
  }

  /// The chain that the delta `first` continues: that of the delta before it, or of a snapshot.
  package func chain(before first: Revision) throws -> Checksum {
    guard first <= last.revision else {
      throw PersistenceError.Reason.notReached(first, last: last.revision)
    }
    let header = try journal.headers(after: first.previous, limit: 1).first?.header
    if let header, header.first < first { throw try merged(around: first) }
    let before = try journal.headers(before: first, limit: 1).first
    if let before, before.header.revision.next == first { return before.hash }
    let snapshot = verified.first { $0.header.revision.next == first }
    guard let snapshot, self.first.map({ $0 <= first }) ?? false else {
      throw PersistenceError.Reason.trimmed(
        first,
        oldest: anchors.last?.header.revision.next ?? last.revision
      )
    }
    return snapshot.header.chain
  }

  /// The chain at a revision: that of its delta, or of a snapshot; nil if there is none that ends there.
  package func chain(at revision: Revision) throws -> Checksum? {
    if revision == last.revision { return last.chain }
    let delta = try journal.headers(after: revision.previous, limit: 1).first
    if let delta, delta.header.revision == revision { return delta.hash }
    return verified.first { $0.header.revision == revision }?.header.chain
  }

  /// Throws if a revision is not the end of a delta.
  package func checkIsEnd(_ revision: Revision) throws {
    guard revision <= last.revision else {
      throw PersistenceError.Reason.notReached(revision, last: last.revision)
    }
    let header = try journal.headers(after: revision.previous, limit: 1).first?.header
    if header?.revision != revision { throw try merged(around: revision) }
  }
}
