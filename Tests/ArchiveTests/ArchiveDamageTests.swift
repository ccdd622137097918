import Foundation
import Strata
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// A flipped bit anywhere in the folder of an archive.
struct ArchiveDamageTests {
  private struct Sample {
    let directory: TemporaryDirectory
    let folder: String
    /// A closed store that goes on from the archive, and one that has nothing to send.
    let ahead: String
    /// What the store has at each revision.
    var states: [LibraryDatabase] = [LibraryDatabase()]

    init() async throws {
      directory = try TemporaryDirectory()
      folder = directory.path("archive")
      ahead = directory.path("app.strata")
      var configuration = PersistenceConfiguration()
      configuration.snapshots = SnapshotPolicy(minimumJournalBytes: 1 << 40)
      for (numbers, name) in [(1...5, "five"), (6...9, "nine"), (10...14, nil), (15...17, nil)] {
        let persistence = try await Persistence.open(
          at: ahead,
          initialState: LibraryState(),
          database: \.db,
          configuration: configuration
        )
        let store = LibraryStore(persistence)
        for number in numbers {
          store.commit("add \(number)") {
            $0.db.books.insert(Book(id: EntityID(number), title: "Volume \(number)"))
            if number % 4 == 0 { $0.db.books.remove(EntityID(number - 2)) }
          }
          states.append(store.state.db)
        }
        try await persistence.close()
        if let name { _ = try NamedSnapshots(of: ahead).create(name) }
        // What is committed last is not sent.
        if numbers.upperBound < 17 { try await push() }
      }
    }

    func push(_ path: String? = nil) async throws {
      _ = try await ArchivePush(
        from: StorePath(path ?? ahead, for: .archiving),
        to: FolderArchive(folder)
      ).run()
    }

    /// Pulls, and returns the revision and what the file has; removes it again.
    func pull(to end: ArchivePull.End) async throws -> (Revision, LibraryDatabase) {
      let path = directory.path("pulled.strata")
      defer { removeStore(path) }
      let position = try await ArchivePull(
        from: FolderArchive(folder),
        to: StorePath(path, for: .archiving),
        on: .system
      ).run(to: end)
      let inspector = try Inspector(path: path)
      let state = try inspector.database(over: LibraryDatabase(), at: position.revision)
      return (position.revision, state)
    }

    func removeStore(_ path: String) {
      for suffix in ["", "-wal", "-shm", ".head", ".lock"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }

    func copyStore() throws -> String {
      let copy = directory.path("copy.strata")
      removeStore(copy)
      for suffix in ["", ".head"] {
        try FileManager.default.copyItem(atPath: ahead + suffix, toPath: copy + suffix)
      }
      return copy
    }

    /// Replaces the archive by a copy of an image.
    func restore(from image: String) throws {
      try? FileManager.default.removeItem(atPath: folder)
      try FileManager.default.copyItem(atPath: image, toPath: folder)
    }
  }

  /// What an operation did.
  private enum Outcome: Equatable {
    case done
    case refused
    case wrong(String)
  }

  private func outcome(
    of sample: Sample,
    pulledTo end: ArchivePull.End,
    expecting revision: Revision
  ) async -> Outcome {
    do {
      let (found, state) = try await sample.pull(to: end)
      guard found == revision, state == sample.states[Int(found.number)] else {
        return .wrong("\(found) instead of \(revision)")
      }
      return .done
    } catch {
      return .refused
    }
  }

  /// A pull makes what was archived or nothing; an archive that is called sound can be pulled at every point and pushed
  /// to; and an archive that was pushed to can be pulled.
  @Test
  func `no flipped bit of an archive is pulled as something else, or pushed to in silence`()
    async throws
  {
    let sample = try await Sample()
    let image = sample.directory.path("image")
    try FileManager.default.copyItem(atPath: sample.folder, toPath: image)
    let names = try FileManager.default.subpathsOfDirectory(atPath: image).sorted().filter {
      let size = try FileManager.default.attributesOfItem(atPath: "\(image)/\($0)")
      return size[.type] as? FileAttributeType == .typeRegular && size[.size] as? Int != 0
    }
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let flips = loopCount("STRATA_ARCHIVE_FLIPS", 40)
    var (sound, pulled, pushed) = (0, 0, 0)
    for flip in 0..<flips {
      try sample.restore(from: image)
      let name = names.randomElement(using: &random)!
      let url = URL(fileURLWithPath: "\(sample.folder)/\(name)")
      var contents = try Data(contentsOf: url)
      var place = Int.random(in: contents.indices, using: &random)
      // Most bytes of an image are zero, and have no meaning.
      if Bool.random(using: &random) {
        place = contents.indices.filter { contents[$0] != 0 }.randomElement(using: &random)!
      }
      contents[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      try contents.write(to: url)
      let context = "seed \(seed), flip \(flip) of byte \(place) of \(name)"

      var isSound = false
      do {
        isSound = try await ArchivePull.verify(FolderArchive(sample.folder)).isSound
      } catch {
        #expect(error.reason != .closed, "\(context): \(error)")
      }
      sound += isSound ? 1 : 0
      let head = await outcome(of: sample, pulledTo: .head, expecting: 14)
      pulled += head == .done ? 1 : 0
      let point = Revision(Int64.random(in: 0...14, using: &random))
      let named = Bool.random(using: &random)
      let other = await outcome(
        of: sample,
        pulledTo: .point(named ? .snapshot("five") : .revision(point)),
        expecting: named ? 5 : point
      )
      for outcome in [head, other] {
        if case .wrong(let what) = outcome { Issue.record("\(context): \(what)") }
      }
      if isSound {
        #expect([head, other] == [.done, .done], "\(context), to \(point), named \(named)")
      }

      do {
        try await sample.push(try sample.copyStore())
        pushed += 1
        let end = await outcome(of: sample, pulledTo: .head, expecting: 17)
        #expect(end == .done, "\(context), pushed")
      } catch {
        #expect(!isSound, "\(context): \(error)")
      }
    }
    printStatistics(
      """
      \(flips) flipped bits of an archive: \(sound) called sound, \(pulled) pulled, \(pushed) pushed to; seed \(seed)
      """
    )
    #expect(sound < flips || flips < 20)
  }

  /// Both are read into memory: nothing on this machine is damaged, and nothing here helps.
  @Test(arguments: ["images/catalog-", "images/0"], ["SQLite format 3", "CREATE TABLE", "books"])
  func `a damaged catalog or list is damage of the archive`(_ prefix: String, _ text: String)
    async throws
  {
    let sample = try await Sample()
    let files = try FileManager.default.subpathsOfDirectory(atPath: sample.folder)
    let damaged = files.filter { $0.hasPrefix(prefix) }
    #expect(damaged.count > 0)
    for name in damaged {
      let url = URL(fileURLWithPath: "\(sample.folder)/\(name)")
      var contents = try Data(contentsOf: url)
      var rest = contents.startIndex..<contents.endIndex
      while let place = contents.range(of: Data(text.utf8), in: rest) {
        contents[place.lowerBound] ^= 1
        rest = place.upperBound..<contents.endIndex
      }
      #expect(rest.lowerBound > contents.startIndex)
      try contents.write(to: url)
    }

    let archive = FolderArchive(sample.folder)
    let pulling = await #expect(throws: PersistenceError.self) { try await sample.pull(to: .head) }
    let what = prefix == "images/catalog-" ? "its catalog: " : "the list of snapshot "
    #expect(pulling?.reason.sentence.contains("\(archive.name) is damaged: \(what)") == true)
    let verification = try await ArchivePull.verify(archive)
    let isSound = { (name: String) in verification.checks.first { $0.name == name }?.passed }
    #expect(isSound("catalog") == (prefix != "images/catalog-"))
    #expect(!verification.isSound)
  }
}
