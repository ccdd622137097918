import StrataColumns
import StrataJournal
import StrataRecords
import StrataSQLite

/// The commits of the journal: `strata_log`.
final class LogSource: TableSource {
  let name: String
  let columns =
    CommitColumns.all + [
      Column("first", .int64), Column("tables", .string), Column("changes", .int64),
      Column("bytes", .int64), Column("user", .string), Column("request", .string),
      Column("trace", .string), Column("call", .string), Column("context", .json),
    ]

  init(_ name: String) { self.name = name }

  var narrowing: [Int] { [0] }
  var ordering: Int? { 0 }

  func rows(
    _ arguments: [Value],
    _ conditions: [Condition],
    used: Set<Int>,
    in context: QueryContext
  ) throws -> any TableRows {
    let revisions = RevisionRange(conditions)
    let oldest = context.view.oldest
    return LogRows(
      try context.changes(after: max(oldest, revisions.start.previous)),
      through: min(context.revision, revisions.end),
      context
    )
  }
}

private final class LogRows: TableRows {
  private var changes: JournalReplay
  private let end: Revision
  private let context: QueryContext
  private var current: (header: DeltaHeader, blocks: [ChangeBlock])?

  init(_ changes: JournalReplay, through end: Revision, _ context: QueryContext) {
    self.changes = changes
    self.end = end
    self.context = context
  }

  func next() throws -> Bool {
    try context.checkTime()
    guard changes.revision < end, let next = try changes.next(), next.header.revision <= end else {
      return false
    }
    current = next
    return true
  }

  func value(_ index: Int) throws -> Value {
    guard let (header, blocks) = current else { return .null }
    let commitColumns = CommitColumns.all.count
    return switch index {
    case 0..<commitColumns: CommitColumns.value(index, header, or: 0)
    case commitColumns: .integer(header.first.number)
    case commitColumns + 1: .text(Set(blocks.flatMap(\.tables)).sorted().joined(separator: ", "))
    case commitColumns + 2: .integer(Int64(header.entities))
    case commitColumns + 3: .integer(Int64(header.bytes))
    default: try Self.value(index - commitColumns - 4, ofContextOf: header)
    }
  }

  /// A value of the context of a delta; of merged commits, of the last one that has a context.
  private static func value(_ index: Int, ofContextOf header: DeltaHeader) throws -> Value {
    guard let bytes = header.context, let context = try header.contexts().contexts.last else {
      return .null
    }
    let text: String? =
      switch index {
      case 0: context.user
      case 1: context.request
      case 2: context.trace
      case 3: context.call?.name
      default: try TaggedValue.value(of: bytes).json()
      }
    return text.map { .text($0) } ?? .null
  }
}
