import Foundation
import Strata
import StrataArchive
import StrataArchiving
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// An archive of another format is refused by its number, and keeps every byte.
struct OlderArchiveTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let folder: String

  init() async throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    folder = directory.path("archive")
    try await withPersistence(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      store: LibraryStore.init
    ) { store in
      for number in 1...3 { store.commit { $0.db.books.insert(Book(id: EntityID(number))) } }
    }
    _ = try await ArchivePush(
      from: StorePath(path, for: .archiving),
      to: FolderArchive(folder)
    ).run()
  }

  /// What reads or writes an archive.
  enum Door: String, CaseIterable, Sendable {
    case lead, push, pull, follow, verify
  }

  private func pass(_ door: Door) async throws {
    let archive = FolderArchive(folder)
    switch door {
    case .lead:
      let persistence = try await Persistence.open(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        with: [.archive(archive)]
      )
      try await persistence.close()
    case .push: _ = try await ArchivePush(from: StorePath(path, for: .archiving), to: archive).run()
    case .pull:
      let copy = try StorePath(directory.path("pulled.strata"), for: .archiving)
      _ = try await ArchivePull(from: archive, to: copy, on: .system).run()
    case .follow:
      let follower = try await Persistence.follow(
        archive,
        initialState: LibraryState(),
        database: \.db
      )
      try await follower.close()
    case .verify: _ = try await ArchivePull.verify(archive)
    }
  }

  private func contents() throws -> [String: Data] {
    let files = FileManager.default.enumerator(atPath: directory.url.path)
    var contents: [String: Data] = [:]
    while let name = files?.nextObject() as? String {
      contents[name] = FileManager.default.contents(atPath: directory.path(name)) ?? Data()
    }
    return contents
  }

  @Test(arguments: Door.allCases)
  func `every door refuses one of an older format, with the way, and changes nothing`(
    door: Door
  ) async throws {
    let head = URL(fileURLWithPath: "\(folder)/head")
    let text = try String(contentsOf: head, encoding: .utf8)
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    for format in [3, 2, 1, 0, Int.random(in: .min..<0, using: &random)] {
      let changed = text.replacing("\"format\":4", with: "\"format\":\(format)")
      #expect(changed != text)
      try Data(changed.utf8).write(to: head)
      let before = try contents()
      let place: Comment = "format \(format), seed \(seed)"
      let error = await #expect(throws: PersistenceError.self, place) { try await pass(door) }
      let reason = ArchiveError(.olderFormat(found: format, known: 4), archive: folder)
      #expect(error?.reason == .archive(reason), place)
      #expect(error?.remedy == .useOlderBuild, place)
      let text = error?.description ?? ""
      for words in ["format \(format)", "`strata pull`", "`strata export`", "`strata import`"] {
        #expect(text.contains(words), place)
      }
      #expect(try contents() == before, place)
    }
  }

  @Test(arguments: [2, 99] as [UInt8])
  func `one with a catalog of another format is refused by that number, not as damage`(
    format: UInt8
  ) async throws {
    let head = try String(contentsOfFile: "\(folder)/head", encoding: .utf8)
    let name = try #require(head.firstMatch(of: /images\/catalog-[^"]+/)).output
    let catalog = URL(fileURLWithPath: "\(folder)/\(name)")
    var image = try Data(contentsOf: catalog)
    image[63] = format
    try image.write(to: catalog)
    let before = try contents()
    let error = await #expect(throws: PersistenceError.self) { try await pass(.pull) }
    let reason: ArchiveError.Reason =
      format < 3
      ? .olderFormat(found: 2, known: 3) : .newerFormat(found: 99, known: 3)
    #expect(error?.reason == .archive(ArchiveError(reason, archive: folder)))
    #expect(try contents() == before)
  }
}
