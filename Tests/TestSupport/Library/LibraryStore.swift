package import Strata

/// The store of the sample domain.
package final class LibraryStore: Store<LibraryState, LibraryActivity>, @unchecked Sendable {}

extension LibraryStore {
  /// Creates a store of an empty library at version 0.
  package convenience init() { self.init(initialState: LibraryState()) }
}
