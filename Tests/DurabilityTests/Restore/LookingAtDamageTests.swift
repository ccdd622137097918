import Foundation
import Strata
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataPersistence
import StrataStorage
import TestSupport
import Testing

/// What looks into a file with a damaged snapshot finds the same from an older one.
struct LookingAtDamageTests {
  private static let damageNewest = SnapshotDamage.clearing(ownChunksOf: SnapshotDamage.newest)

  /// What the verbs say of a store, as text.
  private func answers(_ path: String) throws -> [String] {
    let inspector = try Inspector(path: path)
    return [
      "\(try inspector.blame(table: "books").entities)",
      "\(try inspector.diff(RevisionSpan("44..HEAD", now: Date())))",
      "\(try inspector.diff(RevisionSpan("5..HEAD", now: Date())))",
      "\(try inspector.find(SearchText("1")).hits)",
      "\(try inspector.show(table: "books"))",
    ]
  }

  @Test func `every verb passes over it`() async throws {
    let damaged = try await DamagedStore()
    let expected = try answers(damaged.path)
    try damaged.damage(Self.damageNewest)
    for (found, expected) in zip(try answers(damaged.path), expected) {
      #expect(found == expected)
    }
  }

  @Test func `the log needs no chunk of what changed since the snapshot`() async throws {
    let damaged = try await DamagedStore()
    let persistence = try await damaged.open(.strict)
    let store = LibraryStore(persistence)
    for title in ["One", "Two"] {
      store.commit { $0.db.books.insert(Book(id: 999, title: title)) }
    }
    store.commit { $0.db.books.remove(Book.ID(999)) }
    store.commit { $0.db.books.insert(Book(id: 999, title: "Three")) }
    try await persistence.close()
    func inserted(after revision: Revision) throws -> [[String]?] {
      var request = LogRequest(.after(revision, limit: 9))
      request.detail = .kinds
      return try Inspector(path: damaged.path).log(request).deltas.flatMap(\.changes).map(
        \.inserted
      )
    }
    // The third delta puts nothing.
    #expect(try inserted(after: 50) == [["999"], [], nil, ["999"]])
    try damaged.damage("UPDATE chunk SET body = zeroblob(length(body))")
    #expect(try inserted(after: 51) == [[], nil, ["999"]])
    #expect(try inserted(after: 53) == [["999"]])
    // Whether it was there before revision 51 is known from a chunk.
    #expect(try inserted(after: 50) == [nil, nil, nil, nil])
  }

  @Test func `a comparison passes over it, whichever of the stores has it`() async throws {
    let damaged = try await DamagedStore()
    let copy = damaged.directory.path("copy.strata")
    _ = try await StoreBackup.fork(damaged.path, at: .revision(45), to: copy)
    let compare = {
      let (one, other) = (try Inspector(path: damaged.path), try Inspector(path: copy))
      return (try one.compare(with: other), try other.compare(with: one))
    }
    let expected = try compare()
    try #require(expected.0.count > 0)
    try damaged.damage(Self.damageNewest)
    let found = try compare()
    #expect("\(found.0)" == "\(expected.0)")
    #expect("\(found.1)" == "\(expected.1)")
  }

  @Test func `a comparison names the store that cannot be read`() async throws {
    let damaged = try await DamagedStore()
    let copy = damaged.directory.path("copy.strata")
    _ = try await StoreBackup.fork(damaged.path, at: .revision(45), to: copy)
    try damaged.damage(
      "UPDATE chunk SET body = zeroblob(length(body))",
      "UPDATE delta SET body = zeroblob(length(body)) WHERE revision = 30"
    )
    let (one, other) = (try Inspector(path: damaged.path), try Inspector(path: copy))
    for (first, second) in [(one, other), (other, one)] {
      let error = #expect(throws: PersistenceError.self) { _ = try first.compare(with: second) }
      #expect(error?.path == one.path.file)
      guard case .damaged? = error?.reason else {
        Issue.record("another reason: \(String(describing: error))")
        return
      }
    }
  }
}
