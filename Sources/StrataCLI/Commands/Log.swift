import ArgumentParser
import StrataInspection
import StrataJournal

/// `strata log STORE [--last N | --after REVISION [--limit N]]`.
struct Log: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Lists the deltas of the journal and the entities that each of them changed.",
    discussion: """
      Each delta comes with its commit's name, place and context. The newest comes last, above the prompt, as in \
      `strata watch` and `strata history`; --after goes on from where a list ended. --since and --until take 42, HEAD~3, \
      @2026-11-01T12:00 (UTC), @yesterday, @-5m or snap:NAME.

      Examples:
        strata log app.strata -n 5
        strata log app.strata --since @-1h --name import
        strata log app.strata --entity issues/42 --fields
        strata log app.strata --table users --user ann --json
        strata log app.strata --after 40 --limit 100
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Option(name: [.customShort("n"), .long], help: "The last N deltas. (default: 20)")
  var last: Int?

  @Option(help: "The deltas after this revision.")
  var after: Int64?

  @Option(help: "With --after: at most N deltas. (default: 1000)")
  var limit: Int?

  @Option(help: "Deltas after this revision or time.")
  var since: String?

  @Option(help: "Deltas up to this revision or time.")
  var until: String?

  @Option(help: "Deltas that changed this table.", completion: StoreCompletion.table)
  var table: String?

  @Option(help: "Deltas that changed this entity, as TABLE/ID.")
  var entity: String?

  @Option(help: "Deltas of commits whose name contains this text, without regard to case.")
  var name: String?

  @Option(help: "Deltas of commits that this user wanted, by their context.")
  var user: String?

  @Flag(help: "Name the changed fields of updated entities.")
  var fields = false

  @OptionGroup var display: DisplayArguments

  func validate() throws {
    if last != nil, after != nil {
      throw ValidationError("--last and --after cannot be combined.")
    }
    if limit != nil, after == nil {
      throw ValidationError("--limit requires --after. For the end of the journal, use --last.")
    }
    for (option, value) in [("--last", last), ("--limit", limit)] {
      if let value, value < 1 { throw ValidationError("\(option) must be at least 1.") }
    }
    if let after, after < 0 { throw ValidationError("--after must not be negative.") }
    if let entity, !entity.contains("/") {
      throw ValidationError("--entity takes a table and an ID, such as users/42.")
    }
    if table != nil, entity != nil {
      throw ValidationError("--entity names a table already: leave out --table.")
    }
    _ = try request
  }

  private var range: JournalRange {
    after.map { .after(Revision($0), limit: limit ?? 1_000) } ?? .last(last ?? 20)
  }

  /// - Parameter tables: Those of the store: a name may have a slash, and the longest one counts.
  private func filter(among tables: Set<String>) -> LogFilter {
    let slashes = (entity ?? "").indices.filter { entity?[$0] == "/" }
    let slash =
      slashes.last { tables.contains(String((entity ?? "")[..<$0])) } ?? slashes.first
    let parts = entity.flatMap { entity in
      slash.map { (String(entity[..<$0]), String(entity[entity.index(after: $0)...])) }
    }
    return LogFilter(table: table ?? parts?.0, id: parts?.1, name: name, user: user)
  }

  private var request: LogRequest {
    get throws {
      var request = LogRequest(range)
      request.since = try since.map { try RevisionExpression(argument: $0, .start) }
      request.until = try until.map { try RevisionExpression(argument: $0) }
      request.detail = fields ? .fields : .kinds
      // Only a list that was not asked for by its length says how many there are.
      request.counting = last == nil && after == nil ? .all : .listed
      return request
    }
  }

  func run() throws {
    let inspector = try Inspector(path: arguments.store)
    var request = try request
    request.filter = filter(among: try inspector.query { $0.allTables })
    try inspector.check(table: request.filter.table)
    let page = try inspector.log(request)
    let isNarrowed = !request.filter.isEmpty || since != nil || until != nil
    try Output.print(in: display.pager) { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.array(page.deltas.lazy.map { SummaryJSON.compact($0) })
      case .text:
        if page.deltas.isEmpty {
          return try output.line(isNarrowed ? "No delta matches." : LogText.empty(range))
        }
        let columns = Terminal.standard.columns
        for delta in page.deltas {
          for line in LogText.lines(delta, display.highlighting, within: columns) {
            try output.line(line)
          }
        }
      }
    }
    for line in LogText.notes(on: page, last == nil && after == nil ? nil : range) {
      Output.printError(line)
    }
  }
}
