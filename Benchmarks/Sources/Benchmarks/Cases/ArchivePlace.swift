import Foundation
import Strata
import StrataArchive

#if POSTGRES_PEER
  import StrataPostgres
#endif

/// Where the archive of a benchmark is.
enum ArchivePlace {
  case folder
  /// A database, by its URL.
  case postgres(String)

  /// Those that there are; a server's URL comes from the script that started it.
  static func all(_ postgres: String?) -> [ArchivePlace] {
    [.folder] + (postgres.map { [.postgres($0)] } ?? [])
  }

  var label: String {
    switch self {
    case .folder: "folder"
    case .postgres: "PostgreSQL"
    }
  }

  /// An archive of a store with a name of its own.
  func archive(_ name: String, in folder: Folder) throws -> any Archive {
    switch self {
    case .folder: return FolderArchive(folder.file("archive-\(name)"))
    case .postgres(let url):
      #if POSTGRES_PEER
        return try PostgresArchive(url, store: "\(name) in \(folder.path)")
      #else
        fatalError("This build has no PostgreSQL, so \(url) is of no use.")
      #endif
    }
  }
}

extension Line {
  /// What stands for a comparison that needs a server.
  static func withoutPostgres(id: String, work: String) -> Line {
    Line(
      id: id,
      section: .archived,
      work: work,
      peer: "no PostgreSQL",
      comparison: .cost,
      pairs: Pairs()
    )
  }
}
