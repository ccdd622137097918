import ArgumentParser
import StrataStorage

/// `strata log STORE [--last N | --after REVISION [--limit N]]`.
struct Log: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the deltas of the journal and the entities that each of them changed."
  )

  @OptionGroup var arguments: StoreArguments

  @Option(help: "The last N deltas. (default: 20)")
  var last: Int?

  @Option(help: "The deltas after this revision.")
  var after: Int64?

  @Option(help: "With --after: at most N deltas. (default: 1000)")
  var limit: Int?

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
  }

  private var range: JournalRange {
    after.map { .after(Revision($0), limit: limit ?? 1_000) } ?? .last(last ?? 20)
  }

  func run() throws {
    let page = try Inspector(path: arguments.store).log(range)
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.array(page.deltas.lazy.map { JSONText.compact($0) })
      case .text:
        if page.deltas.isEmpty { return try output.line(LogText.empty(range)) }
        for delta in page.deltas {
          for line in LogText.lines(delta, Terminal.standard.highlighting) { try output.line(line) }
        }
      }
    }
    for line in LogText.notes(on: page) { Output.printError(line) }
  }
}
