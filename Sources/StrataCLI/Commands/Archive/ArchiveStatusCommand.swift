import ArgumentParser
import Foundation
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal

/// `strata archive status --from ARCHIVE`.
struct ArchiveStatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows how far an archive is, who leads, its size, its gaps, and its snapshots.",
    discussion: """
      With --watch it prints a line each time: revision, size, how fast both grow, and the lease. It goes on while the \
      archive cannot be reached. Ctrl-C ends it with 130.

      With --store it compares a file of the store with the archive: which of the two has more, and whether the archive has \
      entities that were erased from the file.

      While a lease runs, it names a clock of the archive that is 5 seconds or more from that of this machine. Leases run by \
      the archive's clock.

      Examples:
        strata archive status --from /backups/app
        strata archive status --from postgres://db/backups --name app
        strata archive status --from /backups/app --store app.strata
        strata archive status --from /backups/app --watch --interval 10
      """
  )

  @OptionGroup var arguments: ArchiveArguments

  @Flag(name: .customLong("json"), help: "Print JSON instead of text.")
  var isJSON = false

  @Option(help: "A file of the store to compare.", completion: .file())
  var store: String?

  @Flag(help: "Print a line now and then, until it is interrupted.")
  var watch = false

  @Option(help: "The seconds between two lines of --watch.")
  var interval = 2.0

  @Option(help: "End after N lines of --watch.")
  var count: Int?

  @OptionGroup var color: ColorArguments

  func validate() throws {
    guard (0.1...86_400).contains(interval) else {
      throw ValidationError("--interval takes seconds from 0.1 to 86400.")
    }
    if watch, store != nil { throw ValidationError("--watch compares no file.") }
    if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
  }

  func run() async throws {
    let archive = try await arguments.archive()
    if watch { return try await watch(archive) }
    guard let head = try await archive.head() else {
      throw ArchiveError(.empty, archive: archive.name)
    }
    let time = Date()
    var file: ArchiveText.File?
    if let store {
      let path = try StorePath(store, for: .archiving)
      let finding = try await ArchiveRelation.find(of: path, to: archive, head)
      file = ArchiveText.File(store, finding, head)
    }
    let summary = ArchiveText.Summary(
      head,
      readAt: time,
      file: file,
      bytes: try await archive.bytes(),
      oldest: try await archive.segments(after: 0, bytes: 1).first,
      newest: try await archive.segments(after: head.mark.revision.previous, bytes: 1).first,
      gaps: try await archive.gaps(),
      snapshots: try await archive.snapshots()
    )
    try Output.print { output throws(OutputError) in
      if isJSON {
        try output.line(SummaryJSON.indented(summary))
      } else {
        let columns = Terminal.standard.columns
        try output.lines(ArchiveText.lines(summary, color.highlighting, within: columns))
      }
    }
  }

  private func watch(_ archive: any Archive) async throws {
    var before: ArchiveText.Look?
    var left = count ?? .max
    while true {
      do {
        guard let head = try await archive.head() else {
          throw ArchiveError(.empty, archive: archive.name)
        }
        let bytes = try await archive.bytes()
        let look = ArchiveText.Look(head, bytes: bytes, at: Date(), after: before)
        before = look
        try Output.print { output throws(OutputError) in
          try output.line(isJSON ? SummaryJSON.compact(look) : ArchiveText.line(look))
        }
      } catch let error as ArchiveError {
        guard case .away = error.reason else { throw error }
        Output.printError("\(Measures.time(Date()))  \(error)")
      }
      left -= 1
      if left == 0 { return }
      try await Scheduling.sleep(for: .seconds(interval))
    }
  }
}
