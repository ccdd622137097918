import Foundation
import Strata
import StrataJournal
import StrataStorage
import TestSupport

/// A closed store of the sample domain: three authors, five books, four commits.
func closedLibrary(
  at path: String,
  policy: SnapshotPolicy = SnapshotPolicy(),
  _ more: (LibraryStore) -> Void = { _ in }
) async throws {
  let persistence = try await Persistence.open(
    at: path,
    initialState: LibraryState(),
    database: \.db,
    configuration: PersistenceConfiguration(snapshots: policy)
  )
  let store = LibraryStore(persistence)
  commitSample(to: store)
  more(store)
  try await persistence.flush()
  try await persistence.close()
}

func commitSample(to store: LibraryStore) {
  store.commit("found", fileID: "Library/Start.swift", function: "found()", line: 3) { state in
    for name in ["ada", "ben", "cleo"] {
      state.db.authors.insert(Author(id: EntityID(name), name: "Author \(name)"))
    }
  }
  store.commit("import", fileID: "Library/Import.swift", function: "run()", line: 5) { state in
    for number in 1...5 {
      state.db.books.insert(
        Book(id: EntityID(number), title: "Volume \(number)", author: "ada", rating: 3)
      )
    }
  }
  store.commit(
    "rate",
    context: CommitContext(user: "wilma", request: "r-7"),
    fileID: "Library/Ratings.swift",
    function: "rate(_:)",
    line: 41
  ) { state in
    _ = try? state.db.books.updateIfExists(2) { $0.rating = 5 }
  }
  store.commit("drop", fileID: "Library/Drop.swift", function: "drop()", line: 9) { state in
    state.db.books.remove(5)
  }
}

/// Opens a closed store, makes commits and closes it.
func commit(_ count: Int, at path: String) async throws {
  try await withPersistence(
    at: path,
    initialState: LibraryState(),
    database: \.db,
    store: LibraryStore.init
  ) { store in
    for number in 0..<count {
      store.commit("more") { $0.db.authors.insert(Author(id: EntityID("a\(number)"))) }
    }
  }
}

/// Copies the files of a closed store.
func copyStore(from path: String, to copy: String) throws {
  for suffix in ["", ".head"] {
    try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
  }
}
