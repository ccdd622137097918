import Foundation
import StrataArchiving
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// An archive of the day on which the formats became final, in a folder: a change of them is a migration from here on.
struct KeptArchiveTests {
  private static func golden(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../TestSupport/Golden/Kept/\(name)").path
  }

  private let directory: TemporaryDirectory
  private let archive: FolderArchive

  /// `STRATA_RECORD=1` keeps one that is made now of the kept file, which only a new format is a reason for.
  init() async throws {
    directory = try TemporaryDirectory()
    let files = FileManager.default
    let kept = Self.golden("archive-4")
    if ProcessInfo.processInfo.environment["STRATA_RECORD"] != nil {
      let file = directory.path("kept.strata")
      try files.copyItem(atPath: Self.golden("format-\(StoreFormat.known).strata"), toPath: file)
      if files.fileExists(atPath: kept) { try files.removeItem(atPath: kept) }
      _ = try await ArchivePush(
        from: StorePath(file, for: .archiving),
        to: FolderArchive(kept),
        ArchivePolicy(leader: "golden")
      ).run()
    }
    try files.copyItem(atPath: kept, toPath: directory.path("archive"))
    archive = FolderArchive(directory.path("archive"))
  }

  @Test
  func `it is verified, and pulled with its history`() async throws {
    let path = directory.path("pulled.strata")
    #expect(try await ArchivePull.verify(archive).isSound)
    let pull = ArchivePull(from: archive, to: try StorePath(path, for: .archiving), on: .system)
    _ = try await pull.run()
    let inspector = try Inspector(path: path)
    #expect(try inspector.verify().isSound)
    #expect(try inspector.database(over: Golden.Second(), at: 12) == Golden.second(at: 12))
    #expect(try inspector.database(over: Golden.Second(), at: 8) == Golden.second(at: 8))
  }
}
