import ArgumentParser
import Foundation
import StrataArchiving
import StrataJournal

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

#if Postgres
  import StrataPostgres
#endif

/// Where an archive is: a folder, or a database of PostgreSQL.
struct ArchiveLocation {
  private enum Kind {
    case folder
    case postgres
  }

  private let text: String
  private let kind: Kind

  /// Reads an argument of the command line, which no error quotes unless it is the path of a folder.
  init(_ text: String) throws {
    self.text = text
    if DatabaseURL(text) != nil {
      kind = .postgres
    } else if text.contains("://") || Self.isConnectionString(text) {
      throw ValidationError(
        "An archive is the path of a folder, or a URL as postgres://host/database."
      )
    } else {
      kind = .folder
    }
  }

  /// Whether a text is words such as `host=… password=…`, which libpq reads too.
  private static func isConnectionString(_ text: String) -> Bool {
    !FileManager.default.fileExists(atPath: text)
      && text.contains(/(^|\s)(host|hostaddr|port|dbname|user|service|\w*password)\s*=/)
  }

  /// The stores that are there.
  func stores() async throws -> [ArchiveText.Store] {
    switch kind {
    case .folder:
      let archive = FolderArchive(text)
      guard let head = try await archive.head() else { return [] }
      return [ArchiveText.Store(name: nil, head, bytes: try await archive.bytes())]
    case .postgres:
      #if Postgres
        return try await PostgresArchive.stores(in: text).map {
          ArchiveText.Store(name: $0.name, $0.head, bytes: $0.bytes)
        }
      #else
        throw Self.withoutPostgres
      #endif
    }
  }

  #if !Postgres
    private static var withoutPostgres: ArchiveError {
      ArchiveError(
        .unusable(
          """
          this strata is built without the trait Postgres: build it with \
          `swift build --product strata --traits Postgres`
          """
        ),
        archive: "PostgreSQL"
      )
    }
  #endif

  /// The archive.
  ///
  /// - Parameters:
  ///   - name: The store in a database; nil for the only one.
  ///   - defaultName: That of a first store, or of one among several.
  func archive(named name: String?, orElse defaultName: String? = nil) async throws -> any Archive {
    switch kind {
    case .folder:
      if name != nil {
        throw ValidationError("--name is for a database: the folder of an archive has one store.")
      }
      return FolderArchive(text)
    case .postgres:
      #if Postgres
        if let name { return try PostgresArchive(text, store: name) }
        let names = try await PostgresArchive.storeNames(in: text)
        if names.count == 1 { return try PostgresArchive(text, store: names[0]) }
        if let defaultName, names.isEmpty || names.contains(defaultName) {
          return try PostgresArchive(text, store: defaultName)
        }
        throw ArchiveError(
          names.isEmpty
            ? .empty
            : .unusable(
              "the database has the stores \(names.joined(separator: ", ")): choose one with --name"
            ),
          archive: "PostgreSQL"
        )
      #else
        throw Self.withoutPostgres
      #endif
    }
  }
}
