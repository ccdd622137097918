package import StrataJournal

/// The number of commits over time, in equal spans.
///
/// It grows with the journal without reading it again, but its memory is bounded: instead of more than
/// ``most`` spans, each pair of spans becomes one.
package struct CommitRate: Sendable, Equatable {
  package struct Bucket: Sendable, Equatable {
    package var deltas = 0
    /// The last revision at the end of the span; if it has no delta, that of the span before it.
    package var last: Int64 = 0
  }

  /// The largest number of buckets.
  package static let most = 400

  /// The time of the first delta, in microseconds since 1970.
  package private(set) var start: Int64 = 0
  /// The time of the last delta.
  package private(set) var end: Int64 = 0
  /// The length of a bucket in microseconds.
  package private(set) var length: Int64 = 1
  package private(set) var buckets: [Bucket] = []
  package private(set) var deltas: Int64 = 0
  /// The last revision that was counted.
  package fileprivate(set) var revision: Revision = 0
  /// The first revision of the journal that was counted.
  package fileprivate(set) var first: Revision?
  /// Where the journal ended that was counted.
  fileprivate var position: Position?

  package init() {}

  /// Counts a delta after all others.
  package mutating func add(_ revision: Revision, at time: Int64) {
    if buckets.isEmpty {
      start = time
      end = time
    }
    // A forged time may be before that of the first delta.
    let (distance, overflows) = time.subtractingReportingOverflow(start)
    let passed = overflows ? Int64.max : max(0, distance)
    while passed / length >= Int64(Self.most) { halve() }
    let number = Int(passed / length)
    while buckets.count <= number {
      buckets.append(Bucket(last: buckets.last?.last ?? revision.number))
    }
    buckets[number].deltas += 1
    for index in number..<buckets.count { buckets[index].last = revision.number }
    end = max(end, time)
    deltas += 1
    self.revision = revision
  }

  /// Joins each pair of buckets.
  private mutating func halve() {
    var merged: [Bucket] = []
    for index in stride(from: 0, to: buckets.count, by: 2) {
      var bucket = buckets[index]
      if index + 1 < buckets.count {
        bucket.deltas += buckets[index + 1].deltas
        bucket.last = buckets[index + 1].last
      }
      merged.append(bucket)
    }
    buckets = merged
    length *= 2
  }
}

extension Inspector {
  /// How many deltas are counted before the statement ends.
  private static let slice = 50_000

  /// The rate of the commits of the journal.
  ///
  /// O(deltas); with an earlier rate of the same history, O(deltas since then). Only their times are read,
  /// without verification.
  package func rate(continuing earlier: CommitRate? = nil) throws(PersistenceError) -> CommitRate {
    try query { view in
      var rate = CommitRate()
      if let earlier, let position = earlier.position, earlier.first == view.first,
        try view.continues(position), earlier.revision <= view.last.revision
      {
        rate = earlier
      }
      rate.first = view.first
      rate.position = view.position
      var counted = rate.revision
      while counted < view.last.revision {
        let before = counted
        try view.journal.forEachTime(after: counted, limit: Self.slice) { revision, time in
          counted = revision
          if revision <= view.last.revision { rate.add(revision, at: time) }
        }
        if counted == before { break }
      }
      return rate
    }
  }
}
