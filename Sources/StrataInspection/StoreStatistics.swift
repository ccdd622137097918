package import Foundation
import StrataBase
package import StrataJournal
import StrataRecords

/// What happened in the journal of a store, in numbers.
package struct StoreStatistics: Codable, Sendable, Equatable {
  /// The changes of a table, of an entity, or of the commits of one name.
  package struct Activity: Codable, Sendable, Equatable {
    /// The name of the table or of the commits.
    package var name: String
    /// The ID, for an entity.
    package var id: String?
    package var deltas = 0
    package var puts = 0
    package var removals = 0
    /// The bytes of the records that were put.
    package var bytes = 0

    package var changes: Int { puts + removals }
  }

  /// The commits of a span of time.
  package struct Bucket: Codable, Sendable, Equatable {
    package var start: Date
    package var deltas: Int
    package var changes: Int
  }

  /// The revisions that were counted: those after `after`, up to `through`.
  package var after: Int64
  package var through: Int64
  package var start: Date?
  package var end: Date?
  package var deltas = 0
  package var changes = 0
  package var bytes: Int64 = 0
  /// Those with the most changes first.
  package var tables: [Activity] = []
  package var commits: [Activity] = []
  package var entities: [Activity] = []
  /// The seconds of a bucket.
  package var bucketSeconds = 0
  package var buckets: [Bucket] = []
}

extension Inspector {
  /// Statistics of the deltas between two points.
  ///
  /// O(journal), in about the memory of the IDs of the changed entities.
  ///
  /// - Parameters:
  ///   - since: Only deltas after this point; nil for the start of the journal.
  ///   - until: Only deltas up to this point.
  ///   - top: How many tables, names of commits and entities are listed.
  package func statistics(
    since: RevisionExpression? = nil,
    until: RevisionExpression = .head(back: 0),
    top: Int = 10
  ) throws(PersistenceError) -> StoreStatistics {
    try query { view in
      let end = min(try view.revision(of: until), view.last.revision)
      let start = try since.map { try view.start(after: $0) } ?? view.startOfJournal
      var count = ActivityCount(
        StoreStatistics(after: start.number, through: end.number),
        from: try view.journal.headers(after: start, limit: 1).first?.header,
        to: try view.journal.headers(before: end.next, limit: 1).first?.header
      )
      guard start < end else { return count.finish(top) }
      var changes = try view.changes(after: start)
      while changes.revision < end, let (header, blocks) = try changes.next() {
        guard header.revision <= end else { break }
        count.add(header, blocks)
      }
      return count.finish(top)
    }
  }
}

/// Counts what deltas changed.
private struct ActivityCount {
  private struct Key: Hashable {
    let table: String
    let id: [UInt8]
  }

  private var statistics: StoreStatistics
  private var tables: [String: StoreStatistics.Activity] = [:]
  private var commits: [String: StoreStatistics.Activity] = [:]
  private var entities: [Key: StoreStatistics.Activity] = [:]
  /// The start of the first bucket in microseconds since 1970, and the length of each.
  private let first: Int64
  private let length: Int64

  /// The largest number of buckets.
  private static let most: Int64 = 60
  private static let lengths: [Int64] = [
    1, 5, 15, 60, 300, 900, 3_600, 10_800, 21_600, 86_400, 604_800, 2_592_000, 31_536_000,
  ]

  init(_ statistics: StoreStatistics, from start: DeltaHeader?, to end: DeltaHeader?) {
    self.statistics = statistics
    let (start, end) = (start?.time ?? 0, end?.time ?? 0)
    let seconds = max(0, end - start) / 1_000_000
    let length =
      Self.lengths.first { seconds / $0 < Self.most - 1 } ?? seconds / (Self.most - 1) + 1
    self.length = length * 1_000_000
    first = start - Self.remainder(start, self.length)
  }

  private static func remainder(_ time: Int64, _ length: Int64) -> Int64 {
    let rest = time % length
    return rest < 0 ? rest + length : rest
  }

  mutating func add(_ header: DeltaHeader, _ blocks: [ChangeBlock]) {
    let time = Date(microseconds: header.time)
    statistics.start = statistics.start ?? time
    statistics.end = time
    statistics.deltas += 1
    statistics.bytes += Int64(header.bytes)
    var changes = 0
    var touched: Set<String> = []
    commits[header.name, default: .init(name: header.name)].deltas += 1
    for block in blocks {
      for entry in block.entries {
        let (table, id) = (block.table(of: entry), Array(block.id(of: entry)))
        let key = Key(table: table, id: id)
        if touched.insert(table).inserted { tables[table, default: .init(name: table)].deltas += 1 }
        var activity = StoreStatistics.Activity(name: "")
        switch entry.change {
        case .put(_, let record): (activity.puts, activity.bytes) = (1, record.count)
        case .remove: activity.removals = 1
        case .notPersisted: continue
        }
        changes += 1
        tables[table, default: .init(name: table)].add(activity)
        commits[header.name, default: .init(name: header.name)].add(activity)
        activity.deltas = 1
        entities[key, default: .init(name: table)].add(activity)
      }
    }
    statistics.changes += changes
    // A forged time may be after that of the last delta.
    let number = Int(min(max(0, header.time - first) / length, Self.most))
    while statistics.buckets.count <= number {
      let start = first + Int64(statistics.buckets.count) * length
      statistics.buckets.append(.init(start: Date(microseconds: start), deltas: 0, changes: 0))
    }
    statistics.buckets[number].deltas += 1
    statistics.buckets[number].changes += changes
  }

  mutating func finish(_ top: Int) -> StoreStatistics {
    statistics.tables = Self.sorted(Array(tables.values), top)
    statistics.commits = Self.sorted(Array(commits.values), top)
    let most = entities.sorted { a, b in
      if a.value.changes != b.value.changes { return a.value.changes > b.value.changes }
      if a.key.table != b.key.table { return a.key.table < b.key.table }
      return a.key.id.lexicographicallyPrecedes(b.key.id)
    }
    statistics.entities = most.prefix(top).map { key, activity in
      var activity = activity
      activity.id = EncodedID.text(of: key.id[...])
      return activity
    }
    statistics.bucketSeconds = Int(length / 1_000_000)
    return statistics
  }

  private static func sorted(
    _ activities: [StoreStatistics.Activity],
    _ top: Int
  ) -> [StoreStatistics.Activity] {
    let sorted = activities.sorted { ($1.changes, $0.name) < ($0.changes, $1.name) }
    return Array(sorted.prefix(top))
  }
}

extension StoreStatistics.Activity {
  fileprivate mutating func add(_ other: Self) {
    deltas += other.deltas
    puts += other.puts
    removals += other.removals
    bytes += other.bytes
  }
}
