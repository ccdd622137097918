import ArgumentParser
import Foundation
import StrataInspection
import StrataJournal

/// `strata watch STORE`.
struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Prints deltas as they are written, until it is interrupted.",
    discussion: """
      It looks at the file four times a second, and opens it only when it has changed; the program that \
      writes is not delayed. Ctrl-C ends it with 130.

      Examples:
        strata watch app.strata
        strata watch app.strata --table issues --fields
        strata watch app.strata --after 0 --json | jq .name
        strata watch app.strata --name import --count 1
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Option(help: "Start with the deltas after this revision. (default: HEAD)")
  var after: Int64?

  @Option(help: "Deltas that changed this table.", completion: StoreCompletion.table)
  var table: String?

  @Option(help: "Deltas of commits whose name contains this text, without regard to case.")
  var name: String?

  @Option(help: "End after N deltas.")
  var count: Int?

  @Flag(help: "Name the changed fields of updated entities.")
  var fields = false

  @OptionGroup var color: ColorArguments

  func validate() throws {
    if let after, after < 0 { throw ValidationError("--after must not be negative.") }
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
  }

  /// How many deltas are read at a time.
  private static let page = 500
  private static let interval: UInt32 = 250_000

  func run() throws {
    var seen = StoreFileState(arguments.store)
    try Inspector(path: arguments.store).check(table: table)
    var revision: Revision
    if let after {
      revision = Revision(after)
    } else {
      revision = try Inspector(path: arguments.store).lastRevision()
    }
    if Terminal.isErrorTerminal {
      Output.printError("Waiting for deltas after revision \(revision). Ctrl-C ends.")
    }
    var left = count ?? .max
    var wasChanged = true
    while true {
      left -= try printNew(&revision, atMost: left)
      if left == 0 { return }
      // Two writes within a tick of the file system's clock look like one: after a change it is read again.
      while true {
        usleep(Self.interval)
        let now = StoreFileState(arguments.store)
        let isChanged = now != seen
        seen = now
        if isChanged || wasChanged {
          wasChanged = isChanged
          break
        }
      }
    }
  }

  /// Prints the deltas after a revision and returns how many there were.
  private func printNew(_ revision: inout Revision, atMost limit: Int) throws -> Int {
    var printed = 0
    while printed < limit {
      var request = LogRequest(.after(revision, limit: min(limit - printed, Self.page)))
      request.filter = LogFilter(table: table, name: name)
      request.detail = fields ? .fields : .kinds
      let (page, last) = try newest(request)
      if last < revision, printed == 0, after.map({ $0 <= last.number }) ?? true {
        Output.printError("The store was restored: it ends at revision \(last).")
        revision = last
        return 0
      }
      if let trimmed = page.trimmed, revision.next < trimmed {
        Output.printError("The deltas up to revision \(trimmed.previous) were trimmed.")
      }
      try Output.print { output throws(OutputError) in
        let columns = Terminal.standard.columns
        for delta in page.deltas {
          switch arguments.form {
          case .json: try output.line(SummaryJSON.compact(delta))
          case .text: try output.lines(LogText.lines(delta, color.highlighting, within: columns))
          }
        }
      }
      printed += page.deltas.count
      guard page.more != nil, let shown = page.deltas.last else {
        revision = max(revision, last)
        return printed
      }
      revision = Revision(shown.revision)
    }
    return printed
  }

  /// A page of deltas, and the last revision of the file; the store is closed when this returns.
  private func newest(_ request: LogRequest) throws -> (JournalPage, Revision) {
    let inspector = try Inspector(path: arguments.store)
    var request = request
    let last = try inspector.lastRevision()
    request.until = .point(.revision(last))
    return (try inspector.log(request), last)
  }
}
