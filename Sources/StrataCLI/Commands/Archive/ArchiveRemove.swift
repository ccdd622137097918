import ArgumentParser
import Foundation
import StrataArchiving
import StrataJournal

/// `strata archive remove --from ARCHIVE`.
struct ArchiveRemove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Removes a store from an archive, with all history.",
    discussion: """
      This cannot be taken back, so it asks first, unless --yes is given. It is refused while the lease of a leader runs: \
      end that program first. Files of the store on this and other machines stay; followers keep what they have. A \
      removal that fails can be repeated.

      Examples:
        strata archive remove --from /backups/app
        strata archive remove --from postgres://db/backups --name app --yes
      """
  )

  @OptionGroup var arguments: ArchiveArguments

  @Flag(help: "Do not ask.")
  var yes = false

  func run() async throws {
    let archive = try await arguments.archive()
    guard let head = try await archive.head() else {
      throw ArchiveError(.empty, archive: archive.name)
    }
    let store = "the store \(head.store.uuidString.lowercased()) at revision \(head.mark.revision)"
    if !yes {
      try Output.confirm(
        "Remove \(store) from \(archive.name.printable), with all history? This cannot be taken back.",
        otherwise: "Nothing was removed."
      )
    }
    let removed = try await archive.removeStore()
    try Output.print { output throws(OutputError) in
      try output.line(
        """
        Removed the store \(removed.store.uuidString.lowercased()) at revision \(removed.mark.revision) from \
        \(archive.name.printable).
        """
      )
    }
  }
}
