import Foundation
import Strata
import StrataArchive
import StrataArchiving
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// The folder of an archive that is copied, file by file, while a leader writes it.
struct CopiedArchiveTests {
  private static let seed = randomSeed()

  /// When the file `head` is copied.
  enum Order: CaseIterable {
    case headFirst
    case any
  }

  /// Copies as `cp -r` does: it reads a folder when it comes to it, and its files one after another.
  ///
  /// - Parameter meanwhile: is called after each file.
  private func copy(
    _ folder: String,
    to copy: String,
    _ random: inout SeededGenerator,
    _ meanwhile: () async throws -> Void
  ) async throws {
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    for name in names.shuffled(using: &random) {
      let (source, destination) = ("\(folder)/\(name)", "\(copy)/\(name)")
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: source, isDirectory: &isFolder)
      if isFolder.boolValue {
        try await self.copy(source, to: destination, &random, meanwhile)
      } else if !FileManager.default.fileExists(atPath: destination) {
        // One that is removed meanwhile is not copied.
        let contents = FileManager.default.contents(atPath: source)
        try contents?.write(to: URL(fileURLWithPath: destination))
        try await meanwhile()
      }
    }
  }

  @Test(arguments: Order.allCases)
  func `a copy gives a state of the store, and all that its head names if that came first`(
    order: Order
  ) async throws {
    var short = 0
    for seed in Self.seed..<Self.seed + 12 {
      var random = SeededGenerator(seed: seed)
      let directory = try TemporaryDirectory()
      let (folder, copied) = (directory.path("archive"), directory.path("copy"))
      let persistence = try await open(directory.path("app.strata"), FolderArchive(folder))
      let store = LibraryStore(persistence)
      func write(_ numbers: ClosedRange<Int>) async throws {
        for number in numbers {
          store.commit { $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)")) }
        }
        if numbers.lowerBound % 3 == 0 {
          _ = try await persistence.snapshot(named: "at \(numbers.lowerBound)")
        }
        try await persistence.replicated(through: persistence.revision)
      }
      for number in 1...9 { try await write(number...number) }
      var (last, files) = (9, 0)
      if order == .headFirst {
        try FileManager.default.createDirectory(atPath: copied, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: "\(folder)/head", toPath: "\(copied)/head")
      }
      let began = try await FolderArchive(folder).snapshots().last?.mark.revision ?? 0
      try await copy(folder, to: copied, &random) {
        files += 1
        guard files % 3 == 0, last < 40 else { return }
        try await write((last + 1)...(last + 2))
        last += 2
      }
      try await persistence.close()
      let place: Comment = "\(order), seed \(seed)"
      let head = try #require(try await FolderArchive(copied).head(), place)
      let revision = try await pull(FolderArchive(copied), to: directory.path("pulled"), place)
      #expect(revision >= (order == .headFirst ? head.mark.revision : began), place)
      #expect(revision <= head.mark.revision, place)
      if revision < head.mark.revision { short += 1 }
    }
    // Some lack what their heads name.
    #expect((short > 0) == (order == .any), "seeds from \(Self.seed)")
  }

  private func open(
    _ path: String,
    _ archive: FolderArchive?
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      with: archive.map { [.archive($0)] } ?? []
    )
  }

  /// Pulls, and compares the state with that of the revision where the file ends.
  private func pull(_ archive: FolderArchive, to path: String, _ place: Comment) async throws
    -> Revision
  {
    let position = try await ArchivePull(
      from: archive,
      to: StorePath(path, for: .archiving),
      on: .system
    ).run(to: .lastWhole)
    let persistence = try await open(path, nil)
    let titles = LibraryStore(persistence).state.db.books.map(\.title).sorted()
    let expected = (1...max(1, position.revision.number)).map { "Volume \($0)" }.sorted()
    #expect(titles == (position.revision == 0 ? [] : expected), place)
    try await persistence.close()
    #expect(try Inspector(path: path).verify().isSound, place)
    return position.revision
  }
}
