import Foundation
import StrataBase
import StrataInspection
import StrataJournal
import StrataRecords

/// The commits of the journal.
extension Answers {
  /// How many bytes of changes are read for a page of commits; of further ones, only the headers are.
  private static let readBytes = 1 << 20
  /// How many IDs of a table are named in a row of the log.
  private static let shownIDs = 4
  /// After that time, a search goes on with the next request.
  private static let searchTime = Duration.milliseconds(700)

  func log(_ inspector: Inspector, _ question: Question) throws -> Answer {
    let limit = try question.number("limit", in: 1...200, default: 60)
    let filter = LogFilter(
      table: question["table"],
      id: question["id"],
      name: question["name"],
      user: question["user"]
    )
    try inspector.check(table: filter.table)
    if filter.user != nil { try redactor.checkIsInactive() }
    let before = try question["before"].map { _ in
      Revision(Int64(try question.number("before", in: 0...Int.max, default: 0)))
    }
    if filter.isEmpty { return try page(inspector, before, limit) }
    return try search(inspector, filter, before, limit)
  }

  /// The commits before a revision, the last first.
  private func page(_ inspector: Inspector, _ before: Revision?, _ limit: Int) throws -> Answer {
    let headers = try inspector.commits(before: before, limit: limit)
    var answer = Answer(try rows(headers, inspector, reading: Self.readBytes))
    if headers.count == limit, let last = headers.last, last.commit.first > 1 {
      answer.add("next", last.commit.first)
    }
    return answer
  }

  /// A row for each commit, with what those changed that have at most so many bytes together, the small ones first.
  func rows(
    _ headers: [DeltaSummary],
    _ inspector: Inspector,
    reading bytes: Int
  ) throws -> RowText {
    var changes: [Int64: [TableChangeSummary]] = [:]
    for run in Self.runs(of: headers, reading: bytes) {
      guard let last = run.first else { continue }
      var request = LogRequest(.last(run.count))
      request.until = .point(.revision(Revision(last.commit.revision)))
      for delta in try inspector.log(request).deltas { changes[delta.revision] = delta.changes }
    }
    return rows(headers.map { ($0.commit, $0.entities, $0.bytes, changes[$0.commit.revision]) })
  }

  /// The commits whose changes are read, in runs without gaps.
  private static func runs(
    of headers: [DeltaSummary],
    reading bytes: Int
  ) -> [ArraySlice<DeltaSummary>] {
    var rest = bytes
    let small = headers.indices.sorted { (headers[$0].bytes, $0) < (headers[$1].bytes, $1) }
      .prefix { index in
        rest -= headers[index].bytes
        return rest >= 0
      }
    let read = Set(small)
    return headers.indices.split { !read.contains($0) }.map { headers[$0] }
  }

  /// The commits before a revision that a filter accepts, as far as the time goes.
  private func search(
    _ inspector: Inspector,
    _ filter: LogFilter,
    _ before: Revision?,
    _ limit: Int
  ) throws -> Answer {
    var now = ContinuousClock.now
    let deadline = now + Self.searchTime
    let overview = try inspector.overview()
    let first = (overview.first ?? overview.revision + 1) - 1
    var end = min(overview.revision, (before?.number ?? .max) - 1)
    var window: Int64 = 2_000
    var found: [DeltaSummary] = []
    while end > first, found.count < limit, now < deadline {
      let start = max(first, end - window)
      var request = LogRequest(.last(limit - found.count))
      request.filter = filter
      request.since = .point(.revision(Revision(start)))
      request.until = .point(.revision(Revision(end)))
      let deltas = try inspector.log(request).deltas.reversed()
      found += deltas
      // What is before the last one that was found was not looked at.
      end = found.count == limit ? (found.last?.first ?? 1) - 1 : start
      // The next one takes no longer than a part of the time.
      let elapsed = ContinuousClock.now - now
      now += elapsed
      window = elapsed * 4 < Self.searchTime ? window * 2 : max(2_000, window / 2)
    }
    var answer = Answer(rows(found.map { ($0.commit, $0.entities, $0.bytes, $0.changes) }))
    if end > first { answer.add("next", end + 1) }
    return answer
  }

  /// A row for each commit.
  private func rows(
    _ commits: [(CommitSummary, entities: Int, bytes: Int, changes: [TableChangeSummary]?)]
  ) -> RowText {
    let rows = RowText(
      CommitText.columns + [
        .init("first", .numbers), .init("entities", .numbers), .init("bytes", .numbers),
        .init("changes"),
      ],
      commits.map { commit, entities, bytes, changes in
        CommitText.cells(commit, orAt: 0) + [
          .number(commit.first), .number(Int64(entities)), .number(Int64(bytes)),
          changes.map(Self.cell) ?? .none,
        ]
      }
    )
    return redactor.redact(rows)
  }

  /// How many entities of each table were put and removed, with the first of their IDs.
  private static func cell(_ changes: [TableChangeSummary]) -> RowText.Cell {
    let tables = changes.map { change in
      let ids = (change.put + change.removed + change.notPersisted).prefix(shownIDs)
      let list = ids.map(Answer.quoted).joined(separator: ",")
      return """
        {"table":\(Answer.quoted(change.table)),"put":\(change.put.count),\
        "removed":\(change.removed.count),"notPersisted":\(change.notPersisted.count),"ids":[\(list)]}
        """
    }
    let text = changes.map { "\($0.table) \($0.put.count + $0.removed.count)" }
    return .json("[\(tables.joined(separator: ","))]", text: text.joined(separator: ", "))
  }

  /// One commit, and what it changed field by field; with `plain`, only its header.
  func commit(_ inspector: Inspector, _ question: Question) throws -> Answer {
    let header = try inspector.commit(at: try question.revision("rev"))
    let limit = try question.number("limit", in: 1...500, default: 50)
    let (from, to) = (Revision(header.commit.first).previous, Revision(header.commit.revision))
    if question["plain"] != nil {
      var answer = Answer(rows([(header.commit, header.entities, header.bytes, nil)]))
      answer.add("from", from.number)
      answer.add("to", to.number)
      return answer
    }
    let difference: StateDifference?
    var note: String?
    do throws(PersistenceError) {
      difference = try inspector.diff(
        RevisionSpan(from: .point(.revision(from)), to: .point(.revision(to))),
        table: question["table"],
        limit: limit
      )
    } catch {
      guard case .trimmed = error.reason else { throw error }
      difference = nil
      note = "The state before this commit was trimmed, so what it changed is not known."
    }
    var answer = Answer(
      difference?.rows.leavingOutAbsent()
        ?? RowText([.init("table"), .init("id"), .init("change")], [])
    )
    answer.add("commit", encoding: redactor.redact(header.commit))
    answer.add("entities", Int64(header.entities))
    answer.add("bytes", Int64(header.bytes))
    answer.add("from", from.number)
    answer.add("to", to.number)
    if let difference {
      answer.add("tables", encoding: difference.tables)
      answer.add("unlisted", Int64(difference.unlisted))
    }
    if let note { answer.add("note", note) }
    return answer
  }

  /// How two revisions differ.
  func diff(_ inspector: Inspector, _ question: Question) throws -> Answer {
    let limit = try question.number("limit", in: 1...500, default: 100)
    let difference = try inspector.diff(
      RevisionSpan(from: try question.revision("a"), to: try question.revision("b")),
      table: question["table"],
      id: question["id"],
      limit: limit
    )
    var answer = Answer(difference.rows.leavingOutAbsent())
    answer.add("from", difference.from.number)
    answer.add("to", difference.to.number)
    answer.add("tables", encoding: difference.tables)
    answer.add("unlisted", Int64(difference.unlisted))
    return answer
  }
}
