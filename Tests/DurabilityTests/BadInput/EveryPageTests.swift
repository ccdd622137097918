import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintenance
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// Flipped bits in every page of a file, those of SQLite's indexes too, under each policy of opening.
struct EveryPageTests {
  private static let pageSize = 4_096

  private let store: DamagedStore
  private let image: Data
  private let head: Data

  init() async throws {
    store = try await DamagedStore()
    image = try Data(contentsOf: URL(fileURLWithPath: store.path))
    head = try Data(contentsOf: URL(fileURLWithPath: store.path + ".head"))
  }

  private func put(_ file: Data) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: store.directory.url.path) {
      try FileManager.default.removeItem(atPath: store.directory.path(name))
    }
    try file.write(to: URL(fileURLWithPath: store.path))
    try head.write(to: URL(fileURLWithPath: store.path + ".head"))
  }

  /// The image with one bit flipped in a page; every other time in a byte that is not zero, as most zeros are free room.
  private func flipped(page: Int, _ random: inout SeededGenerator) -> (file: Data, place: Int) {
    let range = page * Self.pageSize..<(page + 1) * Self.pageSize
    var place = Int.random(in: range, using: &random)
    if Bool.random(using: &random) {
      place = range.filter { image[$0] != 0 }.randomElement(using: &random) ?? place
    }
    var file = image
    file[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    return (file, place)
  }

  /// Opens the file, writes to it, takes a snapshot and trims; returns whether all of that succeeded.
  ///
  /// What was acknowledged by then must be there afterwards.
  private func use(
    _ policy: RestorePolicy,
    wasSound: Bool,
    _ context: String
  ) async throws -> (isWhole: Bool, wasOpened: Bool) {
    let persistence: Persistence<LibraryState, LibraryDatabase>
    do {
      persistence = try await store.open(policy)
    } catch {
      return (false, false)
    }
    let report = persistence.report
    #expect(
      persistence.initialState.db == store.model(at: report.revision),
      "\(context): \(report)"
    )
    #expect(report.revision == 50 || report.outcome == .restoredWithLoss, "\(context): \(report)")
    if policy == .readOnly { return (true, true) }
    let library = LibraryStore(persistence)
    var acknowledged = persistence.initialState.db
    var failure: (any Error)?
    do throws(PersistenceError) {
      for number in 0..<3 {
        library.commit {
          $0.db.books.insert(
            Book(id: EntityID(10_000 + number), title: String(repeating: "x", count: 2_000))
          )
        }
        try await persistence.flush()
        acknowledged = library.state.db
      }
      try await persistence.snapshot(named: "after")
      _ = try await persistence.compact()
    } catch {
      failure = error
    }
    do throws(PersistenceError) {
      try await persistence.close()
      acknowledged = library.state.db
    } catch {
      failure = failure ?? error
    }
    if let failure { print("EveryPageTests, \(context), \(policy): \(failure)") }
    do {
      let again = try await store.open(.strict)
      #expect(again.initialState.db == acknowledged, "\(context), opened again")
      try await again.close()
    } catch {
      Issue.record("\(context), \(policy): what was acknowledged is lost: \(error)")
    }
    if wasSound, failure == nil {
      let verification = try Inspector(path: store.path).verify()
      #expect(verification.isSound, "\(context), \(policy): \(verification)")
    }
    return (failure == nil, true)
  }

  @Test
  func
    `a flip in any page loses nothing acknowledged, and a file that is called sound can be used`()
    async throws
  {
    let pages = image.count / Self.pageSize
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    let flips = loopCount("STRATA_PAGE_FLIPS", 60)
    let first = Int.random(in: 0..<pages, using: &random)
    var (sound, opened, used, readOnly) = (0, 0, 0, 0)
    for flip in 0..<flips {
      let page = (first + flip) % pages
      let (file, place) = flipped(page: page, &random)
      let context = "seed \(seed), flip \(flip), byte \(place)"
      try put(file)
      var isSound = false
      do {
        isSound = try Inspector(path: store.path).verify().isSound
      } catch {
        #expect(error.operation == .inspecting, "\(context): \(error)")
      }
      sound += isSound ? 1 : 0
      let shown = try await use(.readOnly, wasSound: isSound, context)
      readOnly += shown.wasOpened ? 1 : 0
      let after = try Data(contentsOf: URL(fileURLWithPath: store.path))
      #expect(after == file, "\(context): reading changed it")
      for policy in [RestorePolicy.strict, .bestEffort] {
        if policy == .bestEffort { try put(file) }
        let result = try await use(policy, wasSound: isSound, context)
        opened += result.wasOpened ? 1 : 0
        used += result.isWhole ? 1 : 0
        if policy == .strict, !result.wasOpened {
          let after = try Data(contentsOf: URL(fileURLWithPath: store.path))
          #expect(after == file, "\(context): a refused file was changed")
        }
        if isSound {
          #expect(result.wasOpened && result.isWhole && shown.wasOpened, "\(context), \(policy)")
        }
      }
    }
    printStatistics(
      """
      \(flips) flips over \(pages) pages: \(sound) called sound, \(readOnly) read; of \(2 * flips) openings for \
      writing \(opened) succeeded, \(used) with a snapshot and trimming; seed \(seed)
      """
    )
    #expect(sound < flips || flips < pages)
  }
}
