import StrataBase
package import StrataJournal
import StrataRecords

/// The conditions that a log puts on deltas: those that meet all of them are listed.
package struct LogFilter: Sendable, Equatable {
  /// A table of which the delta changed an entity.
  package var table: String?
  /// The ID of an entity that the delta changed, in the table or in any, as a person writes it.
  package var id: String?
  /// A text in the name of the commit, without regard to case.
  package var name: String?
  /// The user in the context of the commit.
  package var user: String?

  package init(
    table: String? = nil,
    id: String? = nil,
    name: String? = nil,
    user: String? = nil
  ) {
    self.table = table
    self.id = id
    self.name = name
    self.user = user
  }

  /// Whether it lists every delta.
  package var isEmpty: Bool { self == LogFilter() }
}

/// A ``LogFilter``, prepared for a file.
struct LogCondition {
  private let filter: LogFilter
  private let name: SearchText?
  private let ids: Set<[UInt8]>

  init(_ filter: LogFilter, in view: ReadView) throws {
    self.filter = filter
    name = filter.name.map { SearchText($0) }
    let tables = filter.table.map { [$0] } ?? view.allTables.sorted()
    ids =
      try filter.id.map { id in
        Set(try tables.flatMap { try view.ids(meantBy: id, in: $0) })
      } ?? []
  }

  /// Whether it looks at nothing but headers.
  var isOfHeaders: Bool { filter.table == nil && filter.id == nil }

  /// Whether a delta is listed.
  func accepts(_ header: DeltaHeader, _ blocks: [ChangeBlock]) throws -> Bool {
    guard try accepts(header) else { return false }
    return isOfHeaders || acceptsChanges(blocks)
  }

  private func accepts(_ header: DeltaHeader) throws -> Bool {
    if let name, !name.isIn(header.name) { return false }
    guard let user = filter.user else { return true }
    return try header.contexts().contexts.contains { $0.user == user }
  }

  /// The last revisions of the deltas in a range whose headers are accepted, in order; nil without a condition on them.
  ///
  /// O(deltas), whose changes are not read.
  func revisions(
    after start: Revision,
    through end: Revision,
    in journal: Journal
  ) throws -> [Revision]? {
    var found: [Revision] = []
    if filter.user != nil {
      var revision = start
      while revision < end {
        let headers = try journal.headers(after: revision, limit: 1_000)
        for (header, _) in headers where header.revision <= end {
          if try accepts(header) { found.append(header.revision) }
        }
        guard let last = headers.last?.header.revision, last > revision else { break }
        revision = last
      }
      return found
    }
    guard let name else { return nil }
    // Commits have few names.
    var known: [String: Bool] = [:]
    try journal.forEachName(after: start, through: end) { revision, text in
      var isFound = known[text]
      if isFound == nil {
        isFound = name.isIn(text)
        if known.count < 10_000 { known[text] = isFound }
      }
      if isFound == true { found.append(revision) }
    }
    return found
  }

  private func acceptsChanges(_ blocks: [ChangeBlock]) -> Bool {
    blocks.contains { block in
      let number = filter.table.map { block.tables.firstIndex(of: $0) }
      if case .some(nil) = number { return false }
      return block.entries.contains { entry in
        (number == nil || entry.table == number)
          && (filter.id == nil || ids.contains(Array(block.id(of: entry))))
      }
    }
  }
}

/// A range of the journal's deltas.
package enum JournalRange: Sendable, Equatable {
  /// The last deltas, this many.
  case last(Int)
  /// Up to a number of deltas after a revision.
  case after(Revision, limit: Int)
}

/// Deltas of the journal, and what is missing from their range.
package struct JournalPage: Sendable, Equatable {
  package var deltas: [DeltaSummary]
  /// How many deltas meet the conditions, as far as they were counted, if the range is the last of them.
  package var total = 0
  /// The last revision, if the range continues after the last of the deltas.
  package var more: Revision?
  /// The first revision that the journal still has, if the range starts before it.
  package var trimmed: Revision?
}

/// How much of the changes of its deltas a log shows.
package enum LogDetail: Sendable {
  /// Which entities were put.
  case puts
  /// Which of them were inserted and which updated.
  case kinds
  /// The same, and which fields of the updated ones changed.
  case fields
}

/// What a log lists.
package struct LogRequest: Sendable {
  package var range: JournalRange
  package var filter = LogFilter()
  /// Only deltas after this point; for a point before the journal, all from its start.
  package var since: RevisionExpression?
  /// Only deltas up to this point.
  package var until: RevisionExpression?
  package var detail = LogDetail.puts
  /// Whether the deltas that meet the conditions are counted, where only the last are read.
  package var counting = Counting.listed

  /// What ``JournalPage/total`` counts of the last deltas without a condition.
  package enum Counting: Sendable {
    case listed
    /// O(deltas).
    case all
  }

  package init(_ range: JournalRange) { self.range = range }
}

extension Inspector {
  /// Deltas of the journal in order, with the entities each changed; their hashes are verified.
  ///
  /// O(their entities).
  package func log(_ range: JournalRange) throws(PersistenceError) -> JournalPage {
    try log(LogRequest(range))
  }

  /// Deltas of the journal in order, with the entities each changed; their hashes are verified.
  ///
  /// O(their entities); with a filter, O(journal from `since` to `until`), of which only the headers are read where the
  /// filter is about nothing else. A detail above `.puts` also costs
  /// a read of these entities at the revision before the first delta. If that revision cannot be read, the
  /// log has the detail `.puts`.
  package func log(_ request: LogRequest) throws(PersistenceError) -> JournalPage {
    try query { view in
      let last = try request.until.map { min(try view.revision(of: $0), view.last.revision) }
      let bounds = LogBounds(
        since: try request.since.map { try view.start(after: $0) },
        until: last ?? view.last.revision
      )
      var deltas: [Replayed] = []
      var page = JournalPage(deltas: [], trimmed: view.trimmed(from: request.range, bounds))
      let condition = try LogCondition(request.filter, in: view)
      if let found = try found(condition, request, bounds, view) {
        page.deltas = try summaries(of: found.deltas, request, view)
        page.total = found.total
        page.more = found.more
        if case .last(let count) = request.range, found.deltas.count == count { page.trimmed = nil }
        return page
      }
      guard var replay = try view.replay(request, bounds) else { return page }
      read: while replay.revision < bounds.until, let (header, blocks) = try replay.next() {
        guard header.revision <= bounds.until else { break }
        guard try condition.accepts(header, blocks) else { continue }
        deltas.append(Replayed(header: header, blocks: blocks))
        page.total += 1
        switch request.range {
        case .last(let count): if deltas.count > count { deltas.removeFirst() }
        case .after(_, let limit):
          if deltas.count == limit {
            if replay.revision < bounds.until { page.more = bounds.until }
            break read
          }
        }
      }
      if case .last(let count) = request.range, deltas.count == count {
        page.trimmed = nil
        if request.counting == .all, request.filter.isEmpty {
          let start = bounds.since ?? view.startOfJournal
          page.total = try view.journal.count(after: start, through: bounds.until)
        }
      }
      page.deltas = try summaries(of: deltas, request, view)
      return page
    }
  }

  /// A delta as it was read.
  private struct Replayed {
    let header: DeltaHeader
    let blocks: [ChangeBlock]
  }

  /// The deltas whose headers meet a condition, found without the changes of others; nil where it is about more than that.
  private func found(
    _ condition: LogCondition,
    _ request: LogRequest,
    _ bounds: LogBounds,
    _ view: ReadView
  ) throws -> (deltas: [Replayed], total: Int, more: Revision?)? {
    guard condition.isOfHeaders else { return nil }
    var start = bounds.since ?? view.startOfJournal
    if case .after(let revision, _) = request.range { start = max(revision, bounds.since ?? 0) }
    guard
      let all = try condition.revisions(after: start, through: bounds.until, in: view.journal)
    else { return nil }
    switch request.range {
    case .last(let count):
      return (try all.suffix(count).map { try replayed($0, view) }, all.count, nil)
    case .after(_, let limit):
      let deltas = try all.prefix(limit).map { try replayed($0, view) }
      return (deltas, deltas.count, all.count > limit ? bounds.until : nil)
    }
  }

  /// The delta that ends at a revision, verified.
  private func replayed(_ revision: Revision, _ view: ReadView) throws -> Replayed {
    guard let header = try view.journal.headers(after: revision.previous, limit: 1).first?.header
    else { throw CorruptionError("delta \(revision) is missing") }
    var replay = view.replay(
      after: header.first.previous,
      chain: try view.chain(before: header.first),
      readingAhead: 0
    )
    guard let (header, blocks) = try replay.next(), header.revision == revision else {
      throw CorruptionError("delta \(revision) is missing")
    }
    return Replayed(header: header, blocks: blocks)
  }

  private func summaries(
    of deltas: [Replayed],
    _ request: LogRequest,
    _ view: ReadView
  ) throws -> [DeltaSummary] {
    var summaries: [DeltaSummary] = []
    for delta in deltas { summaries.append(try DeltaSummary(delta.header, delta.blocks)) }
    guard request.detail != .puts, let first = deltas.first else { return summaries }
    do {
      let start = first.header.first.previous
      var before = try EarlierEntities(
        of: deltas.flatMap(\.blocks),
        at: start,
        keepingRecords: request.detail == .fields,
        in: view
      )
      // The deltas that a filter leaves out count too.
      var others = request.filter.isEmpty ? nil : try view.changes(after: start)
      for (index, delta) in deltas.enumerated() {
        let end = delta.header.revision
        while others.map({ $0.revision < end }) ?? false,
          let (header, blocks) = try others?.next(changing: before.scope, through: end)
        {
          if header.revision < end { before.apply(blocks) }
        }
        try before.addInsertions(to: &summaries[index], delta.blocks)
        before.apply(delta.blocks)
      }
      return summaries
    } catch is CorruptionError, is PersistenceError.Reason {
      // The state before cannot be read; the deltas themselves can.
      for index in summaries.indices {
        for table in summaries[index].changes.indices {
          summaries[index].changes[table].inserted = nil
          summaries[index].changes[table].fields = nil
        }
      }
      return summaries
    }
  }
}

/// The entities that deltas put, as they were before each of the deltas.
private struct EarlierEntities {
  private struct Stored {
    let layout: Int64
    let record: [UInt8]
  }

  /// The wanted entities that exist.
  private var entities: [String: [[UInt8]: Stored]] = [:]
  private var wanted: [String: Set<[UInt8]>] = [:]
  /// The part of the deltas before that is needed.
  let scope: ReadScope
  private let keepsRecords: Bool
  private let catalog: LayoutCatalog

  /// For more entities than this, reading all changes is cheaper than looking for theirs.
  private static let mostNamed = 1_024

  init(
    of blocks: [ChangeBlock],
    at revision: Revision,
    keepingRecords keepsRecords: Bool,
    in view: ReadView
  ) throws {
    self.keepsRecords = keepsRecords
    catalog = view.catalog
    for block in blocks {
      for entry in block.entries {
        wanted[block.table(of: entry), default: []].insert(Array(block.id(of: entry)))
      }
    }
    let keys = wanted.flatMap { table, ids in ids.map { EntityKey(table: table, id: $0[...]) } }
    scope = keys.count <= Self.mostNamed ? .entities(keys) : .everything
    let state = try view.state(at: revision, scope: scope)
    for (table, ids) in wanted {
      var scan = state.scan(table, .ids(ids))
      while let entity = try scan.next() {
        add(table, entity.id, entity.layout, entity.record)
      }
    }
  }

  private mutating func add(
    _ table: String,
    _ id: ArraySlice<UInt8>,
    _ layout: Int64,
    _ record: ArraySlice<UInt8>
  ) {
    let record = keepsRecords ? Array(record) : []
    entities[table, default: [:]][Array(id)] = Stored(layout: layout, record: record)
  }

  /// Moves on to the state after a delta.
  mutating func apply(_ blocks: [ChangeBlock]) {
    for block in blocks {
      for entry in block.entries {
        let (table, id) = (block.table(of: entry), block.id(of: entry))
        guard wanted[table]?.contains(Array(id)) ?? false else { continue }
        switch entry.change {
        case .put(let layout, let record): add(table, id, layout, block.bytes[record])
        case .remove: entities[table]?[Array(id)] = nil
        case .notPersisted: continue
        }
      }
    }
  }

  /// Notes what the next delta inserted and updated.
  func addInsertions(to summary: inout DeltaSummary, _ blocks: [ChangeBlock]) throws {
    for index in summary.changes.indices where !summary.changes[index].put.isEmpty {
      let table = summary.changes[index].table
      var isThere: Set<String> = []
      var fields: [String: [String]] = [:]
      for block in blocks {
        for entry in block.entries where block.table(of: entry) == table {
          guard case .put(let layout, let record) = entry.change,
            let before = entities[table]?[Array(block.id(of: entry))]
          else { continue }
          let id = EncodedID.text(of: block.id(of: entry))
          isThere.insert(id)
          guard keepsRecords else { continue }
          let changes = FieldChange.changes(
            from: try catalog.members(before.layout, before.record[...], of: table),
            to: try catalog.members(layout, block.bytes[record], of: table)
          )
          fields[id] = changes.map(\.field)
        }
      }
      summary.changes[index].inserted = summary.changes[index].put.filter { !isThere.contains($0) }
      if keepsRecords { summary.changes[index].fields = fields }
    }
  }
}

/// The revisions between which a log looks.
private struct LogBounds {
  /// The revision after which it starts; nil to use the range's own.
  let since: Revision?
  let until: Revision
}

extension ReadView {
  /// The revision after which a log starts: the start of the journal for a point before it.
  func start(after expression: RevisionExpression) throws -> Revision {
    do {
      return max(try revision(of: expression), startOfJournal)
    } catch let reason as PersistenceError.Reason {
      switch (reason, expression) {
      case (.beforeHistory, _), (.notFound, .head): return startOfJournal
      default: throw reason
      }
    }
  }

  /// The first revision of the journal, if a range that starts here reaches before it.
  fileprivate func trimmed(from range: JournalRange, _ bounds: LogBounds) -> Revision? {
    let oldest = first ?? last.revision.next
    // A range with a point to start from begins there at the earliest.
    if let since = bounds.since, since >= oldest { return nil }
    let wanted =
      switch range {
      case .last: Revision(1)
      case .after(let revision, _): revision.next
      }
    return wanted < oldest && oldest > Revision(1) ? oldest : nil
  }

  /// A replay from before the first delta that may be listed; nil if there is none.
  fileprivate func replay(_ request: LogRequest, _ bounds: LogBounds) throws -> JournalReplay? {
    let header: DeltaHeader?
    switch request.range {
    case .last(let count) where request.filter.isEmpty:
      let headers = try journal.headers(before: bounds.until.next, limit: count)
      header = headers.last { $0.header.revision > bounds.since ?? 0 }?.header
    case .last:
      let start = bounds.since ?? startOfJournal
      header = try journal.headers(after: start, limit: 1).first?.header
    case .after(let revision, _):
      let start = max(revision, bounds.since ?? 0)
      header = try journal.headers(after: start, limit: 1).first?.header
    }
    guard let header, header.revision <= last.revision else { return nil }
    return replay(after: header.first.previous, chain: try chain(before: header.first))
  }
}
