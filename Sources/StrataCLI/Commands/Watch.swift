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
      writes is not delayed. If another store, or another history of it, comes to the path, that is said, and followed from \
      its end on; a file that is away is waited for. Ctrl-C ends it with 130.

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
    var (history, revision) = try start()
    if Terminal.isErrorTerminal {
      Output.printError("Waiting for deltas after revision \(revision). Ctrl-C ends.")
    }
    var left = count ?? .max
    var wasChanged = true
    var isReadable = true
    while true {
      do {
        try printNew(&history, &revision, &left)
        if left == 0 { return }
        if !isReadable { Output.printError("\(arguments.store.printable) can be read again.") }
        isReadable = true
      } catch let error as PersistenceError {
        if isReadable { Output.printError("\(error) It is waited for.".printable) }
        isReadable = false
        wasChanged = true
      }
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

  /// The history at the path, and the revision after which it is printed.
  private func start() throws -> (FollowedHistory, Revision) {
    let inspector = try Inspector(path: arguments.store)
    try inspector.check(table: table)
    let history = try FollowedHistory(inspector)
    return (history, after.map { Revision($0) } ?? history.position.revision)
  }

  /// Prints the deltas after a revision, as many as are left to print.
  private func printNew(
    _ history: inout FollowedHistory,
    _ revision: inout Revision,
    _ left: inout Int
  ) throws {
    while left > 0 {
      let page: JournalPage
      switch try look(&history, after: revision, atMost: left) {
      case .deltas(let found): page = found
      case .other(let other):
        revision = history.position.revision
        let change =
          switch other {
          case .store: "Another store is at this path now, at revision"
          case .history: "The store was restored, or goes on from a copy: it is at revision"
          }
        Output.printError("\(change) \(revision).")
        return
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
      left -= page.deltas.count
      guard page.more != nil, let shown = page.deltas.last else {
        revision = max(revision, history.position.revision)
        return
      }
      revision = Revision(shown.revision)
    }
  }

  /// What is at the path.
  private enum Look {
    case deltas(JournalPage)
    /// Something else than the history.
    case other(FollowedHistory.Other)
  }

  /// Looks for the next deltas; the store is closed when this returns.
  private func look(
    _ history: inout FollowedHistory,
    after revision: Revision,
    atMost limit: Int
  ) throws -> Look {
    let inspector = try Inspector(path: arguments.store)
    if let other = try history.follow(inspector) { return .other(other) }
    var request = LogRequest(.after(revision, limit: min(limit, Self.page)))
    request.filter = LogFilter(table: table, name: name)
    request.detail = fields ? .fields : .kinds
    request.until = .point(.revision(history.position.revision))
    return .deltas(try inspector.log(request))
  }
}
