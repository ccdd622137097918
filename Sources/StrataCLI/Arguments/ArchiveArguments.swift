import ArgumentParser
import Foundation
import StrataStorage

/// The archive that a subcommand reads.
struct ArchiveArguments: ParsableArguments {
  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("The folder of the archive.", valueName: "archive"),
    completion: .directory
  )
  var location: String

  /// The archive.
  var archive: any Archive {
    get throws { FolderArchive(location) }
  }
}
