import Foundation
import ProductSupport
import Strata
import StrataArchive
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataMaintenance
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// How files relate to archives, over generated trees of lineages, against a model that knows every commit.
struct LineageLawTests {
  /// A file as the model knows it.
  struct File {
    var path: String
    /// Its commits, each with a number that no other commit has.
    var commits: [Int] = []
    var lineages: [Lineage] = []
    /// Whether somebody has taken it back, and it has not got the history of an archive since.
    var isTakenBack = false
  }

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let few = 6
  private static let rounds = loopCount("STRATA_LINEAGES", few)
  /// The usual trees are the same each time; more of them depend on STRATA_SEED.
  private static let first = rounds > few ? randomSeed() : 1

  @Test(arguments: 0..<rounds)
  func `a file relates to an archive as their commits say`(_ round: Int) async throws {
    let seed = Self.first &+ UInt64(round)
    var random = SeededGenerator(seed: seed)
    var files = [File(path: directory.path("0.strata"))]
    /// The commits of the parent where a lineage began.
    var parents: [Lineage.ID: [Int]] = [:]
    var number = 0
    try await commit(&files[0], 2, &number)
    for step in 1...9 {
      let source = Int.random(in: files.indices, using: &random)
      var file = files[source]
      file.path = directory.path("\(step).strata")
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        try await commit(&files[source], 1, &number)
        continue
      case 1:
        let end = Int.random(in: 0...file.commits.count, using: &random)
        file.commits.removeLast(file.commits.count - end)
        let point = HistoryPoint.revision(Revision(Int64(end)))
        try await StoreBackup.fork(files[source].path, at: point, to: file.path)
        file.isTakenBack = true
      case 2:
        try await StoreBackup.restore(files[source].path, to: file.path)
        file.isTakenBack = true
      case 3 where !file.commits.isEmpty:
        try copy(files[source].path, to: file.path)
        try erase(file)
      case 4:
        let archive = try await archive(of: files[source])
        let path = try StorePath(file.path, for: .archiving)
        _ = try await ArchivePull(from: archive, to: path, on: .system).run()
        file.isTakenBack = false
      default: try copy(files[source].path, to: file.path)
      }
      file.lineages = try lineages(of: file)
      let last = try #require(file.lineages.last)
      if parents[last.id] == nil, let branch = last.branch {
        parents[last.id] = Array(file.commits.prefix(Int(branch.number)))
      }
      try await commit(&file, Int.random(in: 0...2, using: &random), &number)
      files.append(file)
    }
    for archived in files {
      let archive = try await archive(of: archived)
      let head = try #require(await archive.head())
      for file in files {
        let path = try StorePath(file.path, for: .archiving)
        let found = try await ArchiveRelation.find(of: path, to: archive, head).relation
        let detail = "seed \(seed): \(file) and the archive of \(archived): \(found)"
        #expect(Self.agrees(found, file, archived, parents), "\(detail)")
      }
      let trimmed = try await self.archive(of: archived, isTrimmed: true)
      let end = try #require(await trimmed.head())
      for file in files {
        let path = try StorePath(file.path, for: .archiving)
        let found = try await ArchiveRelation.find(of: path, to: trimmed, end).relation
        let detail = "seed \(seed): \(file) and the trimmed archive of \(archived): \(found)"
        #expect(Self.isTrue(found, file, archived), "\(detail)")
      }
    }
  }

  /// Whether an answer names no common commits that there are not, and takes nothing for had that is not; it may name fewer.
  private static func isTrue(_ found: ArchiveRelation, _ file: File, _ archived: File) -> Bool {
    let common = zip(file.commits, archived.commits).prefix { $0 == $1 }.count
    switch found {
    case .atOrAhead, .restarts: return common == archived.commits.count
    case .behind: return common == file.commits.count
    case .replaced(let through), .takenBack(let through), .diverged(let through):
      return (through?.number ?? 0) <= Int64(common)
    }
  }

  /// Whether the answer is that of the model.
  ///
  /// Where two histories differ, it may name fewer common commits than there are, as those that were erased from have other
  /// hashes; never more.
  private static func agrees(
    _ found: ArchiveRelation,
    _ file: File,
    _ archived: File,
    _ parents: [Lineage.ID: [Int]]
  ) -> Bool {
    let common = zip(file.commits, archived.commits).prefix { $0 == $1 }.count
    let (mine, theirs) = (file.lineages.map(\.id), archived.lineages.map(\.id))
    func isAtMost(_ revision: Revision?) -> Bool { (revision?.number ?? 0) <= Int64(common) }
    let isOnPurpose =
      file.isTakenBack
      && file.lineages.contains {
        ($0.reason == .restored || $0.reason == .forked) && !theirs.contains($0.id)
      }
    /// Whether a history is that which a lineage began from, up to where the shorter one ends.
    func began(_ lineage: Lineage.ID, from commits: [Int]) -> Bool {
      zip(parents[lineage] ?? [], commits).allSatisfy { $0 == $1 }
    }
    // An archive that was taken back to before the end of the file does not say which commits were there.
    if theirs.starts(with: mine), theirs != mine, archived.commits.count < file.commits.count,
      found == .replaced(through: Revision(Int64(common)))
    {
      return true
    }
    if mine == theirs {
      if common == archived.commits.count { return found == .atOrAhead }
      if common == file.commits.count { return found == .behind }
    } else if theirs.starts(with: mine), began(theirs[mine.count], from: file.commits) {
      return found == .replaced(through: Revision(Int64(common)))
    } else if mine.starts(with: theirs), began(mine[theirs.count], from: archived.commits) {
      if common == archived.commits.count { return found == .restarts }
      if isOnPurpose { return found == .takenBack(through: Revision(Int64(common))) }
      if common == file.commits.count {
        return found == .replaced(through: Revision(Int64(common)))
      }
    } else if isOnPurpose, !theirs.starts(with: mine) {
      if case .takenBack(let through) = found { return isAtMost(through) }
      return false
    }
    if case .diverged(let after) = found { return isAtMost(after) }
    return false
  }

  private func open(
    _ path: String
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(at: path, initialState: LibraryState(), database: \.db)
  }

  private func commit(_ file: inout File, _ count: Int, _ number: inout Int) async throws {
    let persistence = try await open(file.path)
    let store = LibraryStore(persistence)
    for _ in 0..<count {
      number += 1
      let book = Book(id: EntityID(number), title: "Volume \(number)")
      store.commit("add \(number)") { $0.db.books.insert(book) }
      file.commits.append(number)
    }
    try await persistence.close()
    file.lineages = try lineages(of: file)
  }

  /// Erases what one of the commits has added.
  private func erase(_ file: File) throws {
    let erased = file.commits[file.commits.count / 2]
    let entities = ErasedEntities([.init(table: "books", meantBy: "\(erased)")])
    _ = try StoreErasure.run(at: file.path, entities, .leave)
  }

  private func copy(_ path: String, to copy: String) throws {
    _ = try StoreBackup.copyBlocking(path, to: copy)
  }

  private func lineages(of file: File) throws -> [Lineage] {
    try Inspector(path: file.path).query { $0.identity.lineages }
  }

  /// A new archive with the history of a file, which itself has never led; or with only the end of it.
  private func archive(of file: File, isTrimmed: Bool = false) async throws -> MemoryArchive {
    let path = directory.path("\(UUID().uuidString).strata")
    try copy(file.path, to: path)
    if isTrimmed {
      let persistence = try await open(path)
      _ = try await persistence.compact()
      try await persistence.close()
    }
    let archive = MemoryArchive()
    _ = try await ArchivePush(from: StorePath(path, for: .archiving), to: archive).run()
    return archive
  }
}
