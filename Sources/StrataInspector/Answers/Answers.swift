import Foundation
import StrataBase
import StrataInspection
import StrataJournal
package import StrataMaintaining
import StrataRecords
import StrataStorage

/// Answers what the page asks about a store, from what `Inspector` and `StoreQuery` find.
///
/// An answer is a page: it never has more than 500 rows, 16 KB of a value and 2 MB in all.
package struct Answers: Sendable {
  /// What can be asked, by the names in addresses.
  package enum Subject: String, CaseIterable, Sendable {
    case store, strip, log, commit, tables, rows, entity, history, blame, references, diff, find
    case query, who, process

    /// Whether the answer may be read from whole tables, and not from some entities or commits.
    var isOfTables: Bool {
      switch self {
      case .tables, .rows, .references, .diff, .find, .query: true
      case .store, .strip, .log, .commit, .entity, .history, .blame, .who, .process: false
      }
    }
  }

  let reader: StoreReader
  let redactor: Redactor
  /// The store that was at the path when the page was started.
  private let store: UUID
  /// The rate of commits as it was last counted.
  private let rate = Lock<CommitRate?>(nil)
  private let seen = Lock(Seen())

  /// The history at the path as it was last seen.
  private struct Seen: Sendable {
    var history: FollowedHistory?
    var number: Int64 = 0
  }

  /// How long SQL may run.
  static let timeLimit = Duration.seconds(10)

  package init(
    _ reader: StoreReader,
    redacting fields: [StoreBundle.Field],
    _ contexts: StoreBundle.Contexts
  )
    throws
  {
    self.reader = reader
    (store, redactor) = try reader.read { inspector in
      (
        try inspector.query { $0.identity.id },
        try Redactor(fields, contexts, in: inspector)
      )
    }
  }

  /// Answers a question.
  ///
  /// - Throws: `Question.Wrong`, and what reading the store throws.
  package func answer(_ subject: Subject, _ question: Question) throws -> Answer {
    var answer = try subject == .process ? process() : read(subject, question)
    answer.limit()
    return answer
  }

  private func read(_ subject: Subject, _ question: Question) throws -> Answer {
    try reader.read { inspector in
      if redactor.isActive, try inspector.query({ $0.identity.id }) != store {
        throw Question.Wrong(
          description: """
            Another store is at this path now. Which of its fields are replaced was not checked: start the page again.
            """
        )
      }
      inspector.mask = try redactor.mask(for: inspector)
      return switch subject {
      case .store: try store(inspector)
      case .strip: try strip(inspector)
      case .log: try log(inspector, question)
      case .commit: try commit(inspector, question)
      case .tables: try tables(inspector, question)
      case .rows: try rows(inspector, question)
      case .entity: try entity(inspector, question)
      case .history: try history(inspector, question)
      case .blame: try blame(inspector, question)
      case .references: try references(inspector, question)
      case .diff: try diff(inspector, question)
      case .find: try find(inspector, question)
      case .query: try query(inspector, question)
      case .who: try who(inspector, question)
      case .process: try process()
      }
    }
  }
}

/// The store as a whole.
extension Answers {
  /// A number for the history at the path: another one if what was there before does not go on in it.
  func historyNumber(_ inspector: Inspector) throws -> Int64 {
    try seen.withLock { seen in
      if seen.history == nil {
        seen = Seen(history: try FollowedHistory(inspector), number: 1)
      } else if try seen.history?.follow(inspector) != nil {
        seen.number += 1
      }
      return seen.number
    }
  }

  private func store(_ inspector: Inspector) throws -> Answer {
    let overview = try inspector.overview()
    var answer = Answer(
      RowText(
        [.init("snapshot"), .init("revision", .numbers)],
        overview.snapshots.map { [.text($0.name), .number($0.revision)] }
      )
    )
    answer.add("store", encoding: overview)
    answer.add("history", try historyNumber(inspector))
    answer.add("redacted", encoding: redactor.names)
    answer.add("hasProcess", reader.live != nil)
    if let held = try inspector.query({ try $0.heldTimes(at: Scheduling.date) }) {
      answer.add("heldTimes", "\(held)".sentence)
    }
    return answer
  }

  private func strip(_ inspector: Inspector) throws -> Answer {
    let rate = try inspector.rate(continuing: self.rate.withLock { $0 })
    self.rate.withLock { $0 = rate }
    func time(_ microseconds: Int64) -> RowText.Cell { .time(Date(microseconds: microseconds)) }
    var answer = Answer(
      RowText(
        [.init("start"), .init("commits", .numbers), .init("revision", .numbers)],
        rate.buckets.enumerated().map { index, bucket in
          [
            time(rate.start + Int64(index) * rate.length), .number(Int64(bucket.deltas)),
            .number(bucket.last),
          ]
        }
      )
    )
    answer.add("microseconds", rate.length)
    answer.add("start", rate.start)
    answer.add("end", rate.end)
    answer.add("revision", rate.revision.number)
    answer.add("first", rate.first?.number ?? 0)
    answer.add("commits", rate.deltas)
    return answer
  }

  private func tables(_ inspector: Inspector, _ question: Question) throws -> Answer {
    let tables = try inspector.tables(at: try question.revision("at"))
    return Answer(
      RowText(
        [
          .init("table"), .init("kind"), .init("entities", .numbers), .init("bytes", .numbers),
          .init("fields"),
        ],
        tables.map { table in
          [
            .text(table.name), .text(table.kind.rawValue), .number(Int64(table.count)),
            .number(Int64(table.bytes)),
            .json(
              SummaryJSON.compact(table.fields),
              text: table.fields.map { "\($0.name) \($0.kind)" }.joined(separator: ", ")
            ),
          ]
        }
      )
    )
  }

  private func who(_ inspector: Inspector, _ question: Question) throws -> Answer {
    let last = try question.number("last", in: 1...1_000_000_000, default: 20_000)
    let page = try inspector.activity(
      last: last,
      until: try question.revision("at"),
      redactor.hidesContexts ? .apartFromUsers : .byUser
    )
    var answer = Answer(
      RowText(
        [
          .init("commit"), .init("place"), .init("table"), .init("user"),
          .init("commits", .numbers), .init("changes", .numbers), .init("bytes", .numbers),
        ],
        page.activities.map { activity in
          [
            .text(activity.name), .text(activity.place), .text(activity.table),
            activity.user.map { .text($0) } ?? .none, .number(Int64(activity.commits)),
            .number(Int64(activity.changes)),
            .number(Int64(activity.bytes)),
          ]
        }
      )
    )
    answer.add("after", page.after.number)
    answer.add("through", page.through.number)
    answer.add("deltas", Int64(page.deltas))
    answer.add("isOfMoreNames", page.isCut)
    return answer
  }
}
