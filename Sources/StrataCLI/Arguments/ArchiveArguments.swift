import ArgumentParser
import StrataArchive

/// The archive that a subcommand reads.
struct ArchiveArguments: ParsableArguments {
  @Option(
    name: .customLong("from"),
    help: ArgumentHelp(
      "The archive: a folder, or a URL as postgres://host/database.",
      valueName: "archive"
    ),
    completion: .directory
  )
  var location: String

  @Option(
    help: "The name of the store in the database of a URL. (default: the only one)"
  )
  var name: String?

  /// The archive.
  func archive() async throws -> any Archive {
    try await ArchiveLocation(location).archive(named: name)
  }
}
